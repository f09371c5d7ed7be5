#!/usr/bin/perl
#
# report.pl - compare the recorded answers and print times, ratios and a plot
#
# To be called by bench/speed.  Fails if answers differ or a query failed.
#
# Answers are equal if they have the same rows in any order.  A column counts as
# inexact if some value of it is written with a decimal point or exponent in any
# of the answers; its values may differ by a millionth of the greater one between
# heap and DuckDB (which divides decimals as floats and prints a real as the
# double it is), by a millionth of that between heap and columnar.  All other
# values must be the same text.  Where a LIMIT leaves open which of several equal
# rows are kept, the query's file says which columns are comparable.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Getopt::Long;
use List::Util qw(max min);

use lib dirname(abs_path(__FILE__));
use Speed;

my %option;
GetOptions(\%option, map { "$_=s" } qw(name suite records processes queries settings loaded plot clock))
  or exit 2;
my @engines = qw(heap columnar duckdb);

# ---- answers -------------------------------------------------------------------

# The rows of a recorded answer, as far as they are to be compared.
sub read_rows
{
	my ($engine, $query) = @_;
	my $text = read_file(record_path(\%option, $engine, $query, 'rows')) // return;
	my @rows = map { [ split /\x1f/, $_, -1 ] } split /\x1e/, $text =~ s/\x1e?\n?\z//r, -1;

	@rows = () if $text eq '';
	return [ scalar @rows ] if $query->{compare} eq 'none';
	return [ map { [ @{$_}[ @{ $query->{compare} } ] ] } @rows ] if ref $query->{compare};
	return \@rows;
}

sub is_number { return $_[0] =~ /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i }

