# The visibility map through crashes, on a standby, in other files, and where
# the file is cut, which cuts the map as if it were about blocks of the file.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1, extra => ['--data-checksums']);
$primary->append_conf('postgresql.conf', q{
autovacuum = off
enable_seqscan = off
enable_bitmapscan = off
allow_in_place_tablespaces = on
columnar.row_form_rows = 0
});
$primary->start;

my $visits = q{
CREATE FUNCTION visits(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, FORMAT json) ' || query INTO plan;
	RETURN (jsonb_path_query_first(plan::jsonb, '$.**."Heap Fetches"'))::bigint;
END $$};
$primary->safe_psql('postgres', qq{
CREATE EXTENSION columnar;
$visits;
CREATE TABLE t (k int, v int) USING columnar;
INSERT INTO t SELECT i, 0 FROM generate_series(1, 100000) i;
CREATE INDEX ON t (k);
});
$primary->safe_psql('postgres', 'VACUUM t');

# In order: rows that an index-only scan counts, of which it visits the table.
my $query = 'SELECT count(k) FROM t WHERE k BETWEEN 1000 AND 2000';
my $look = "$query UNION ALL SELECT visits('$query')";
my $findings = q{SELECT message FROM columnar_verify('t')};

is($primary->safe_psql('postgres', $look), "1001\n0", 'vacuumed');

# ---- a standby ----

$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', q{
hot_standby_feedback = off
max_standby_streaming_delay = 50ms
});
$standby->start;

sub catch_up
{
	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
}

is($standby->safe_psql('postgres', $look), "1001\n0", 'on the standby');

my $old = $standby->background_psql('postgres', on_error_stop => 0);
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
is($old->query_safe($query), '1001', 'an old snapshot');
$primary->safe_psql('postgres', 'DELETE FROM t WHERE k = 1500');
catch_up();
is($old->query_safe($query), '1001', 'sees the row that was deleted');
is($standby->safe_psql('postgres', $query), '1000', 'which others do not');

$primary->safe_psql('postgres', 'VACUUM t');
is($primary->safe_psql('postgres', $look), "1000\n0", 'vacuumed again');
catch_up();
my $result = eval { $old->query($query) } // '';
isnt($result, '1000', 'the old snapshot is not deceived');
eval { $old->quit };
is($standby->safe_psql('postgres', $look), "1000\n0", 'on the standby');
is($standby->safe_psql('postgres', $findings), '', 'sound there');

# Index entries of dead rows go without VACUUM, and may be somebody's there.
$old = $standby->background_psql('postgres', on_error_stop => 0);
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
is($old->query_safe($query), '1000', 'another old snapshot');
$primary->safe_psql('postgres', q{
DO $$
BEGIN
	FOR i IN 1..40 LOOP
		UPDATE t SET v = v + 1 WHERE k BETWEEN 1000 AND 1100;
		COMMIT;
	END LOOP;
END $$});
catch_up();
$result = eval { $old->query($query) } // '';
ok($result eq '1000' || $result eq '', 'an old snapshot is cancelled, or right');
eval { $old->quit };
is($standby->safe_psql('postgres', $query), '1000', 'a new one is right');

# ---- crashes ----

# VACUUM does not wait until its records are on disk, other transactions do.
sub crash
{
	$primary->safe_psql('postgres',
		q{SELECT pg_logical_emit_message(true, 'test', 'flush')});
	$primary->stop('immediate');
	$primary->start;
}

$primary->safe_psql('postgres', 'DELETE FROM t WHERE k = 1501');
crash();
is($primary->safe_psql('postgres', $query), '999', 'a deletion before a crash');
is($primary->safe_psql('postgres', $findings), '', 'sound after it');
$primary->safe_psql('postgres', 'VACUUM t');
crash();
is($primary->safe_psql('postgres', $look), "999\n0", 'VACUUM before a crash');
is($primary->safe_psql('postgres', $findings), '', 'sound after it');

