# Sessions change, vacuum, compact and reindex a table; then one of them, or the
# server, is killed at a random moment.  After recovery every transaction that a
# client knows to be committed is there, the table holds what its heap twin
# holds, its indexes agree and it is sound.  Until then, the two were the same
# in every snapshot.
#
# COLUMNAR_CRASH_ROUNDS (12) and COLUMNAR_SEED, which decides what is sent and
# who is killed, but not when exactly.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);
use TwinTables;

my $rounds = $ENV{COLUMNAR_CRASH_ROUNDS} || 12;
my $seed = $ENV{COLUMNAR_SEED} || int(rand(1_000_000));
srand($seed);
$TwinTables::shared = 1;
note "seed $seed";

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => ['--data-checksums']);
$node->append_conf('postgresql.conf', q(
autovacuum = off
restart_after_crash = on
checkpoint_timeout = 30s
max_wal_size = 256MB
max_prepared_transactions = 5
deadlock_timeout = 20ms
));
$node->start;
$node->safe_psql('postgres', create_twins());
$node->safe_psql('postgres', 'CREATE TABLE sent (client int PRIMARY KEY, step int)');

# A client's statements, each transaction of which counts a step.  What it has
# read of that after its COMMIT is the client's log.
sub start_client
{
	my ($client, $maintenance) = @_;
	# both tables' statements must see the same transactions
	my $sql = "SET lock_timeout = '2s'; SET default_transaction_isolation = 'repeatable read';\n";
	my $step = 0;

	for (1 .. 400)
	{
		my @steps = random_step($maintenance);

		if ($steps[-1] eq 'COMMIT;')
		{
			$step++;
			splice @steps, -1, 0, "UPDATE sent SET step = $step WHERE client = $client;";
			push @steps, "SELECT 'step ' || step FROM sent WHERE client = $client;";
		}
		$sql .= join("\n", @steps) . "\n";
	}
	return start_session($client, $sql);
}

# One that compares the tables in snapshot after snapshot.
sub start_reader
{
	return start_session('reader', q{
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT unlike('live scan');
SELECT unlike_by_index();
SET LOCAL columnar.vector_scan = off;
SELECT unlike('live plain scan');
COMMIT;
} x 200);
}

sub start_session
{
	my ($client, $sql) = @_;
	my $self = { client => $client, out => '', in => $sql };
	$self->{run} = IPC::Run::start(
		[ 'psql', '-XqAt', '-d', $node->connstr('postgres') . " application_name=client$client" ],
		'<', \$self->{in}, '>', \$self->{out}, '2>', \$self->{err});
	return $self;
}

sub kill_somebody
{
	my @pids = split /\n/, $node->safe_psql('postgres',
		q{SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'client%'});

	my $log_end = -s $node->logfile;

	if (@pids && rand() < 0.6 && kill('KILL', $pids[ int(rand(@pids)) ]))
	{
		$node->wait_for_log(qr/all server processes terminated; reinitializing/, $log_end);
		return 'a session';
	}
	$node->stop('immediate');
	return 'the server';
}

for my $round (1 .. $rounds)
{
	$node->safe_psql('postgres', 'TRUNCATE c, h') if $round % 10 == 0;
	$node->safe_psql('postgres', 'TRUNCATE sent; INSERT INTO sent SELECT i, 0 FROM generate_series(1, 9) i');
	my @clients = map { start_client($_, $_ == 1 ? 0.9 : $_ == 2 ? 0.3 : 0.02) } 1 .. 5;

	my $end = Time::HiRes::time() + 0.1 + rand(1.2);
	my $reader = start_reader();
	while (Time::HiRes::time() < $end)
	{
		$_->{run}->pump_nb for @clients, $reader;
		usleep(5000);
	}
	my $killed = kill_somebody();
	for my $client (@clients, $reader)
	{
		# without its input, which it may never read
		eval { $client->{run}->pump_nb };
		eval { $client->{run}->finish };
	}
	if ($killed eq 'the server') { $node->start }
	else { $node->poll_query_until('postgres', 'SELECT true') }

	my $lost = $reader->{out} . join('', $reader->{err} =~ /^(ERROR: .*\n)/mg);
	for my $client (@clients)
	{
		my ($known) = (0, $client->{out} =~ /^step (\d+)$/mg)[-1];
		my $there = $node->safe_psql('postgres', "SELECT step FROM sent WHERE client = $client->{client}");

		$lost .= "client $client->{client}: $known committed, but $there there\n" if $there < $known;
		$lost .= "client $client->{client}: $1\n" while $client->{err} =~ /^(ERROR:  (?!savepoint|could not (?:serialize|obtain lock)|deadlock|canceling|current transaction|duplicate key).*)$/mg;
	}
	is($lost . twin_differences($node, 0), '', "seed $seed, round $round: killed $killed");
	if ($round % 3 == 0)
	{
		$node->safe_psql('postgres', "VACUUM c; SELECT columnar_compact('c'); VACUUM c");
		is(twin_differences($node, 1), '', "seed $seed, round $round: after VACUUM");
	}
}
$node->stop;
command_ok([ 'pg_checksums', '--check', '-D', $node->data_dir ], 'the checksums are right');
done_testing();
