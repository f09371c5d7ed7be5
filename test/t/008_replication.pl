# Columnar tables with changes, replicated to heap and to columnar tables.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @kinds = ('heap', 'columnar');
my @tables = ('keyed', 'whole', 'by_index', 'filtered', 'listed', 'parts');

my $publisher = PostgreSQL::Test::Cluster->new('publisher');
$publisher->init(allows_streaming => 'logical');
$publisher->append_conf('postgresql.conf', q(
logical_decoding_work_mem = 64kB
max_prepared_transactions = 10
));
$publisher->start;
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
$subscriber->append_conf('postgresql.conf', q(
max_prepared_transactions = 10
wal_retrieve_retry_interval = 200ms
));
$subscriber->start;

# ---- tables and their first rows ----

$publisher->safe_psql('postgres', q(
	CREATE EXTENSION columnar;
	SET default_table_access_method = columnar;
	CREATE TABLE keyed (id integer PRIMARY KEY, v integer, w text);
	CREATE TABLE whole (a integer, b text, c numeric);
	ALTER TABLE whole REPLICA IDENTITY FULL;
	CREATE TABLE by_index (id integer, code text NOT NULL, v integer);
	CREATE UNIQUE INDEX by_index_code ON by_index (code);
	ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_code;
	CREATE TABLE filtered (id integer PRIMARY KEY, v integer);
	CREATE TABLE listed (id integer PRIMARY KEY, v integer, secret text);
	CREATE TABLE parts (id integer PRIMARY KEY, v text) PARTITION BY RANGE (id);
	CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (5000);
	CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (5000) TO (MAXVALUE) USING heap;

	INSERT INTO keyed SELECT i, i, 'first' FROM generate_series(1, 12000) i;
	INSERT INTO whole SELECT i / 2, 'first', i / 2 FROM generate_series(1, 10000) i;
	INSERT INTO by_index SELECT i, 'code' || i, i FROM generate_series(1, 12000) i;
	INSERT INTO filtered SELECT i, i FROM generate_series(1, 12000) i;
	INSERT INTO listed SELECT i, i, 'secret' FROM generate_series(1, 12000) i;
	INSERT INTO parts SELECT i, 'first' FROM generate_series(1, 10000) i;

	CREATE PUBLICATION p FOR TABLE keyed, whole, by_index,
		filtered WHERE (id % 3 = 0), listed (id, v), parts
		WITH (publish_via_partition_root = true);
));

my $connection = $publisher->connstr . ' dbname=postgres';
for my $kind (@kinds)
{
	$subscriber->safe_psql('postgres', "CREATE DATABASE $kind");
	$subscriber->safe_psql($kind, qq(
		CREATE EXTENSION columnar;
		SET default_table_access_method = $kind;
		CREATE TABLE keyed (id integer PRIMARY KEY, v integer, w text);
		CREATE TABLE whole (a integer, b text, c numeric);
		CREATE TABLE by_index (id integer, code text PRIMARY KEY, v integer);
		CREATE TABLE filtered (id integer PRIMARY KEY, v integer);
		CREATE TABLE listed (id integer PRIMARY KEY, v integer);
		CREATE TABLE parts (id integer PRIMARY KEY, v text) PARTITION BY RANGE (id);
		CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (2000);
		CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (2000) TO (MAXVALUE);
		CREATE SUBSCRIPTION $kind CONNECTION '$connection' PUBLICATION p
			WITH (streaming = on, two_phase = true);
	));
}
$subscriber->wait_for_subscription_sync($publisher, $_, $_) for @kinds;

# ---- comparing ----

