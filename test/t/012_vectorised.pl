# Vectorised nodes where a query runs in unusual ways: parallel plans without
# workers or shared memory, rows taken one at a time, errors in workers,
# rescans, rows changed by others, cancelling, many partitions, a standby.
#
# The limit that fails the cancelling test is COLUMNAR_CANCEL_MS, by default
# 500: a busy machine may be late for reasons of its own.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $limit = $ENV{COLUMNAR_CANCEL_MS} || 500;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);

# Few connections, so that dynamic shared memory has few slots.
$node->append_conf('postgresql.conf', qq(
autovacuum = off
max_wal_size = 4GB
shared_buffers = 128MB
max_connections = 8
max_worker_processes = 4
autovacuum_max_workers = 1
max_wal_senders = 2
max_parallel_workers_per_gather = 2
parallel_setup_cost = 0
parallel_tuple_cost = 0
jit = off
));
$node->start;
$node->safe_psql('postgres', q(
CREATE EXTENSION columnar;
CREATE TABLE c (id int, g int, k int, n numeric, t text) USING columnar;
INSERT INTO c SELECT i, i % 7, i % 50000, i / 8.0, 'text ' || i % 900 FROM generate_series(1, 200000) i;
INSERT INTO c SELECT i, i % 7, i % 50000, i / 8.0, 'text ' || i % 900 FROM generate_series(200001, 200100) i;
CREATE TABLE h (LIKE c) USING heap;
INSERT INTO h TABLE c;
ALTER TABLE c SET (parallel_workers = 2);
ALTER TABLE h SET (parallel_workers = 2);
ANALYZE c, h;
));

my @queries = (
	'SELECT count(*), sum(id), avg(n), min(t) FROM T',
	'SELECT g, count(*), sum(n), max(t) FROM T GROUP BY g ORDER BY g',
	'SELECT g, sum(k) FILTER (WHERE t > \'text 5\') FROM T WHERE id % 3 = 0 GROUP BY g HAVING count(*) > 10 ORDER BY g LIMIT 3',
	'SELECT id, t FROM T ORDER BY t DESC, id LIMIT 5',
	'SELECT id, n FROM T WHERE g = 3 ORDER BY id DESC LIMIT 2 OFFSET 3',
	'SELECT DISTINCT g FROM T ORDER BY g',
	'SELECT count(*) FROM (SELECT k, count(*) FROM T GROUP BY k LIMIT 3) x',
	'SELECT o, s.* FROM generate_series(1, 3) o, LATERAL (SELECT count(*), sum(id) FROM T WHERE g = o) s ORDER BY o',
	'SELECT o, s.c FROM generate_series(1, 3) o LEFT JOIN (SELECT g, count(*) AS c FROM T GROUP BY g) s ON s.g = o ORDER BY o',
	'SELECT o, s.id FROM generate_series(1, 3) o LEFT JOIN (SELECT id FROM T ORDER BY id LIMIT 3) s ON s.id = o ORDER BY o');
my $no_joins = 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off;';

# ---- the ways in which a parallel plan runs ------------------------------------

sub both_ways
{
	my ($settings, $name) = @_;
	for my $query (@queries) {
		my ($of_heap, $of_columnar) = map { my $table = $_;
			$node->safe_psql('postgres', $settings . ($query =~ s/\bT\b/$table/gr)) } qw(h c);
		is($of_columnar, $of_heap, "$name: $query");
	}
}

like($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT g, count(*) FROM c GROUP BY g"),
	qr/Gather.*ColumnarVectorAgg.*Parallel Custom Scan/s, 'a parallel plan');
both_ways('', 'workers');
both_ways('SET max_parallel_workers = 0;', 'no worker');
both_ways('SET max_parallel_workers = 1;', 'one worker');
both_ways('SET parallel_leader_participation = off;', 'leader waits');
both_ways('SET parallel_leader_participation = off; SET max_parallel_workers = 0;', 'leader alone');
both_ways(($node->safe_psql('postgres', 'SHOW server_version_num') < 160000 ?
	'SET force_parallel_mode = regress;' : 'SET debug_parallel_query = regress;'), 'worker alone');
