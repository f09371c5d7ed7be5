# What logical decoding makes of changed rows: the same as of a heap table's.
# Each script runs on both; what test_decoding prints is compared, with every
# replica identity, for rows in column form and in row form.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', q(
autovacuum = off
max_prepared_transactions = 5
));
$node->start;
$node->safe_psql('postgres', q(
CREATE EXTENSION columnar;
CREATE FUNCTION wide(n integer) RETURNS text LANGUAGE sql
	RETURN (SELECT string_agg(md5((n * k)::text), '') FROM generate_series(1, 400) k);
));

my ($result, $stdout, $stderr) = $node->psql('postgres',
	q(SELECT pg_create_logical_replication_slot('probe', 'test_decoding')));
plan skip_all => 'test_decoding is not installed'
  if $stderr =~ /could not access file "test_decoding"/;
$node->safe_psql('postgres', q(SELECT pg_drop_replication_slot('probe')));

# Make table t: 200 rows that were written by column, if it is columnar, then
# 20 by row, a tenth of all wide.
sub create_table
{
	my ($access_method, $identity) = @_;

	$node->safe_psql('postgres', qq(
		DROP TABLE IF EXISTS t;
		CREATE TABLE t (id integer PRIMARY KEY, code text NOT NULL, v integer, w text,
		                x text DEFAULT 'x') USING $access_method;
		CREATE UNIQUE INDEX t_code ON t (code);
		ALTER TABLE t REPLICA IDENTITY $identity;
	));
	insert_rows(1, 200);
	$node->safe_psql('postgres',
		q(SELECT pg_create_logical_replication_slot('plain', 'test_decoding', false, true)));
	insert_rows(201, 220);
}

sub insert_rows
{
	my ($first, $last) = @_;

	$node->safe_psql('postgres', qq(
		SET columnar.row_form_rows = 0;
		INSERT INTO t
		SELECT i, 'code' || i, i, CASE WHEN i % 10 = 0 THEN wide(i) ELSE 'narrow' END
		  FROM generate_series($first, $last) i;
	));
}

# What is decoded of a script.  Rows of one command may come in any order.  A
# wide value that an update leaves alone is decoded as unchanged if it was
# outside the row, and else as it is.
sub decoded
{
	my ($access_method, $identity, $script) = @_;
	my $changes;

	create_table($access_method, $identity);
	$node->psql('postgres', $script);
	$changes = changes();
	$node->safe_psql('postgres', q(SELECT pg_drop_replication_slot('plain')));
	return $changes;
}

sub changes
{
	my @lines = split /\n/, $node->safe_psql('postgres', q(
		SELECT data FROM pg_logical_slot_get_changes('plain', NULL, NULL,
		       'include-xids', '0', 'skip-empty-xacts', '1')));
	my ($result, @command) = ('');

	for my $line (@lines, my $end = '')
	{
		my ($action) = $line =~ /^(table public.t: \w+)/;

		if (@command && (!$action || $command[0] !~ /^$action/))
		{
			$result .= join("\n", sort @command) . "\n";
			@command = ();
		}
		$line =~ s/(new-tuple:.*|UPDATE: id.*)( w\[text\]:)(unchanged-toast-datum|'[0-9a-f]{10000,}')/$1$2<wide>/;
		$line =~ s/'([0-9a-f]{10000,})'/'<' . md5_hex($1) . '>'/ge;
		push @command, $line;
	}
	return $result;
}