# Number and checksum of the rows and columns that are published, by table.
sub summary
{
	my ($node, $database) = @_;
	my %rows = (
		filtered => '(SELECT * FROM filtered WHERE id % 3 = 0)',
		listed => '(SELECT id, v FROM listed)');

	return $node->safe_psql($database, join(' UNION ALL ', map {
		"SELECT '$_', count(*), sum(hashtext(t::text)::bigint) FROM "
		  . ($rows{$_} // $_) . ' t' } @tables) . ' ORDER BY 1');
}

sub compare
{
	my ($when) = @_;
	my $expected;

	$publisher->wait_for_catchup($_) for @kinds;
	$expected = summary($publisher, 'postgres');
	is(summary($subscriber, $_), $expected, "tables on $_ $when") for @kinds;
}

compare('at first');

# ---- changes ----

$publisher->safe_psql('postgres', q(
	UPDATE keyed SET v = -v WHERE id % 100 = 0;
	UPDATE keyed SET id = -id WHERE id % 100 = 1;
	UPDATE keyed SET w = (SELECT string_agg(md5((k * id)::text), '') FROM generate_series(1, 300) k)
	 WHERE id % 1000 = 2;
	UPDATE keyed SET v = 0 WHERE id % 2000 = 2;
	DELETE FROM keyed WHERE id % 100 = 3;
	INSERT INTO keyed SELECT i, i, 'upsert' FROM generate_series(11901, 12100) i
	    ON CONFLICT (id) DO UPDATE SET w = 'conflict';
	UPDATE whole SET b = 'changed' WHERE a % 500 = 0;
	DELETE FROM whole WHERE a % 500 = 1;
	UPDATE by_index SET v = -v WHERE id % 100 = 0;
	UPDATE by_index SET code = 'new' || id WHERE id % 100 = 1;
	DELETE FROM by_index WHERE id % 100 = 2;
	UPDATE filtered SET id = -id - 1 WHERE id % 100 < 3;
	DELETE FROM filtered WHERE id % 50 = 9;
	UPDATE listed SET secret = 'changed', v = -v WHERE id % 100 = 0;
	DELETE FROM listed WHERE id % 100 = 1;
	UPDATE parts SET v = 'changed' WHERE id % 100 = 0;
	UPDATE parts SET id = 15000 - id WHERE id IN (1111, 4900, 4999);
	DELETE FROM parts WHERE id % 100 = 1;
));
compare('after small changes');

# Large transactions are streamed, with what a rolled back savepoint did.
$publisher->safe_psql('postgres', q(
	BEGIN;
	INSERT INTO keyed SELECT i, i, 'large' FROM generate_series(20001, 30000) i;
	UPDATE keyed SET v = v + 1 WHERE id % 3 = 0;
	SAVEPOINT a;
	DELETE FROM keyed WHERE id % 3 = 1;
	UPDATE parts SET v = 'never';
	ROLLBACK TO a;
	SAVEPOINT b;
	DELETE FROM keyed WHERE id % 7 = 1;
	UPDATE by_index SET v = v + 1;
	RELEASE b;
	COMMIT;
	BEGIN;
	UPDATE listed SET v = 0;
	DELETE FROM keyed;
	ROLLBACK;
));
compare('after large transactions');

$publisher->safe_psql('postgres', q(
	BEGIN;
	UPDATE keyed SET v = v + 1 WHERE id % 5 = 0;
	DELETE FROM filtered WHERE id % 6 = 0;
	PREPARE TRANSACTION 'kept';
	BEGIN;
	DELETE FROM by_index;
	INSERT INTO keyed VALUES (0, 0, 'dropped');
	PREPARE TRANSACTION 'dropped';
));
$publisher->wait_for_catchup($_) for @kinds;
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts'), 4,
	'transactions are prepared on both');

# Crashes with work on the way.
$subscriber->stop('immediate');
$publisher->safe_psql('postgres', q(
	COMMIT PREPARED 'kept';
	UPDATE keyed SET w = 'crash' WHERE id % 5 = 1;
	DELETE FROM listed WHERE id % 5 = 0;
));
$publisher->stop('immediate');
$subscriber->start;
$publisher->start;
$publisher->safe_psql('postgres', q(
	ROLLBACK PREPARED 'dropped';
	DELETE FROM keyed WHERE id % 5 = 2;
	UPDATE by_index SET code = code || '+' WHERE id % 50 = 0;
));
compare('after prepared transactions and crashes');

# VACUUM here and there moves rows under the hands of replication.
$publisher->safe_psql('postgres', 'VACUUM');
$subscriber->safe_psql('columnar', 'VACUUM');
$publisher->safe_psql('postgres', q(
	UPDATE keyed SET v = 0, id = id + 100000 WHERE id % 50 = 0;
	DELETE FROM keyed WHERE id % 50 = 1;
	UPDATE whole SET c = c + 1 WHERE a % 500 = 10;
	UPDATE by_index SET v = 1 WHERE id % 50 = 0;
	TRUNCATE parts;
	COPY parts FROM PROGRAM 'seq 4001 6000 | sed "s/$/\\tcopied/"';
));
compare('after VACUUM, TRUNCATE and COPY');

# The worker waits for a row that is locked here, with a key and without.
for my $change ('DELETE FROM keyed WHERE id = 4', q(DELETE FROM whole WHERE a = 7),
	q(UPDATE whole SET b = 'waited' WHERE a = 8))
{
	my $session = $subscriber->background_psql('columnar');
	my ($table, $where) = $change =~ /(keyed|whole).* (WHERE .*)/;

	$session->query_safe("BEGIN; SELECT FROM $table $where FOR UPDATE");
	$publisher->safe_psql('postgres', $change);
	ok($subscriber->poll_query_until('postgres', q(
		SELECT count(*) > 0 FROM pg_stat_activity
		 WHERE datname = 'columnar' AND wait_event_type = 'Lock'
		   AND backend_type LIKE 'logical replication%')), "a lock holds up $change");
	$session->query_safe('COMMIT');
	$session->quit;
}

# It does not wait for who changes another row, on the same page.
{
	my $session = $subscriber->background_psql('columnar');

	$session->query_safe('BEGIN; DELETE FROM whole WHERE a IN (10, 12, 4999)');
	$publisher->safe_psql('postgres', 'UPDATE whole SET c = 0 WHERE a IN (11, 4998)');
	$publisher->wait_for_catchup('columnar');
	$session->query_safe('ROLLBACK');
	$session->quit;
}
compare('after waiting for locks');

for my $node ([$publisher, 'postgres'], [$subscriber, 'columnar'])
{
	is($node->[0]->safe_psql($node->[1], q(
		SELECT c.relname, v.* FROM pg_class c, pg_am a, columnar_verify(c.oid) v
		 WHERE c.relam = a.oid AND a.amname = 'columnar' AND c.relkind = 'r'
		   AND v.message !~ 'neither used nor free')),
		'', 'pages of ' . $node->[0]->name);
}

done_testing();