both_ways($no_joins, 'nested loops');
both_ways("$no_joins SET max_parallel_workers = 0;", 'nested loops, no worker');
both_ways('SET work_mem = \'64kB\'; SET hash_mem_multiplier = 1;', 'little memory');
both_ways('SET work_mem = \'64kB\'; SET hash_mem_multiplier = 1; SET max_parallel_workers_per_gather = 0;', 'little memory, serial');
both_ways('SET columnar.vector_agg = off;', 'no aggregation');
both_ways('SET columnar.vector_scan = off;', 'no scan');

# A function in the target list has its rows taken one by one, for which core
# runs a parallel plan without parallel mode.
for my $query (@queries) {
	my @results = map { my $table = $_;
		$node->safe_psql('postgres', q(SET client_min_messages = warning; CREATE OR REPLACE FUNCTION one_by_one() RETURNS SETOF record LANGUAGE sql VOLATILE AS $$)
			. ($query =~ s/\bT\b/$table/gr) . '$$; SELECT one_by_one()') } qw(h c);
	is($results[1], $results[0], "row by row: $query");
}
$node->safe_psql('postgres', 'DROP FUNCTION one_by_one()');

# Gathers below one Append hold their shared memory, until there is none.
my $many = join(' UNION ALL ', map { "(SELECT sum(id + $_) FROM T WHERE g = " . $_ % 7 . ')' } 1 .. 220);
my @sums = map { my $table = $_;
	$node->safe_psql('postgres', "SET max_parallel_workers = 0; SET enable_parallel_append = off; SELECT sum(sum) FROM (" .
		($many =~ s/\bT\b/$table/gr) . ') x') } qw(h c);
is($sums[1], $sums[0], 'no shared memory left');

# ---- errors ---------------------------------------------------------------------

for my $query ('SELECT sum(1 / (id - 150000)) FROM c', 'SELECT g, max(1 / (id - 150000)) FROM c GROUP BY g',
	'SELECT 1 / (id - 150000) AS x, count(*) FROM c GROUP BY x', 'SELECT id FROM c ORDER BY 1 / (id - 150000) LIMIT 3',
	'SELECT sum(id::int2) FROM c', 'SELECT count(*) FILTER (WHERE 1 / (id - 150000) > 3) FROM c') {
	for my $settings ('', 'SET parallel_leader_participation = off;', 'SET max_parallel_workers_per_gather = 0;') {
		my ($rc, $out, $err) = $node->psql('postgres', "$settings BEGIN; SAVEPOINT s; $query; ROLLBACK TO s; SELECT count(*) FROM c; COMMIT", on_error_stop => 0);
		like($err, qr/division by zero|out of range/, "error: $settings $query");
		like($out, qr/^200100$/m, 'and the transaction goes on');
	}
}

# ---- rows that others change ------------------------------------------------------

$node->safe_psql('postgres', q(
CREATE TABLE target_c (id int, g int, v numeric) USING columnar;
CREATE TABLE target_h (id int, g int, v numeric) USING heap;
));
for my $change (
	'UPDATE target_X x SET v = x.v + s.c FROM (SELECT g, count(*) AS c FROM X GROUP BY g) s WHERE x.g = s.g',
	'UPDATE target_X x SET v = x.v + (SELECT count(*) FROM X WHERE X.g = x.g)',
	'UPDATE target_X x SET v = x.v + (SELECT id FROM X WHERE X.g = x.g ORDER BY n DESC LIMIT 1)',
	'UPDATE target_X x SET v = x.v + 1 WHERE x.v < (SELECT max(id) FROM X) AND x.g IN (SELECT g FROM X GROUP BY g HAVING count(*) > x.v)',
	'DELETE FROM target_X x USING (SELECT g, max(id) AS m FROM X GROUP BY g) s WHERE s.g = x.g AND x.v < s.m') {
	my %left;
	for my $table (qw(h c)) {
		my $statement = $change =~ s/\bX\b/$table/gr =~ s/target_X/target_$table/gr;
		$node->safe_psql('postgres', "TRUNCATE target_$table; INSERT INTO target_$table SELECT i, i % 7, i FROM generate_series(1, 6) i");
		my $first = $node->background_psql('postgres');
		my $second = $node->background_psql('postgres', on_error_stop => 0);
		$first->query_safe("BEGIN; UPDATE target_$table SET v = v + 300000, g = (g + 1) % 7 WHERE id IN (2, 4)");
		$second->query_until(qr/started/, "SET max_parallel_workers_per_gather = 0;\n\\echo started\n$statement;\n");
		$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
		$first->query_safe('COMMIT');
		$second->quit;
		$first->quit;
		$left{$table} = $node->safe_psql('postgres', "SELECT * FROM target_$table ORDER BY id");
	}
	is($left{c}, $left{h}, $change);
}