my $changes = q(
	UPDATE t SET v = 0 WHERE id = 1;
	UPDATE t SET id = -2 WHERE id = 2;
	UPDATE t SET code = 'changed' WHERE id = 3;
	UPDATE t SET v = NULL, w = wide(4) WHERE id = 4;
	UPDATE t SET v = -v WHERE id IN (10, 20);
	UPDATE t SET id = -id, code = code || '-' WHERE id IN (30, 31);
	UPDATE t SET w = wide(-1) WHERE id = 40;
	UPDATE t SET v = v + 1 WHERE id = 1;
	DELETE FROM t WHERE id IN (1, -2, 5, 50, 51);
	BEGIN;
	UPDATE t SET v = 1 WHERE id = 6;
	SAVEPOINT a;
	UPDATE t SET v = 2 WHERE id = 6;
	DELETE FROM t WHERE id IN (7, 60);
	ROLLBACK TO a;
	UPDATE t SET v = 3 WHERE id = 6;
	SAVEPOINT b;
	DELETE FROM t WHERE id IN (6, 8, 70);
	RELEASE b;
	INSERT INTO t VALUES (6, 'again', 1, 'six');
	COMMIT;
	BEGIN;
	DELETE FROM t;
	ROLLBACK;

	-- headers that locks made
	BEGIN;
	SELECT id FROM t WHERE id BETWEEN 80 AND 99 FOR UPDATE;
	COMMIT;
	BEGIN;
	SELECT id FROM t WHERE id BETWEEN 90 AND 110 FOR KEY SHARE;
	UPDATE t SET v = 10 WHERE id IN (85, 90, 95);
	DELETE FROM t WHERE id IN (80, 81, 91, 100);
	COMMIT;

	-- rows in row form, new versions too
	UPDATE t SET v = 0 WHERE id IN (201, 210);
	UPDATE t SET id = -id WHERE id IN (201, 202, 220);
	DELETE FROM t WHERE id IN (-220, 203, 210, 4);

	INSERT INTO t VALUES (9, 'code9', 1, 'no'), (1001, 'new', 1, 'yes') ON CONFLICT DO NOTHING;
	INSERT INTO t VALUES (9, 'none', 1, 'no'), (1002, 'newer', 1, 'yes')
	    ON CONFLICT (id) DO UPDATE SET v = 100 + excluded.v;
	INSERT INTO t VALUES (120, 'none', 1, 'no')
	    ON CONFLICT (id) DO UPDATE SET v = 100 + excluded.v;
	MERGE INTO t USING (VALUES (11, 1), (12, 2), (1003, 3)) s (id, v) ON t.id = s.id
	 WHEN MATCHED AND s.v = 1 THEN DELETE
	 WHEN MATCHED THEN UPDATE SET v = -s.v
	 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'merged', s.v);

	BEGIN;
	UPDATE t SET v = 13 WHERE id = 13;
	DELETE FROM t WHERE id = 130;
	PREPARE TRANSACTION 'changes';
	COMMIT PREPARED 'changes';
	TRUNCATE t;
	INSERT INTO t VALUES (1, 'one');
	DELETE FROM t;
);

for my $identity ('DEFAULT', 'USING INDEX t_code', 'FULL', 'NOTHING')
{
	is(decoded('columnar', $identity, $changes), decoded('heap', $identity, $changes),
		"changes with replica identity $identity");
}

# The identity and the columns change under headers that are there.
for my $change (
	'ALTER TABLE t REPLICA IDENTITY FULL',
	'ALTER TABLE t REPLICA IDENTITY USING INDEX t_code',
	'ALTER TABLE t DROP COLUMN v, ADD COLUMN y integer DEFAULT 7, REPLICA IDENTITY FULL',
	'ALTER TABLE t ADD COLUMN y integer NOT NULL GENERATED ALWAYS AS IDENTITY',
	'ALTER TABLE t DROP CONSTRAINT t_pkey',
	'ALTER TABLE t ALTER id TYPE bigint',
	'ALTER TABLE t ALTER id TYPE oid, REPLICA IDENTITY FULL')
{
	my $script = qq(
		BEGIN;
		SELECT id FROM t WHERE id BETWEEN 10 AND 30 FOR SHARE;
		UPDATE t SET w = 'before' WHERE id IN (12, 212);
		COMMIT;
		$change;
		UPDATE t SET w = 'after' WHERE id IN (9, 11, 12, 20, 212, 213);
		DELETE FROM t WHERE id IN (10, 12, 13, 30, 31, 212, 214);
	);

	is(decoded('columnar', 'DEFAULT', $script), decoded('heap', 'DEFAULT', $script),
		"changes around $change");
}