# An unlogged table is empty after a crash, and so is its map.
$primary->safe_psql('postgres', q{
CREATE UNLOGGED TABLE u (k int) USING columnar;
INSERT INTO u SELECT generate_series(1, 5000);
CREATE INDEX ON u (k);
});
$primary->safe_psql('postgres', 'VACUUM u');
is($primary->safe_psql('postgres', q{SELECT visits('SELECT k FROM u WHERE k > 0')}),
	'0', 'an unlogged table');
crash();
is( $primary->safe_psql('postgres', q{
BEGIN; INSERT INTO u SELECT generate_series(1, 5000); ROLLBACK;
SELECT count(k) FROM u WHERE k > 0}),
	'0', 'has no rows after a crash, though bits would say so');
is($primary->safe_psql('postgres', q{SELECT message FROM columnar_verify('u')}),
	'', 'and is sound');

# ---- another tablespace ----

$primary->safe_psql('postgres', q{CREATE TABLESPACE elsewhere LOCATION ''});
$primary->safe_psql('postgres', 'ALTER TABLE t SET TABLESPACE elsewhere');
is($primary->safe_psql('postgres', $look), "999\n0", 'the map moves along');
$primary->safe_psql('postgres', 'DELETE FROM t WHERE k = 1502');
is($primary->safe_psql('postgres', $query), '998', 'and is changed there');

# ---- more than one page of the map, in a file that is cut ----

$primary->append_conf('postgresql.conf', 'full_page_writes = off');
$primary->reload;
$primary->safe_psql('postgres', q{
CREATE TABLE w (k int) USING columnar;
INSERT INTO w SELECT NULL FROM generate_series(1, 8500000);
INSERT INTO w SELECT generate_series(1, 5000);
CREATE INDEX ON w (k) WHERE k IS NOT NULL;
});
$primary->safe_psql('postgres', 'VACUUM w');
is($primary->safe_psql('postgres', q{SELECT visits('SELECT k FROM w WHERE k > 0')}),
	'0', 'a second page of the map');
is($primary->safe_psql('postgres', q{SELECT pg_relation_size('w', 'vm')}),
	16384, 'is there');

# a change of the second page, and then the file is cut
$primary->safe_psql('postgres', q{
BEGIN; INSERT INTO w SELECT (random() * 1000000000)::int FROM generate_series(1, 400000); ROLLBACK});
$primary->safe_psql('postgres', 'CHECKPOINT');
$primary->safe_psql('postgres', 'DELETE FROM w WHERE k = 1000');
my $before = $primary->safe_psql('postgres', q{SELECT pg_relation_size('w')});
$primary->safe_psql('postgres', 'VACUUM w');
cmp_ok($primary->safe_psql('postgres', q{SELECT pg_relation_size('w')}),
	'<', $before, 'the file is cut');
is($primary->safe_psql('postgres', q{SELECT visits('SELECT k FROM w WHERE k > 0')}),
	'0', 'bits are set after that');
crash();
is( $primary->safe_psql('postgres', q{
SELECT count(k) FROM w WHERE k > 0
UNION ALL SELECT visits('SELECT k FROM w WHERE k > 0')}),
	"4999\n0", 'after a crash');
is($primary->safe_psql('postgres', q{SELECT message FROM columnar_verify('w')}),
	'', 'sound after it');

catch_up();
is($standby->safe_psql('postgres', 'SELECT count(k) FROM w WHERE k > 0'),
	'4999', 'the standby has come along');
is($standby->safe_psql('postgres', q{SELECT message FROM columnar_verify('w')}),
	'', 'and is sound');

# A standby that replays a change of a page that has been cut off meanwhile.
catch_up();
$primary->safe_psql('postgres', 'CREATE EXTENSION pg_visibility; CHECKPOINT');
catch_up();
$standby->safe_psql('postgres', 'CHECKPOINT');
$primary->safe_psql('postgres', q{
DELETE FROM w WHERE k = 1001;
SELECT pg_truncate_visibility_map('w');
});
catch_up();
$standby->stop('immediate');
$standby->start;
catch_up();
is($standby->safe_psql('postgres', 'SELECT count(k) FROM w WHERE k > 0'),
	'4998', 'it can start after that');

$standby->stop;
$primary->stop;
done_testing();
