# Sessions change, vacuum, compact and reindex a table; then one of them, or the
# server, is killed at a random moment.  After recovery every transaction that a
# client knows to be committed is there, the table holds what its heap twin
# holds, its indexes agree and it is sound.  Until then, the two were the same
# in every snapshot, and no process died but for the one killed.
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
my $session_dir = PostgreSQL::Test::Utils::tempdir;

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

# With files, since a pipe to a psql whose server is gone breaks, and then what
# it has printed is not read to the end.
sub start_session
{
	my ($client, $sql) = @_;
	my %files = map { $_ => "$session_dir/$client.$_" } qw(in out err);

	unlink values %files;
	append_to_file($files{in}, $sql);
	my $run = IPC::Run::start(
		[ 'psql', '-XqAt', '-d', $node->connstr('postgres') . " application_name=client$client" ],
		'<', $files{in}, '>', $files{out}, '2>', $files{err});
	return { client => $client, files => \%files, run => $run };
}

sub finish_session
{
	my ($self) = @_;

	$self->{run}->finish;
	$self->{$_} = slurp_file($self->{files}{$_}) for qw(out err);
}

# Returns whom it has killed, and the process.
sub kill_somebody
{
	my @pids = split /\n/, $node->safe_psql('postgres',
		q{SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'client%'});

	if (@pids && rand() < 0.6)
	{
		my $pid = $pids[ int(rand(@pids)) ];

		return ('a session', $pid) if kill('KILL', $pid);
	}
	$node->stop('immediate');
	return ('the server', 0);
}

# What the log says, from an offset on, of processes that died, but for one.
sub deaths
{
	my ($log_start, $killed_pid) = @_;
	my @lines = grep { /TRAP:|PANIC:|terminated by signal/ }
	  split /^/, slurp_file($node->logfile, $log_start);

	return join '', grep { !/\(PID $killed_pid\) was terminated by signal 9:/ } @lines;
}

for my $round (1 .. $rounds)
{
	$node->safe_psql('postgres', 'TRUNCATE c, h') if $round % 10 == 0;
	$node->safe_psql('postgres', 'TRUNCATE sent; INSERT INTO sent SELECT i, 0 FROM generate_series(1, 9) i');
	my $log_start = -s $node->logfile;
	my @clients = map { start_client($_, $_ == 1 ? 0.9 : $_ == 2 ? 0.3 : 0.02) } 1 .. 5;
	my $reader = start_reader();

	usleep(100_000 + int(rand(1_200_000)));
	my ($killed, $killed_pid) = kill_somebody();
	finish_session($_) for @clients, $reader;
	if ($killed eq 'the server') { $node->start }
	else
	{
		# not by trying, which may break the pipe to a psql that is turned away
		$node->wait_for_log(
			qr/terminated; reinitializing.*ready to accept connections/s, $log_start);
	}

	my $lost = deaths($log_start, $killed_pid) . $reader->{out} . join('', $reader->{err} =~ /^(ERROR: .*\n)/mg);
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
