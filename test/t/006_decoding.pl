# Logical decoding and replication of columnar tables, which are heap's own.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = PostgreSQL::Test::Cluster->new('publisher');
$publisher->init(allows_streaming => 'logical');
$publisher->start;
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
$subscriber->start;

for my $node ($publisher, $subscriber)
{
	$node->safe_psql('postgres', q(
		CREATE EXTENSION columnar;
		CREATE TABLE published (id integer PRIMARY KEY, what text) USING columnar;
		CREATE TABLE private (id integer, what text) USING columnar;
		CREATE TABLE wide (id integer, inside text, outside text) USING columnar;
		ALTER TABLE wide ALTER inside SET STORAGE PLAIN, ALTER outside SET STORAGE EXTERNAL;
	));
}
$publisher->safe_psql('postgres', q(
	INSERT INTO published SELECT i, 'before' FROM generate_series(-20000, -1) i;
	CREATE PUBLICATION p FOR TABLE published, wide;
));

# Inserts of every kind: single, many, wide, in subtransactions, by COPY.
sub load
{
	my ($table, $first) = @_;

	$publisher->safe_psql('postgres', qq(
		INSERT INTO $table VALUES ($first, 'one');
		INSERT INTO $table SELECT $first + i, 'many' FROM generate_series(1, 20000) i;
		INSERT INTO $table
		SELECT $first + 30000 + i, (SELECT string_agg(md5((i * k)::text), '') FROM generate_series(1, 300) k)
		  FROM generate_series(1, 20) i;
		BEGIN;
		INSERT INTO $table SELECT $first + 40000 + i, 'main' FROM generate_series(1, 2000) i;
		SAVEPOINT a;
		INSERT INTO $table SELECT $first + 50000 + i, 'gone' FROM generate_series(1, 2000) i;
		ROLLBACK TO a;
		SAVEPOINT b;
		INSERT INTO $table SELECT $first + 60000 + i, 'kept' FROM generate_series(1, 2000) i;
		COMMIT;
		COPY $table (id) FROM PROGRAM 'seq \$(($first + 70001)) \$(($first + 75000))';
	));
}

my $summary = 'SELECT count(*), sum(id), sum(hashtext(what)::bigint) FROM';

# a subscriber gets the rows that were there, and those that come
my $connection = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres',
	"CREATE SUBSCRIPTION s CONNECTION '$connection' PUBLICATION p");
$subscriber->wait_for_subscription_sync($publisher, 's');
load('published', 100000);
load('private', 100000);
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', "$summary published"),
	$publisher->safe_psql('postgres', "$summary published"),
	'a subscriber has all rows');

# a plugin that asks no publication gets the rows of all tables
SKIP:
{
	my ($result, $stdout, $stderr) = $publisher->psql('postgres',
		q(SELECT pg_create_logical_replication_slot('plain', 'test_decoding')));

	skip 'test_decoding is not installed', 3
	  if $stderr =~ /could not access file "test_decoding"/;
	is($result, 0, 'a slot with a plain plugin');
	load('published', 200000);
	load('private', 200000);
	is($publisher->safe_psql('postgres', q(
		SELECT substring(data from 'table public.(\w+): INSERT') AS t, count(*)
		  FROM pg_logical_slot_get_changes('plain', NULL, NULL)
		 WHERE data LIKE 'table%' GROUP BY 1 ORDER BY 1)),
		"private|29021\npublished|29021", 'a plain plugin decodes all rows');
	$publisher->safe_psql('postgres', q(SELECT pg_drop_replication_slot('plain')));

	# A slot waits for two generations of transactions while it is made; what
	# begins behind the first one is decoded, if it ends behind the second.
	my ($first, $second, $decoded, $slot) =
	  map { $publisher->background_psql('postgres') } 1 .. 4;
	my $slot_waits = q(
		SELECT count(*) = 1 FROM pg_locks l, pg_stat_activity a
		 WHERE NOT granted AND locktype = 'transactionid' AND l.pid = a.pid
		   AND query LIKE '%pg_create_logical_replication_slot%'
		   AND transactionid = '%s');
	my $xid = $first->query_safe('BEGIN; SELECT txid_current()');

	$slot->query_until(qr/started/, q(
		\echo started
		SELECT pg_create_logical_replication_slot('plain', 'test_decoding');
	));
	$publisher->poll_query_until('postgres', $slot_waits =~ s/%s/$xid/r);
	$xid = $second->query_safe('BEGIN; SELECT txid_current()');
	$first->query_safe('COMMIT');
	$publisher->poll_query_until('postgres', $slot_waits =~ s/%s/$xid/r);
	$decoded->query_safe(q(
		BEGIN;
		INSERT INTO private SELECT i, 'decoded' FROM generate_series(1, 5000) i));
	$second->query_safe('COMMIT');
	$slot->quit;
	$decoded->query_safe('COMMIT');
	$_->quit for $first, $second, $decoded;
	is($publisher->safe_psql('postgres', q(
		SELECT count(*) FROM pg_logical_slot_get_changes('plain', NULL, NULL)
		 WHERE data LIKE '%decoded%')), 5000,
		'rows of a transaction that began before the slot was ready');
	$publisher->safe_psql('postgres', q(SELECT pg_drop_replication_slot('plain')));
}