# ---- rescans ----------------------------------------------------------------------

$node->safe_psql('postgres', q(
CREATE FUNCTION taken() RETURNS bigint LANGUAGE sql VOLATILE AS
	$$SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts WHERE name LIKE 'columnar%' OR name LIKE 'ExprContext' OR name LIKE 'ExecutorState'$$;
CREATE TABLE small (id int, g int, n numeric, t text) USING columnar;
INSERT INTO small SELECT i, i % 5, i / 8.0, 'x' || i % 7 FROM generate_series(1, 3000) i;
ANALYZE small;
));
for my $query (
	'SELECT count(*) AS c FROM small WHERE id > 2900 + o % 50',
	'SELECT g, sum(n + o) AS c FROM small WHERE id > 2900 + o % 50 GROUP BY g',
	'SELECT t, g + o % 2 AS k, min(t) AS c, max(n) FROM small WHERE id > 2900 + o % 50 GROUP BY 1, 2',
	'SELECT count(DISTINCT t) AS c, sum(DISTINCT g), avg(n) FROM small WHERE id > 2900 + o % 50',
	'SELECT id AS c, t FROM small WHERE id > 2900 + o % 50 ORDER BY t, id LIMIT 3',
	'SELECT max(upper(t) || o) AS c, stddev(n), min(array[g, o]) FROM small WHERE id > 2900 AND t IN (\'x1\', \'x\' || o % 7)') {
	my @taken = map {
		(split /\|/, $node->safe_psql('postgres',
			"SET max_parallel_workers_per_gather = 0; SELECT count(s.c), taken() FROM (SELECT generate_series(1, $_) AS o OFFSET 0) o, LATERAL ($query OFFSET 0) s"))[1]
	} (200, 3000);
	cmp_ok($taken[1], '<=', $taken[0] + 65536, "rescans take no memory: $query");
}

# ---- cancelling -------------------------------------------------------------------