# For each column, whether a value in some of the answers is a fraction.
sub inexact_columns
{
	my @inexact;
	for my $row (map { @$_ } @_)
	{
		for my $i (0 .. $#$row)
		{
			$inexact[$i] ||= $row->[$i] =~ /[.e]/i && is_number($row->[$i]);
		}
	}
	return @inexact;
}

# Rows by their exact columns, then by the values of the others.
sub sort_rows
{
	my ($rows, @inexact) = @_;
	my @exact = grep { !$inexact[$_] } 0 .. $#inexact;
	my @fractions = grep { $inexact[$_] } 0 .. $#inexact;
	my %key = map { ($_ => join "\x1f", @{$_}[@exact]) } @$rows;

	return sort {
		my $order = $key{$a} cmp $key{$b};
		for my $i (@fractions)
		{
			last if $order;
			my ($x, $y) = ($a->[$i], $b->[$i]);
			$order = is_number($x) && is_number($y) ? $x <=> $y : $x cmp $y;
		}
		$order;
	} @$rows;
}

sub values_agree
{
	my ($x, $y, $tolerance) = @_;
	return 1 if $x eq $y;
	return 0 if !$tolerance || !is_number($x) || !is_number($y);
	return abs($x - $y) <= $tolerance * max(abs $x, abs $y);
}

# Nothing if the answers agree, else where they do not.
sub difference
{
	my ($one, $other, $tolerance) = @_;

	return 'number of rows: ' . @$one . ' and ' . @$other if @$one != @$other;
	if (!ref($one->[0] // []))
	{
		return $one->[0] == $other->[0] ? undef : "number of rows: $one->[0] and $other->[0]";
	}
	my @inexact = inexact_columns($one, $other);
	my @one = sort_rows($one, @inexact);
	my @other = sort_rows($other, @inexact);
	for my $r (0 .. $#one)
	{
		for my $i (0 .. $#{ $one[$r] })
		{
			my ($x, $y) = ($one[$r][$i], $other[$r][$i] // 'nothing');
			return "$x and $y" if !values_agree($x, $y, $inexact[$i] ? $tolerance : 0);
		}
	}
	return;
}

# What disagrees, as text; heap (or, without it, columnar) is compared with the
# others.
sub disagreement
{
	my ($query, %time) = @_;
	my ($base, @others) = grep { defined $time{$_} } @engines;
	my @found;

	for my $other (@others)
	{
		next if $other eq 'duckdb' && $query->{collated} && $option{name} =~ /-icu/;
		my $tolerance = $other eq 'duckdb' ? 1e-6 : 1e-12;
		my $where = difference(read_rows($base, $query) // [], read_rows($other, $query) // [], $tolerance);
		push @found, "$base and $other differ: $where" if defined $where;
	}
	return join '; ', @found;
}

# ---- the table -----------------------------------------------------------------

sub number
{
	my ($value, $width) = @_;
	return sprintf '%*s', $width, '-' if !defined $value;
	return sprintf '%*.*f', $width, $value < 10 ? 2 : $value < 1000 ? 1 : 0, $value;
}

sub heading
{
	return "$option{name}, processes: $option{processes}, "
	  . ($option{clock} eq 'cpu' ? 'processor time' : 'time elapsed');
}

sub print_head
{
	my %server = map { split / = /, $_, 2 } split /\n/, read_file($option{settings});
	my ($cpu) = (read_file('/proc/cpuinfo') // '') =~ /^model name\s*: (.*)/m;
	my $version = `psql -XqAtc 'SELECT version()'` =~ s/ on .*//sr;
	my $duckdb = (read_file("$option{records}/duckdb.version") // 'none') =~ s/\s+\z//r;

	print "\n", heading(), "\n\n";
	print "$version, DuckDB $duckdb, ", $cpu // 'unknown processor', "\n";
	print join(', ', map { "$_ $server{$_}" } grep { exists $server{$_} }
		qw(shared_buffers work_mem max_parallel_workers_per_gather random_page_cost)), "\n";
	print 'loaded: ', join('; ', split /\n/, read_file($option{loaded})), "\n\n";
	printf "%-14s %9s %9s %9s   %10s %10s   %s\n", 'milliseconds', @engines, 'heap is', 'DuckDB is', '';
	print '-' x 78, "\n";
	return;
}

sub print_query
{
	my ($query) = @_;
	printf "%-14s %s %s %s   %s x %s x   %s\n", $query->{name},
	  (map { number($query->{time}{$_}, 9) } @engines),
	  (map { number($query->{ratio}{$_}, 8) } qw(heap duckdb)),
	  $query->{remark} || $query->{title};
	return;
}

sub read_times
{
	my ($query) = @_;
	my (%time, @remarks);

	for my $engine (@engines)
	{
		my %runs = record_runs(\%option, $engine, $query);
		($time{$engine}) = best_run(%runs);
		push @remarks, "$engine: $runs{error}" if $runs{error};
	}
	push @remarks, disagreement($query, %time);
	$query->{time} = \%time;
	$query->{remark} = join '; ', grep { $_ ne '' } @remarks;
	for my $other (qw(heap duckdb))
	{
		$query->{ratio}{$other} = $time{$other} / $time{columnar}
		  if defined $time{$other} && $time{columnar};
	}
	return;
}

# ---- the plot ------------------------------------------------------------------

my %colour = (heap => '#8a8f98', columnar => '#d1495b', duckdb => '#2a78b8');
my %label = (heap => 'heap', columnar => 'columnar', duckdb => 'DuckDB');

sub escape { return $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr }

sub svg_text
{
	my ($x, $y, $text, $more) = @_;
	return sprintf qq(<text x="%.1f" y="%.1f" %s>%s</text>\n), $x, $y, $more // '', escape($text);
}

# One line for each query, with a dot for each engine on a logarithmic scale.
sub plot
{
	my ($path, $heading, @queries) = @_;
	my ($left, $width, $row, $top) = (300, 620, 18, 92);
	my @times = grep { defined } map { values %{ $_->{time} } } @queries;
	return if !@times;
	my $low = int(log(max(min(@times), 0.01)) / log(10) + 10) - 10;
	my $high = int(log(max(@times)) / log(10) + 11) - 10;
	my $x = sub { $left + $width * (log(max($_[0], 0.01)) / log(10) - $low) / ($high - $low) };
	my $bottom = $top + $row * @queries;
	my $svg = sprintf qq(<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" )
	  . qq(font-family="sans-serif" font-size="12">\n<rect width="100%%" height="100%%" fill="white"/>\n),
	  $left + $width + 40, $bottom + 50;

	$svg .= svg_text(16, 26, $heading->[0], 'font-size="16" font-weight="bold"');
	$svg .= svg_text(16, 48, $heading->[1], 'fill="#555"');
	for my $i (0 .. $#engines)
	{
		my $at = $left + 110 * $i;
		$svg .= qq(<circle cx="$at" cy="70" r="5" fill="$colour{$engines[$i]}"/>\n);
		$svg .= svg_text($at + 10, 74, $label{ $engines[$i] });
	}
	for my $power ($low .. $high)
	{
		my $at = sprintf '%.1f', $x->(10**$power);
		$svg .= qq(<line x1="$at" y1="$top" x2="$at" y2="$bottom" stroke="#ddd"/>\n);
		$svg .= svg_text($at, $bottom + 18, 10**$power . ' ms', 'text-anchor="middle" fill="#555"');
	}
	for my $q (0 .. $#queries)
	{
		$svg .= plot_query($queries[$q], $top + $row * ($q + 0.5), $left, $x);
	}
	write_file($path, "$svg</svg>\n");
	return;
}

sub plot_query
{
	my ($query, $y, $left, $x) = @_;
	my @dots = map { [ $_, sprintf '%.1f', $x->($query->{time}{$_}) ] }
	  grep { defined $query->{time}{$_} } @engines;
	my $svg = svg_text($left - 10, $y + 4, "$query->{name}: $query->{title}", 'text-anchor="end"');

	return $svg if !@dots;
	my @at = map { $_->[1] } @dots;
	$svg .= sprintf qq(<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="#bbb"/>\n), min(@at), $y, max(@at), $y;
	$svg .= qq(<circle cx="$_->[1]" cy="$y" r="4.5" fill="$colour{$_->[0]}"/>\n) for @dots;
	return $svg;
}

# ---- all -----------------------------------------------------------------------

my @queries = read_suite($option{suite}, $option{queries});
my @means;

print_head();
for my $query (@queries)
{
	read_times($query);
	print_query($query);
}
print '-' x 78, "\n";
for my $other (qw(heap duckdb))
{
	my @ratios = grep { defined } map { $_->{ratio}{$other} } @queries;
	next if !@ratios;
	my $slower = grep { $_ < 1 } @ratios;
	push @means, sprintf '%s takes %.2f times as long as columnar', $label{$other}, geometric_mean(@ratios);
	printf "%s in the geometric mean of %d queries; columnar is the slower one in %d\n",
	  $means[-1], scalar @ratios, $slower;
}
plot($option{plot}, [ heading(), join('; ', @means) . ' (geometric mean)' ], @queries);
print "plot: $option{plot}\n";
exit 1 if grep { $_->{remark} } @queries;
