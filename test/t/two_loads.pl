# Loads and upserts of many sessions into one table with a primary key: no
# deadlock, no more locks than in a heap table, every key once, no count lost.
#
# COLUMNAR_LOAD_ROWS (200000) is the number of rows of each of the two loads.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use IPC::Run qw(start finish);

my $rows = $ENV{COLUMNAR_LOAD_ROWS} || 200000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', qq(
max_locks_per_transaction = 10
max_wal_size = 2GB
deadlock_timeout = 100ms
));
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION columnar');

# Run statements in sessions at once; returns the largest number of locks that
# one of them was seen with, and what they have printed as errors.
sub run_at_once
{
	my @statements = @_;
	my @handles;
	my $nlocks = 0;

	foreach my $statement (@statements)
	{
		my $session = { out => '', err => '' };
		$session->{handle} = start(
			[
				'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1',
				'-d', $node->connstr('postgres'), '-c', $statement
			],
			'>', \$session->{out}, '2>', \$session->{err});
		push @handles, $session;
	}
	while (grep { $_->{handle}->pumpable } @handles)
	{
		my $now = $node->safe_psql('postgres', q(
			SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM pg_locks
			WHERE pid <> pg_backend_pid() GROUP BY pid) s));
		$nlocks = $now if $now > $nlocks;
		foreach my $session (@handles)
		{
			$session->{handle}->pump_nb if $session->{handle}->pumpable;
		}
		select undef, undef, undef, 0.05;
	}
	finish($_->{handle}) foreach @handles;
	return ($nlocks, join('', map { $_->{err} } @handles));
}

my %nlocks;
foreach my $am ('heap', 'columnar')
{
	$node->safe_psql('postgres',
		"CREATE TABLE loaded_$am (k bigint PRIMARY KEY, t text) USING $am");

	# keys of both alternate, so that they meet on every page of the index
	my ($most, $errors) = run_at_once(
		map { "INSERT INTO loaded_$am SELECT 2 * i + $_, 'row ' || i FROM generate_series(1, $rows) i" }
		  (0, 1));
	is($errors, '', "$am: two loads of disjoint keys");
	is( $node->safe_psql('postgres',
			"SELECT count(*), count(DISTINCT k), min(k), max(k) FROM loaded_$am"),
		join('|', 2 * $rows, 2 * $rows, 2, 2 * $rows + 1),
		"$am: every key is there once");
	$nlocks{$am} = $most;

	# the same keys from both ends: one fails, by the key or by deadlock
	$node->safe_psql('postgres',
		"CREATE TABLE same_$am (k bigint PRIMARY KEY) USING $am");
	($most, $errors) = run_at_once(
		"INSERT INTO same_$am SELECT i FROM generate_series(1, $rows) i",
		"INSERT INTO same_$am SELECT $rows + 1 - i FROM generate_series(1, $rows) i");
	like($errors, qr/^ERROR:  (duplicate key|deadlock detected)/,
		"$am: loads of the same keys");
	is( $node->safe_psql('postgres',
			"SELECT count(*), count(DISTINCT k) FROM same_$am"),
		"$rows|$rows", "$am: one of them is there");
}
note "a load's locks: $nlocks{heap} in heap, $nlocks{columnar} in columnar";
cmp_ok($nlocks{columnar}, '<=', $nlocks{heap} + 3, 'a load needs few locks');

# Many sessions count in few rows.
$node->safe_psql('postgres', q(
CREATE TABLE counted (k integer PRIMARY KEY, n integer) USING columnar;
CREATE TABLE counted_twice (k integer PRIMARY KEY, code text UNIQUE, n integer) USING columnar;
INSERT INTO counted_twice SELECT k, 'key ' || k, 0 FROM generate_series(1, 7) k;
));
my $clients = 8;
my $transactions = 200;
my $script = PostgreSQL::Test::Utils::tempdir . '/upsert.sql';
append_to_file($script, q(
\set k random(1, 7)
INSERT INTO counted AS c VALUES (:k, 1) ON CONFLICT (k) DO UPDATE SET n = c.n + 1;
UPDATE counted_twice SET n = n + 1 WHERE code = 'key ' || :k;
INSERT INTO counted_twice VALUES (:k, 'key ' || :k, 1) ON CONFLICT DO NOTHING;
));
$node->command_ok(
	[
		'pgbench', '--no-vacuum', "--client=$clients",
		"--transactions=$transactions", '--file', $script, 'postgres'
	],
	'upserts of few keys');
is( $node->safe_psql('postgres', 'SELECT count(*), sum(n) FROM counted'),
	'7|' . $clients * $transactions, 'no count is lost');
is( $node->safe_psql('postgres',
		'SELECT count(*), count(DISTINCT code), sum(n) FROM counted_twice'),
	'7|7|' . $clients * $transactions, 'nor with two unique indexes');
is( $node->safe_psql('postgres', q(
		SELECT count(*) FROM pg_class c JOIN pg_am a ON a.oid = relam AND amname = 'columnar',
		columnar_verify(c.oid) WHERE relkind = 'r')),
	'0', 'columnar_verify() finds nothing');

$node->stop;
done_testing();