$node->safe_psql('postgres', q(
CREATE TABLE big (id int, k int, f float8, n numeric, t text) USING columnar;
INSERT INTO big SELECT i, i::int8 * 7919 % 1000003, i / 64.0, i / 8.0, md5(i::text) FROM generate_series(1, 1000000) i;
ANALYZE big;
CREATE FUNCTION late(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	started timestamptz := statement_timestamp();
BEGIN
	EXECUTE statement;
	RETURN 'finished';
EXCEPTION WHEN query_canceled THEN
	RETURN round(extract(epoch FROM clock_timestamp() - started) * 1000)::text;
END $$;
));
for my $case (
	[ 'scan',       'SELECT sum(id) FROM big WHERE n > 0.5 AND length(t) > 3' ],
	[ 'aggregates', 'SELECT sum(f), avg(n), stddev(n), max(t) FROM big' ],
	[ 'many groups', 'SELECT k, count(*), sum(n) FROM big GROUP BY k' ],
	[ 'groups by text', 'SELECT t, count(*) FROM big GROUP BY t' ],
	[ 'groups by several keys', 'SELECT k, t, n, count(*) FROM big GROUP BY k, t, n' ],
	[ 'groups by numerics', 'SELECT CASE WHEN id < 900000 THEN n ELSE n / 3 END AS x, count(*) FROM big GROUP BY x' ],
	[ 'distinct',   'SELECT count(DISTINCT t), count(DISTINCT k) FROM big' ],
	[ 'distinct by group', 'SELECT k % 1000, count(DISTINCT t) FROM big GROUP BY 1' ],
	[ 'spill',      'SELECT t, k, count(*) FROM big GROUP BY t, k', 'SET work_mem = \'256kB\'' ],
	[ 'distinct spilled', 'SELECT count(DISTINCT t) FROM big', 'SET work_mem = \'256kB\'' ],
	[ 'top-N',      'SELECT id FROM big ORDER BY t COLLATE "C", n LIMIT 1000' ],
	[ 'top-N of losers', 'SELECT id, t FROM big ORDER BY id DESC LIMIT 10000' ],
	[ 'expression by row', 'SELECT sum(hashtext(t || k)) FROM big' ],
	[ 'slow expression', 'SELECT max(substr(repeat(t, 500), 1, 9)) FROM big' ],
	[ 'slow filter', 'SELECT count(*) FILTER (WHERE length(repeat(t, 500)) > 3) FROM big' ],
	[ 'regular expression', 'SELECT count(*) FROM big WHERE t ~ \'(a|b)+c.*d(e|f)+$\'' ]) {
	my ($name, $statement, $settings) = @$case;
	my @late;
	my $finished = 0;
	for my $after (20, 60, 150, 300, 450) {
		my $late = $node->safe_psql('postgres', 'SET max_parallel_workers_per_gather = 0; ' . ($settings ? "$settings; " : '') .
			"SET statement_timeout = $after; SELECT late(\$\$$statement\$\$)");
		if ($late eq 'finished') { $finished++ } else { push @late, $late - $after }
	}
	@late = sort { $a <=> $b } @late;
	note("$name: late by @late ms, $finished finished");
	ok(!@late || $late[-1] < $limit, "cancelled in time: $name");
}

# ---- many partitions --------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE TABLE parts (k int, g int, s text, v int8, ' . join(', ', map { "c$_ int" } 1 .. 100) . ') PARTITION BY RANGE (k); ' .
	join(' ', map { "CREATE TABLE part$_ PARTITION OF parts FOR VALUES FROM ($_) TO ($_ + 1) USING columnar;" } 0 .. 99) .
	"INSERT INTO parts (k, g, s, v, c7, c99) SELECT k, i % 10, 't' || i % 50, i, i, i FROM generate_series(0, 99) k, generate_series(1, 2000) i; ANALYZE parts");
for my $case ([ 'groups', 'SELECT g, count(*), sum(v), max(s) FROM parts GROUP BY g', 200 ],
	[ 'sums', 'SELECT count(*), sum(v), min(s) FROM parts', 200 ],
	[ 'rows', 'SELECT * FROM parts OFFSET 199999', 250 ]) {
	my ($name, $query, $kilobytes) = @$case;
	my $taken = $node->safe_psql('postgres', qq(
SET max_parallel_workers_per_gather = 0;
BEGIN;
DECLARE q NO SCROLL CURSOR FOR $query;
MOVE 1 IN q;
SELECT sum(total_bytes) / 1024 / 100 FROM pg_backend_memory_contexts WHERE name LIKE 'columnar%';
COMMIT));
	note("$name: $taken kB a partition");
	cmp_ok($taken, '<', $kilobytes, "a partition takes little memory: $name");
}

# ---- standby ------------------------------------------------------------------------

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = 0');
$standby->start;
$node->wait_for_catchup($standby);
for my $query (@queries) {
	my $text = $query =~ s/\bT\b/c/gr;
	is($standby->safe_psql('postgres', $text), $node->safe_psql('postgres', $text), "standby: $query");
}
my $reader = $standby->background_psql('postgres', on_error_stop => 0);
my $question = 'SELECT g, count(*) FROM c WHERE id > 5 GROUP BY g ORDER BY g';
my $before = $reader->query("BEGIN ISOLATION LEVEL REPEATABLE READ; $question");
$node->safe_psql('postgres', 'DELETE FROM c WHERE id % 2 = 0; VACUUM c');
$node->wait_for_catchup($standby);
my $after = eval { $reader->query($question) };
ok(!defined $after || $after eq $before || $reader->{stderr} =~ /conflict with recovery/,
	'a reader on the standby sees what it saw, or is told of the conflict');
eval { $reader->quit };
is($standby->safe_psql('postgres', $question), $node->safe_psql('postgres', $question), 'the standby knows of the rows that went');

$standby->stop;
$node->stop;
done_testing();
