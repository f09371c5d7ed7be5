# Indexes that are built and rebuilt concurrently, and vacuumed, while rows are
# updated, deleted and inserted: they know every row, and no dead one is found.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('concurrent_index');
$node->init;
$node->append_conf('postgresql.conf', q{
autovacuum = off
lock_timeout = 180s
});
$node->start;
$node->safe_psql('postgres', q{
CREATE EXTENSION columnar;
CREATE EXTENSION amcheck;
SET columnar.row_form_rows = 0;
CREATE TABLE c (id int PRIMARY KEY, k int, g int, r int4range) USING columnar;
INSERT INTO c SELECT i, i % 100, 0, int4range(i, i + 10) FROM generate_series(1, 10000) i;
CREATE TABLE h (LIKE c) USING heap;
INSERT INTO h SELECT * FROM c;
ALTER TABLE h ADD PRIMARY KEY (id);
});

# One client after the other holds an advisory lock to change the definition.
my $change = q{
\set id random(1, 10000)
\set k random(1, 100)
BEGIN;
};
my %scripts = (
	'update' => $change . join('', map { qq{
UPDATE $_ SET k = :k, g = g + 1 WHERE id = :id;
} } 'c', 'h') . "COMMIT;\n",
	'delete' => $change . join('', map { qq{
DELETE FROM $_ WHERE id = :id;
} } 'c', 'h') . "COMMIT;\n",
	'insert' => $change . join('', map { qq{
INSERT INTO $_ VALUES (:id, :k, 0, int4range(:id, :id + 10)) ON CONFLICT (id) DO UPDATE SET r = excluded.r, k = -$_.k;
} } 'c', 'h') . "COMMIT;\n",
	'undone' => $change . q{
UPDATE c SET id = -id, k = 0 WHERE k = :k;
ROLLBACK;
},
	'build' => q{
SELECT pg_try_advisory_lock(42)::int AS locked \gset
\if :locked
	DROP INDEX CONCURRENTLY IF EXISTS c_k;
	CREATE INDEX CONCURRENTLY c_k ON c (k);
	SELECT bt_index_check('c_k', true);
	DROP INDEX CONCURRENTLY IF EXISTS c_part;
	CREATE INDEX CONCURRENTLY c_part ON c (g) WHERE k > 50;
	SELECT bt_index_check('c_part', true);
	DROP INDEX CONCURRENTLY IF EXISTS c_r;
	CREATE INDEX CONCURRENTLY c_r ON c USING gist (r);
	REINDEX INDEX CONCURRENTLY c_pkey;
	SELECT bt_index_check('c_pkey', true);
	SELECT pg_advisory_unlock(42);
\endif
},
	'vacuum' => q{
SELECT pg_try_advisory_lock(42)::int AS locked \gset
\if :locked
	VACUUM c;
	SELECT pg_advisory_unlock(42);
\endif
});
my %weight = (
	'update' => 60, 'delete' => 10, 'insert' => 20, 'undone' => 4,
	'build' => 2, 'vacuum' => 1);

my $dir = PostgreSQL::Test::Utils::tempdir;
my @files;
for my $name (sort keys %scripts)
{
	append_to_file("$dir/$name", $scripts{$name});
	push @files, '-f', "$dir/$name\@$weight{$name}";
}
$node->command_ok(
	[
		'pgbench', '-n', '-c', 5, '-j', 2, '-t', 400,
		'--max-tries', 1000, '-h', $node->host, '-p', $node->port,
		@files, 'postgres'
	],
	'changes, builds and VACUUM');

sub compare
{
	my ($what) = @_;

	is( $node->safe_psql('postgres', q{
SELECT count(*) FROM ((TABLE c EXCEPT ALL TABLE h) UNION ALL (TABLE h EXCEPT ALL TABLE c)) d}),
		'0', "$what: same rows");
	is( $node->safe_psql('postgres', q{
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT count(k), sum(k) FROM c WHERE k > -1000}),
		$node->safe_psql('postgres', 'SELECT count(k), sum(k) FROM h'),
		"$what: an index-only scan");
	is( $node->safe_psql('postgres', q{
SET enable_seqscan = off; SET enable_indexscan = off;
SELECT count(*), sum(id) FROM c WHERE r && '[100,5000)'}),
		$node->safe_psql('postgres', q{SELECT count(*), sum(id) FROM h WHERE r && '[100,5000)'}),
		"$what: a bitmap scan");
	is( $node->safe_psql('postgres', q{
SELECT count(bt_index_parent_check(indexrelid, true, true)) FROM pg_index JOIN pg_class i ON i.oid = indexrelid
WHERE indrelid = 'c'::regclass AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree') AND indisvalid}),
		'3', "$what: indexes have every row");
	is($node->safe_psql('postgres', q{SELECT message FROM columnar_verify('c')}),
		'', "$what: sound");
}

# builds that met nothing but locks have left none
$node->safe_psql('postgres', "CREATE INDEX CONCURRENTLY IF NOT EXISTS $_")
  for 'c_k ON c (k)', 'c_part ON c (g) WHERE k > 50', 'c_r ON c USING gist (r)';
compare('changed');
$node->safe_psql('postgres', 'VACUUM c');
compare('vacuumed');

$node->stop;
done_testing();
