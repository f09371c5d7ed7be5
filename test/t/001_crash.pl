# Crashes at random moments of loads and of VACUUM: afterwards every committed
# row is there, no other is, and the table's pages add up.
use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $rounds = $ENV{COLUMNAR_CRASH_ROUNDS} || 6;
my $seed   = $ENV{COLUMNAR_SEED}         || int(rand(1_000_000));
srand($seed);
note "seed $seed";

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => ['--data-checksums']);
$node->append_conf('postgresql.conf', qq(
autovacuum = off
checkpoint_timeout = 30s
max_wal_size = 64MB
));
$node->start;
$node->safe_psql('postgres', q(
CREATE EXTENSION columnar;
CREATE TABLE t (batch integer, i integer, note text) USING columnar;
CREATE INDEX t_i ON t (i);
CREATE TABLE batches (batch integer, rows integer);
CREATE PROCEDURE load(first integer, sizes integer[]) LANGUAGE plpgsql AS $$
BEGIN
	FOR b IN 1..10000 LOOP
		INSERT INTO t SELECT first + b, i, 'note ' || i % 97
			FROM generate_series(1, sizes[b % cardinality(sizes) + 1]) i;
		IF b % 5 = 4 THEN
			ROLLBACK;
		ELSE
			INSERT INTO batches VALUES (first + b, sizes[b % cardinality(sizes) + 1]);
			COMMIT;
		END IF;
	END LOOP;
END $$;
));

# What psql does in the background until the server is killed.
sub in_background
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');
	return IPC::Run::start(
		[ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-c', $sql ],
		'>', \$out, '2>', \$err);
}

for my $round (1 .. $rounds)
{
	my @sessions = (
		in_background("CALL load($round * 100000, ARRAY[1, 7, 300, 12000])"),
		in_background("CALL load($round * 100000 + 50000, ARRAY[70000, 20, 2000])"));
	my $vacuum =
	  in_background("SELECT pg_sleep(0.05); \\\\ VACUUM t");
	usleep(100_000 + int(rand(900_000)));
	$node->stop('immediate');
	$_->finish for (@sessions, $vacuum);
	$node->start;

	is($node->safe_psql('postgres', q(
		SELECT coalesce(b.batch, x.batch) AS batch, b.rows, x.n FROM batches b
		FULL JOIN (SELECT batch, count(*) AS n FROM t GROUP BY batch) x ON x.batch = b.batch
		WHERE b.rows IS DISTINCT FROM x.n)),
		'', "round $round: committed batches and no others");
	is($node->safe_psql('postgres', q(
		SET enable_seqscan = off;
		SELECT count(*) - (SELECT count(*) FROM batches WHERE rows >= 7) FROM t WHERE i = 7)),
		'0', "round $round: by index too");
	# pages that a crash has cut off from their table are left for VACUUM
	is($node->safe_psql('postgres',
		q(SELECT * FROM columnar_verify('t') WHERE message !~ 'neither used nor free')),
		'', "round $round: nothing is damaged");

	# the next load continues
	$node->safe_psql('postgres', qq(
		INSERT INTO batches VALUES ($round, 10000);
		INSERT INTO t SELECT $round, i, 'after' FROM generate_series(1, 10000) i));
	if ($round % 2 == 0)
	{
		$node->safe_psql('postgres', 'VACUUM t');
		is($node->safe_psql('postgres', q(SELECT * FROM columnar_verify('t'))),
			'', "round $round: nothing is lost after VACUUM");
	}
}

# unlogged tables are empty and usable after a crash
$node->safe_psql('postgres', q(
	CREATE UNLOGGED TABLE u (a integer PRIMARY KEY) USING columnar;
	INSERT INTO u SELECT generate_series(1, 20000)));
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', 'SELECT count(*) FROM u'), '0', 'an unlogged table is empty');
$node->safe_psql('postgres', 'INSERT INTO u SELECT generate_series(1, 20000)');
is($node->safe_psql('postgres', 'SELECT count(*), sum(a) FROM u'), '20000|200010000', 'and works');
is($node->safe_psql('postgres', q(SELECT * FROM columnar_verify('u'))), '', 'and is whole');

$node->stop;
command_ok([ 'pg_checksums', '--check', '-D', $node->data_dir ], 'the checksums are right');

done_testing();
