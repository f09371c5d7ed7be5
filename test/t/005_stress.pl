# Many sessions load, roll back, look up, vacuum and create indexes at a time.
# Every row is written to a heap table too, in the same transaction: in every
# snapshot both tables are the same.
#
# COLUMNAR_STRESS_SECONDS (10) makes it longer.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{COLUMNAR_STRESS_SECONDS} || 10;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq(
autovacuum_naptime = 1s
autovacuum_vacuum_threshold = 1000
autovacuum_vacuum_insert_threshold = 1000
autovacuum_vacuum_cost_delay = 0
max_wal_size = 2GB
max_prepared_transactions = 20
));
$node->start;
$node->safe_psql('postgres', q(
CREATE EXTENSION columnar;
CREATE TABLE c (k bigint PRIMARY KEY, g integer, t text) USING columnar;
CREATE TABLE h (k bigint PRIMARY KEY, g integer, t text) USING heap;
CREATE INDEX c_g ON c (g);
CREATE INDEX h_g ON h (g);

-- n rows with keys that others may take too; a clash takes all of them back
CREATE FUNCTION put(first bigint, n integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO c SELECT i, i % 50, 't' || i % 333 FROM generate_series(first, first + n - 1) i;
	INSERT INTO h SELECT i, i % 50, 't' || i % 333 FROM generate_series(first, first + n - 1) i;
	RETURN true;
EXCEPTION WHEN unique_violation THEN
	RETURN false;
END $$;

CREATE FUNCTION check_all() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	a record;
	b record;
BEGIN
	SELECT count(*) AS n, sum(k) AS k, sum(g) AS g, count(DISTINCT t) AS t INTO a FROM c;
	SELECT count(*) AS n, sum(k) AS k, sum(g) AS g, count(DISTINCT t) AS t INTO b FROM h;
	IF a IS DISTINCT FROM b THEN
		RAISE EXCEPTION 'columnar % but heap %', a, b;
	END IF;
END $$;

CREATE FUNCTION check_key(key bigint, grp integer) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET columnar.vector_scan = off AS $$
BEGIN
	IF (SELECT t FROM c WHERE k = key) IS DISTINCT FROM (SELECT t FROM h WHERE k = key)
		OR (SELECT sum(k) FROM c WHERE g = grp) IS DISTINCT FROM (SELECT sum(k) FROM h WHERE g = grp)
	THEN
		RAISE EXCEPTION 'key % or group % differ', key, grp;
	END IF;
END $$;
));

my $dir = PostgreSQL::Test::Utils::tempdir;
my %scripts = (
	'single@40' => q(
\set k random(1, 1000000000)
SELECT put(:k, 1);
),
	'few@20' => q(
\set k random(1, 1000000000)
\set n random(2, 1500)
SELECT put(:k, :n);
),
	'many@4' => q(
\set k random(1, 1000000)
\set n random(5000, 20000)
\set back random(0, 2)
BEGIN;
SELECT put(:k * 1000, :n);
\if :back = 0
ROLLBACK;
\else
COMMIT;
\endif
),
	'nested@10' => q(
\set k random(1, 1000000)
\set n random(500, 9000)
BEGIN;
SELECT put(:k * 1000, 10);
SAVEPOINT s;
SELECT put(:k * 1000 + 10, :n);
ROLLBACK TO s;
SELECT put(:k * 1000 + 20, :n);
COMMIT;
),
	'all@4' => q(
\set k random(1, 1000000000)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT check_all();
SELECT put(:k, 3);
SELECT check_all();
COMMIT;
),
	'key@15' => q(
\set k random(1, 1000000)
\set g random(0, 49)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT check_key(:k * 1000, :g);
COMMIT;
),
	'vacuum@2' => "VACUUM c;\n",
	'compact@1' => "SELECT columnar_compact('c');\n",
);

my @files;
for my $name (sort keys %scripts)
{
	my ($base, $weight) = split /@/, $name;
	append_to_file("$dir/$base.sql", $scripts{$name});
	push @files, '-f', "$dir/$base.sql\@$weight";
}
my ($out, $err) = run_command(
	[ 'pgbench', '-n', '-c', 8, '-j', 2, '-T', $seconds, '-d', $node->connstr('postgres'), @files ]);
unlike($err, qr/ERROR|aborted|terminat/, 'no session failed') or diag $err;
like($out, qr/number of transactions actually processed: [1-9]/, 'there was something to do');
note $out;

$node->safe_psql('postgres', 'SELECT check_all()');
is($node->safe_psql('postgres', '(TABLE c EXCEPT ALL TABLE h) UNION ALL (TABLE h EXCEPT ALL TABLE c) LIMIT 5'),
	'', 'every row is the same');
is($node->safe_psql('postgres', q(SELECT * FROM columnar_verify('c'))), '', 'nothing is damaged');
$node->safe_psql('postgres', 'VACUUM FREEZE c');
$node->safe_psql('postgres', 'SELECT check_all()');
is($node->safe_psql('postgres', q(SELECT * FROM columnar_verify('c'))), '', 'nor after VACUUM');
$node->stop('immediate');
$node->start;
$node->safe_psql('postgres', 'SELECT check_all()');
pass('the same after a crash');

done_testing();
