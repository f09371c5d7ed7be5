#!/usr/bin/perl
#
# measure.pl - run the queries of a suite on heap, columnar and DuckDB in turn
#
# To be called by bench/speed, which describes the options that matter.  PGHOST
# and the like name the server; the tables are in the schemas NAME_heap and
# NAME_columnar.  Each engine is a process that is held open: a psql, and
# duckdb.mjs.  Speed.pm says what is recorded.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use Getopt::Long;
use IO::Handle;
use IPC::Open2;
use Time::HiRes qw(clock_gettime sleep);

use lib dirname(abs_path(__FILE__));
use Speed;

# Timed runs of one query in one way stop after so many milliseconds.
use constant ENOUGH => 30_000;

# A statement may take so many milliseconds.
use constant LIMIT => 1_200_000;

my %option = (set => []);
GetOptions(\%option, map({ "$_=s" } qw(name suite schema records processes repeats heap duckdb
	  queries database extras output clock)), 'set=s@')
  or exit 2;
my $sql_file = "$option{records}/statement.sql";

# ---- the server ----------------------------------------------------------------

sub start_psql
{
	my ($engine, @settings) = @_;
	my %session = (engine => $engine);

	local $ENV{PGOPTIONS} = join ' ', map { "-c $_" } "search_path=$option{schema}_$engine,public",
	  'statement_timeout=' . LIMIT, @settings;
	$session{process} = open2($session{from}, $session{to}, 'stdbuf', '-oL', 'psql', '-XqAt',
		'-P', 'null=\N', '-P', 'fieldsep=' . "\x1f", '-P', 'recordsep=' . "\x1e");
	ask_psql(\%session, "\\timing on\n");
	my ($pid) = ask_psql(\%session, "SELECT pg_backend_pid() \\g (recordsep='\\n')\n");
	$session{pid} = $pid =~ s/\D//gr;
	return \%session;
}

# What psql prints for some input.
sub ask_psql
{
	my ($session, $input) = @_;
	my ($to, $from) = @{$session}{qw(to from)};
	my @lines;

	print $to $input, "\n\\echo\n\\echo done\n";
	$to->flush;
	while (my $line = <$from>)
	{
		last if $line eq "done\n";
		push @lines, $line;
	}
	return @lines;
}

# Run a statement and take the time that psql takes.
sub run_psql
{
	my ($session, $sql, $rows_file) = @_;
	my $output = $rows_file eq '-' ? '/dev/null' : $rows_file;
	my @lines = ask_psql($session, "\\o $output\n$sql;\n\\o\n\\echo error :LAST_ERROR_MESSAGE :ERROR\n");
	my ($ms, $error);

	for my $line (@lines)
	{
		$ms = $1 if $line =~ /^Time: ([\d.]+) ms/;
		$error = $1 if $line =~ /^error (.*) true$/;
	}
	return (undef, $error) if defined $error;
	return defined $ms ? ($ms, undef) : (undef, 'the connection is lost');
}

# ---- DuckDB --------------------------------------------------------------------