# a page takes few of a batch's tuples, whose TOAST values come before all of them
my $wide = $publisher->basedir . '/wide';
$publisher->safe_psql('postgres', qq(
	COPY (SELECT i, repeat('i', 1500), repeat(i::text, 3000) FROM generate_series(1, 60) i)
	  TO '$wide';
	COPY wide FROM '$wide';
));
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres',
	'SELECT count(*), sum(length(inside)), sum(hashtext(outside)::bigint) FROM wide'),
	$publisher->safe_psql('postgres',
	'SELECT count(*), sum(length(inside)), sum(hashtext(outside)::bigint) FROM wide'),
	'TOAST values of a batch over several pages');

# A table is published in the middle of a load: the rows that come then are
# decoded, as many as of a heap table.
sub rows_decoded_of_late
{
	my ($access_method) = @_;
	my $table = "late_$access_method";
	my $blocker = $publisher->background_psql('postgres');
	my $load = $publisher->background_psql('postgres');
	my $nrows;

	$publisher->safe_psql('postgres', qq(
		CREATE TABLE $table (id integer) USING $access_method;
		CREATE PUBLICATION late;
		SELECT pg_create_logical_replication_slot('late', 'pgoutput');
	));
	$blocker->query_safe('SELECT pg_advisory_lock(1)');
	$load->query_until(qr/started/, qq(
		\\echo started
		INSERT INTO $table
		SELECT CASE i WHEN 5000 THEN i + length(pg_advisory_lock(1)::text) ELSE i END
		  FROM generate_series(1, 20000) i;
	));
	$publisher->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
	$publisher->safe_psql('postgres', "ALTER PUBLICATION late ADD TABLE $table");
	$blocker->quit;
	$load->quit;
	$nrows = $publisher->safe_psql('postgres', q(
		SELECT count(*)
		  FROM pg_logical_slot_get_binary_changes('late', NULL, NULL,
		       'proto_version', '1', 'publication_names', 'late')
		 WHERE get_byte(data, 0) = ascii('I')));
	$publisher->safe_psql('postgres',
		"DROP PUBLICATION late; SELECT pg_drop_replication_slot('late')");
	note("$nrows of $table");
	return $nrows;
}
is(rows_decoded_of_late('columnar'), rows_decoded_of_late('heap'),
	'rows of a table that is published in between');

# a new file is nobody's business
$publisher->safe_psql('postgres', q(
	ALTER TABLE published ALTER id TYPE bigint;
	INSERT INTO published VALUES (-1000000, 'after');
));
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', "$summary published"),
	$publisher->safe_psql('postgres', "$summary published"),
	'a rewritten table is not sent again');

# what a plugin cannot read while it decodes is not written
$publisher->safe_psql('postgres', 'ALTER TABLE private SET (user_catalog_table = true)');
for my $change ("INSERT INTO private VALUES (0, '')", 'UPDATE private SET id = 0',
	'DELETE FROM private')
{
	my ($result, $stdout, $stderr) = $publisher->psql('postgres', $change);

	like($stderr, qr/cannot change columnar table "private" as a catalog table/,
		"refused: $change");
}

for my $table ('published', 'private', 'wide')
{
	is($publisher->safe_psql('postgres', "SELECT * FROM columnar_verify('$table')"),
		'', "pages of $table");
}

done_testing();
