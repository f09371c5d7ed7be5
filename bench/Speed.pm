package Speed;

# Speed.pm - what measure.pl and report.pl of bench/speed share: the files of
# queries, and the records of what has been measured.
#
# A record is three files in RECORDS/NAME-PROCESSES/ENGINE: QUERY.sql, the
# statement; QUERY.ms, a line of times in milliseconds for each way to run it,
# after its name, or "error" and the message; QUERY.rows, the answer, with fields
# that end in \x1f and rows that end in \x1e.

use strict;
use warnings;

use Exporter 'import';
our @EXPORT = qw(read_suite read_file write_file record_path record_sql record_runs median best_run
  geometric_mean);

sub read_file
{
	my ($path) = @_;
	open(my $file, '<:raw', $path) or return undef;
	local $/;
	my $text = <$file>;
	return $text // '';
}

sub write_file
{
	my ($path, $text) = @_;
	open(my $file, '>:raw', $path) or die "could not write $path: $!\n";
	print $file $text;
	close($file) or die "could not write $path: $!\n";
	return;
}

# The queries of a file in order: name, title, sql, duckdb (its own statement, if
# that differs), compare ('all', 'none' or a list of columns from 0), collated.
# Only those that are named, where $only is not empty.
sub read_suite
{
	my ($path, $only) = @_;
	my %wanted = map { $_ => 1 } split /,/, $only // '';
	my @queries;
	my $part;

	for my $line (split /\n/, read_file($path) // die "could not read $path\n")
	{
		if ($line =~ /^-- (\w+): (.*)/)
		{
			push @queries, { name => $1, title => $2, sql => '', compare => 'all' };
			$part = 'sql';
		}
		elsif (!@queries || $line =~ /^--(?!!)/) { next }
		elsif ($line =~ /^--! compare (\S+)/)
		{
			my $what = $1;
			$queries[-1]{compare} = $what =~ /\d/ ? [ map { $_ - 1 } split /,/, $what ] : $what;
		}
		elsif ($line =~ /^--! collated/) { $queries[-1]{collated} = 1 }
		elsif ($line =~ /^--! duckdb/) { $part = 'duckdb' }
		elsif ($line =~ /\S/) { $queries[-1]{$part} .= "$line\n" }
	}
	for my $query (@queries)
	{
		s/;\s*\z// for grep { defined } @{$query}{qw(sql duckdb)};
	}
	my %known = map { $_->{name} => 1 } @queries;
	exists $known{$_} or die "no query $_ in $path\n" for keys %wanted;
	return grep { !%wanted || $wanted{ $_->{name} } } @queries;
}

sub record_path
{
	my ($option, $engine, $query, $kind) = @_;
	return "$option->{records}/$option->{name}-$option->{processes}/$engine/$query->{name}.$kind";
}

# The statement that $engine runs.
sub record_sql
{
	my ($engine, $query) = @_;
	return $engine eq 'duckdb' && $query->{duckdb} ? $query->{duckdb} : $query->{sql};
}

# What has been recorded for just this statement: way to run it => its times, or
# error => message; nothing if there is no record.
sub record_runs
{
	my ($option, $engine, $query) = @_;
	my $sql = read_file(record_path($option, $engine, $query, 'sql')) // return;
	my %runs;

	return if $sql ne record_sql($engine, $query);
	for my $line (split /\n/, read_file(record_path($option, $engine, $query, 'ms')) // '')
	{
		my ($way, $rest) = split /\t/, $line, 2;
		$runs{$way} = $way eq 'error' ? $rest : [ split /\t/, $rest ];
	}
	return %runs;
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	my $middle = int(@sorted / 2);
	return @sorted % 2 ? $sorted[$middle] : ($sorted[ $middle - 1 ] + $sorted[$middle]) / 2;
}

# The median of the best way to run a query, and that way.
sub best_run
{
	my (%runs) = @_;
	my @ways = sort { median(@{ $runs{$a} }) <=> median(@{ $runs{$b} }) }
	  grep { $_ ne 'error' } keys %runs;

	return if $runs{error} || !@ways;
	return (median(@{ $runs{ $ways[0] } }), $ways[0]);
}

sub geometric_mean
{
	my $sum = 0;
	$sum += log($_) for @_;
	return @_ ? exp($sum / @_) : undef;
}

1;