# Two sessions insert a key at a time, speculatively: one of them takes its row
# back.  The index's expression is evaluated before the row is inserted and
# again before its entry is, and waits for the controller's locks.
sub waiting
{
	my ($n) = @_;

	$node->poll_query_until('postgres',
		"SELECT count(*) = $n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
}

sub decoded_of_conflict
{
	my ($access_method) = @_;
	my ($controller, @sessions) = map { $node->background_psql('postgres') } 0 .. 2;
	my $changes;

	$node->safe_psql('postgres', qq(
		CREATE OR REPLACE FUNCTION hold(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
		\$\$
		BEGIN
			IF pg_try_advisory_xact_lock(current_setting('test.session')::integer, 1) THEN
				PERFORM pg_advisory_xact_lock(current_setting('test.session')::integer, 2);
			ELSE
				PERFORM pg_advisory_xact_lock(current_setting('test.session')::integer, 3);
			END IF;
			RETURN \$1;
		END
		\$\$;
		DROP TABLE t;
		CREATE TABLE t (id text, w text) USING $access_method;
		CREATE UNIQUE INDEX ON t (hold(id));
		SELECT pg_create_logical_replication_slot('plain', 'test_decoding');
	));
	$controller->query_safe(
		'SELECT pg_advisory_lock(s, n) FROM generate_series(1, 2) s, generate_series(1, 3) n');
	for my $i (1, 2)
	{
		$sessions[$i - 1]->query_until(qr/started/, qq(
			\\echo started
			SET test.session = $i;
			INSERT INTO t VALUES ('key', wide($i))
			    ON CONFLICT (hold(id)) DO UPDATE SET w = 'conflict';
		));
	}
	waiting(2);
	$controller->query_safe("SELECT pg_advisory_unlock(s, n) FROM generate_series(1, 2) s, (VALUES (1), (3)) v(n)");
	waiting(2);
	$controller->query_safe('SELECT pg_advisory_unlock(2, 2)');
	waiting(1);
	$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM t');
	$controller->query_safe('SELECT pg_advisory_unlock(1, 2)');
	$_->quit for @sessions, $controller;
	$changes = changes();
	$node->safe_psql('postgres', q(SELECT pg_drop_replication_slot('plain')));
	return $changes;
}
{
	my $changes = decoded_of_conflict('columnar');

	is($changes, decoded_of_conflict('heap'), 'a speculative insertion that is taken back');
	like($changes, qr/INSERT.*UPDATE/s, '... and becomes an update');
}

# Headers that were made when nothing was logged for decoding.
sub decoded_after_raising_level
{
	my ($access_method) = @_;
	my $changes;

	$node->append_conf('postgresql.conf', 'wal_level = replica');
	$node->restart;
	$node->safe_psql('postgres', qq(
		DROP TABLE IF EXISTS t;
		CREATE TABLE t (id integer PRIMARY KEY, code text) USING $access_method;
		INSERT INTO t SELECT i, i FROM generate_series(1, 10000) i;
		BEGIN;
		SELECT id FROM t WHERE id IN (1, 2, 9000, 9001, 9002) FOR UPDATE;
		COMMIT;
		BEGIN;
		DELETE FROM t WHERE id IN (3, 9003);
		ROLLBACK;
	));
	$node->append_conf('postgresql.conf', 'wal_level = logical');
	$node->restart;
	$node->safe_psql('postgres', q(
		SELECT FROM pg_create_logical_replication_slot('plain', 'test_decoding');
		DELETE FROM t WHERE id IN (1, 3, 9000, 9003, 9004);
		ALTER TABLE t REPLICA IDENTITY FULL;
		DELETE FROM t WHERE id IN (2, 9001);
		UPDATE t SET code = 'new' WHERE id IN (9002, 9005);
	));
	$changes = changes();
	$node->safe_psql('postgres', q(SELECT pg_drop_replication_slot('plain')));
	return $changes;
}
is(decoded_after_raising_level('columnar'), decoded_after_raising_level('heap'),
	'changes after wal_level was raised');

done_testing();