sub start_duckdb
{
	my %session = (engine => 'duckdb');
	$session{process} = open2($session{from}, $session{to}, 'node',
		dirname(abs_path(__FILE__)) . '/duckdb.mjs', $option{database}, $option{processes}, 'serve');
	my $version = readline $session{from};
	write_file("$option{records}/duckdb.version", $version // die "could not start DuckDB\n");
	return \%session;
}

sub run_duckdb
{
	my ($session, $sql, $rows_file) = @_;
	my ($to, $from) = @{$session}{qw(to from)};

	write_file($sql_file, $sql);
	print $to "$sql_file $rows_file\n";
	$to->flush;
	my $answer = <$from> // 'error DuckDB is gone';
	chomp $answer;
	return $answer =~ /^ms ([\d.]+)/ ? ($1, undef) : (undef, $answer =~ s/^error //r);
}

# ---- one query -----------------------------------------------------------------

# Milliseconds that the threads of a process have run until now: Linux numbers
# the clock of a process after the complement of its id.
sub processor_time
{
	my ($pid) = @_;
	return 1000 * clock_gettime((-$pid - 1) * 8 + 2);
}

# Run a statement: (milliseconds, undef) or (undef, message).
sub run_once
{
	my ($session) = @_;
	my $pid = $session->{pid} // $session->{process};
	my $before = processor_time($pid);
	my ($ms, $error) = $session->{engine} eq 'duckdb' ? run_duckdb(@_) : run_psql(@_);

	return ($ms, $error) if $option{clock} eq 'wall' || defined $error;
	return (processor_time($pid) - $before, undef);
}

# Run a query one way for the record: (times with tabs between, undef) or
# (undef, message).
sub run_way
{
	my ($session, $sql) = @_;
	my (@times, $error);
	my $sum = 0;

	while (!defined $error && @times < $option{repeats} && $sum < ENOUGH)
	{
		my $ms;
		($ms, $error) = run_once($session, $sql, '-');
		push @times, $ms // next;
		$sum += $ms;
	}
	return (join("\t", @times), $error);
}

# The ways in which an engine runs queries: name => the setting it needs.
sub ways
{
	my ($engine) = @_;
	return $engine eq 'heap' ? ([ 'jit off', 'SET jit = off' ], [ 'jit on', 'SET jit = on' ])
	  : $engine eq 'columnar' ? ([ 'jit off', undef ]) : ([ 'warm', undef ]);
}

# Run a query once to warm up, keeping its answer, and then in all ways.
sub measure
{
	my ($session, $query) = @_;
	my $engine = $session->{engine};
	my $sql = record_sql($engine, $query);
	my $lines = '';

	unlink record_path(\%option, $engine, $query, 'sql');
	my (undef, $error) = run_once($session, $sql, record_path(\%option, $engine, $query, 'rows'));
	for my $way (defined $error ? () : ways($engine))
	{
		my ($name, $setting) = @$way;
		my $result;
		ask_psql($session, "$setting;\n") if $setting;
		($result, $error) = run_way($session, $sql);
		last if defined $error;
		$lines .= "$name\t$result\n";
	}
	$lines = "error\t$error\n" if defined $error;
	write_file(record_path(\%option, $engine, $query, 'ms'), $lines);
	write_file(record_path(\%option, $engine, $query, 'sql'), $sql);
	return;
}

# ---- plans and profiles ----------------------------------------------------------

sub explain
{
	my ($session, $query, $folder) = @_;
	my @lines = ask_psql($session,
		"EXPLAIN (ANALYZE, VERBOSE, BUFFERS) $query->{sql} \\g (recordsep='\\n')\n");
	write_file("$folder/$query->{name}.plan", join '', "$query->{sql};\n\n", grep { !/^Time:/ } @lines);
	return;
}

# Run a query for two seconds and say which functions took the time.
sub profile
{
	my ($session, $query, $folder) = @_;
	my $data = "$folder/$query->{name}.data";
	my $perf = fork // die "could not fork: $!\n";

	if ($perf == 0)
	{
		open(STDERR, '>', '/dev/null');
		exec 'perf', 'record', '-q', '-o', $data, '-p', $session->{pid} or exit 1;
	}
	sleep 0.3;
	for (my $ms = 0; $ms < 2000;)
	{
		my ($once, $error) = run_psql($session, $query->{sql}, '-');
		last if defined $error;
		$ms += $once + 1;
	}
	kill 'INT', $perf;
	waitpid $perf, 0;
	my $report = `perf report --stdio --no-children --sort dso,symbol -i '$data' 2>/dev/null`;
	write_file("$folder/$query->{name}.profile", top_functions($report));
	unlink $data;
	return;
}

# The thirty greatest functions of perf's report; what a stripped program does
# outside the functions that it exports is one of them.
sub top_functions
{
	my ($report) = @_;
	my %share;

	while ($report =~ /^\s+([\d.]+)%\s+(\S+)\s+\[.\]\s+(\S+)/mg)
	{
		my ($percent, $object, $function) = ($1, $2, $3);
		$share{ "$object " . ($function =~ /^0x/ ? '(no symbol)' : $function) } += $percent;
	}
	my @top = sort { $share{$b} <=> $share{$a} } keys %share;
	return join '', map { sprintf "%6.2f%% %s\n", $share{$_}, $_ } splice @top, 0, 30;
}

# ---- all -------------------------------------------------------------------------

sub is_needed
{
	my ($engine, $query) = @_;
	return 1 if $engine eq 'columnar' || $option{$engine} eq 'measure';
	return 0 if $option{$engine} ne 'reuse';
	my %runs = record_runs(\%option, $engine, $query);
	return !%runs;
}

my @queries = read_suite($option{suite}, $option{queries});
my %session;
my $extra_folder = "$option{output}/speed-$option{name}-$option{processes}";

make_path(map { "$option{records}/$option{name}-$option{processes}/$_" } qw(heap columnar duckdb));
make_path($extra_folder) if $option{extras};
for my $query (@queries)
{
	my @said;
	for my $engine (qw(heap columnar duckdb))
	{
		next if !is_needed($engine, $query);
		$session{$engine} //= $engine eq 'duckdb' ? start_duckdb()
		  : start_psql($engine, $engine eq 'columnar' ? ('jit=off', @{ $option{set} }) : ());
		measure($session{$engine}, $query);
		my ($ms) = best_run(record_runs(\%option, $engine, $query));
		push @said, defined $ms ? sprintf('%s %.1f ms', $engine, $ms) : "$engine failed";
		delete $session{$engine} if !defined $ms;
	}
	explain($session{columnar}, $query, $extra_folder) if $option{extras} =~ /explain/ && $session{columnar};
	profile($session{columnar}, $query, $extra_folder) if $option{extras} =~ /profile/ && $session{columnar};
	printf STDERR "%s %s: %s\n", $option{name}, $query->{name}, join ', ', @said;
}
for my $session (values %session)
{
	close $session->{to};
	waitpid $session->{process}, 0;
}
unlink $sql_file;
