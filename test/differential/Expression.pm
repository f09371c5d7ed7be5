# Expression.pm - random expressions of a type, over the columns in scope
#
# A scope says what an expression may use and gathers what it has used:
#
#	columns		columns (see Tables.pm) whose "sql" is how to name them
#	samples		some values of each, for constants
#	collation	the one collation that texts of this query have
#	exact		floats must add up to the same in any order
#	risky		errors may come; "risks" gathers their SQLSTATEs
#	params		constants become parameters, which are gathered here
#	inner		tables for subqueries, large one that no row needs anew
#
# Everything is drawn from rand().
package Expression;

use strict;
use warnings;
use Exporter 'import';
use Values qw(pick chance between);
use Tables qw(literal);

our @EXPORT = qw(expression condition column_of any_column constant types_of has_ties has_minmax canonical);

# Types without btree operators or min(), types whose equal values may look
# different, and an expression that is the same for these.
my %has_no_minmax = map { $_ => 1 } qw(bool bytea uuid jsonb), '"char"';
my %canonical = (
	float4 => '(%s + 0::float4)', float8 => '(%s + 0::float8)', numeric => 'trim_scale(%s)', interval => 'interval_hash(%s)',
	jsonb => 'jsonb_hash(%s)', bpchar => '(%s)::text'
);

sub has_minmax { my ($type) = @_; return !$has_no_minmax{$type} }

sub has_ties
{
	my ($type, $scope) = @_;
	return exists $canonical{$type} || $type eq 'text' && $scope->{collation} eq 'q.nocase';
}

# What is the same for all equal values of a type, or undef.
sub canonical
{
	my ($type, $sql, $scope) = @_;
	return sprintf($canonical{$type}, $sql) if exists $canonical{$type};
	return $type eq 'text' && $scope->{collation} eq 'q.nocase' ? undef : $sql;
}

# ---- columns and constants -----------------------------------------------------

sub fits
{
	my ($column, $type, $want, $scope) = @_;

	return 0 if $column->{type} ne $type || $want && !$column->{$want};
	return 0 if $scope->{exact} && $type =~ /^float/ && !$column->{exact};
	return $type ne 'text' || ($column->{collation} // '') eq $scope->{collation};
}

sub column_of
{
	my ($type, $scope, $want) = @_;
	my @fit = grep { fits($_, $type, $want, $scope) } @{ $scope->{columns} };

	return @fit ? pick(@fit) : undef;
}

# Any column that an expression may use.
sub any_column
{
	my ($scope) = @_;
	my @fit = grep { fits($_, $_->{type}, undef, $scope) } @{ $scope->{columns} };

	return @fit ? pick(@fit) : undef;
}

sub types_of
{
	my ($scope) = @_;
	my %types = map { $_->{type} => 1 } grep { fits($_, $_->{type}, undef, $scope) } @{ $scope->{columns} };

	return sort keys %types;
}

# Constants where there is no column to take one from.
my %constants = (
	bool => [qw(true false)], int2 => [ 0, 1, -3, 7 ], int4 => [ 0, 1, -1, 7, 100, 1000 ], int8 => [ 0, 1, 42, 1000000 ],
	float4 => [qw(0 1 -0.5 2.25)], float8 => [qw(0 1 -0.5 2.25 100)], numeric => [qw(0 1 1.0 -0.50 3.14159 100)],
	date => [qw(2000-01-01 2001-02-28 2003-06-30)], time => [qw(00:00 12:30:15)], timestamp => [ '2000-01-01', '2001-07-01 12:30:15.5' ],
	timestamptz => [ '2000-01-01 00:00+00', '2001-07-01 12:30:15+02' ], interval => [ '1 day', '24 hours', '1 mon', '-3 h', '0' ],
	text => [ '', 'a', 'A', 't1', 'v 2', 'zz', 'http://1' ], bpchar => [ 'a', 'ab ', '1' ], bytea => [ '\x', '\x00' ], uuid => ['ffffffff-ffff-ffff-ffff-ffffffffffff'],
	'q.mood' => [qw(sad happy)], 'int4[]' => [ '{}', '{1,NULL,3}' ], jsonb => [ 'null', '1.0' ], oid => [ 0, 5 ], '"char"' => ['x'],
	timetz => ['00:00+02'], inet => ['10.0.0.7'], money => ['1.5']
);

sub constant
{
	my ($type, $scope, $column) = @_;
	my $text;

	$column //= column_of($type, $scope);
	if ($column && $column->{type} eq $type && chance(0.85))
	{
		my $samples = $scope->{samples}{ $column->{of} // '' };
		$text = pick(@$samples) if $samples && @$samples;
	}
	$text //= pick(@{ $constants{$type} });
	return "NULL::$type" if chance(0.007);
	if ($scope->{params} && chance(0.5))
	{
		push @{ $scope->{params} }, { type => $type, value => literal($text, $type) };
		return '$' . scalar @{ $scope->{params} };
	}
	return literal($text, $type);
}

# ---- templates -----------------------------------------------------------------

# How to make an expression of a type.  {type} is another one, {type:small} a
# column that is so, {type:const} a constant; %[a|b] is a choice.  After "!"
# come the SQLSTATEs of errors that it may raise.
my %templates = (
	bool => [ 'q.even({int4})', '({int4} > 5)', "({text} ~~ 't%')" ],
	int2 => [ '(-{int2:small})', '({int4:small} % 100)::int2', '({int2} %[&|#] {int2})', '({int2} + {int2}) !22003', '({int4})::int2 !22003', '({int2} / {int2}) !22003,22012' ],
	int4 => [
		'({int4:small} %[+|-|*] {int4:small})', '({int4:small} %[+|-|*] {int4:const}) !22003', '({int4:small} %[+|-] {int2:small})', '({int4:small} % %[3|7|-10|1000])',
		'({int4} / %[2|-3|10])', '(-{int4:small})', 'abs({int4:small})', 'length({text})', 'char_length({text})', 'octet_length({text})', 'strpos({text}, %[\'a\'|\'1\'|\'://\'])',
		'({int4} %[&|\||#] {int4})', '(~ {int4})', '({int4:small} %[<<|>>] %[1|3|31])', '({date:small} - {date:small})', '{int2}::int4', 'extract(%[year|month|day|dow|doy|quarter|isodow] from {date:small})::int4',
		'extract(%[hour|minute] from {timestamp:small})::int4', 'q.half({int4})', 'q.or_zero({int4})', '({bool})::int4', 'ascii({text})', 'cardinality({int4[]})', '({int4[]})[1]',
		'({int4} %[+|-|*] {int4}) !22003', '({int4} / {int4}) !22003,22012', '({int4} % {int4}) !22012', '({int8})::int4 !22003', '({numeric})::int4 !22003,0A000', '({float8})::int4 !22003', 'abs({int4}) !22003', '({text})::int4 !22P02,22003',
		'date_part(\'%[year|month]\', {timestamp:small})::int4', 'length({bpchar})', 'length({bytea})', 'width_bucket({int4}, 0, 1000, 10)'
	],
	int8 => [
		'({int8:small} %[+|-|*] {int4:small})', '({int8} / %[2|10|1000])', '({int8} % %[7|100])', '{int4}::int8', '({int4}::int8 * {int4}::int8)', '({int8} %[&|#] {int8})', 'hashtextextended({text}, 0) % 1000',
		'({int8} %[+|-|*] {int8}) !22003', '({int8} / {int8}) !22003,22012', '({int8} %[+|*] {int4}) !22003', '(- {int8}) !22003', '({numeric})::int8 !22003,0A000', 'extract(epoch from {timestamp:small})::int8', 'round({float8:small})::int8'
	],
	float4 => [ '({float4:small} %[+|-|*] {float4:small})', '(-{float4})', '{int4:small}::float4', 'abs({float4})', '({float4} %[+|-|*] {float4}) !22003', '({float4} / {float4}) !22012,22003', '({float8})::float4 !22003' ],
	float8 => [
		'({float8:small} %[+|-|*] {float8:small})', '({float8:small} * 0.5)', '(-{float8})', 'abs({float8})', '{int4}::float8', '{float4}::float8', '({float8:small} + {int4:small})', 'floor({float8})', 'ceil({float8})', 'sqrt(abs({float8}))', 'trunc({float8})', 'sign({float8})',
		'({float8} / 4.0)', '({float8} %[+|-|*] {float8}) !22003', '({float8} / {float8}) !22012,22003', 'ln({float8}) !2201E', 'power({float8}, 2) !22003', '{numeric:small}::float8', 'exp({float8:small} / 100) !22003', '({numeric})::float8 !22003',
		'date_part(\'epoch\', {timestamp:small})'
	],
	numeric => [
		'({numeric} %[+|-|*] {numeric})', '({numeric:small} %[+|-|*] {numeric:small})', '({numeric} * %[2|0.50|-1.0|1.10])', '(1 - {numeric:small})', '(-{numeric})', 'abs({numeric})', 'round({numeric}, %[0|1|2|-1])', 'trunc({numeric}, %[0|1])', 'floor({numeric})', 'ceil({numeric})', 'sign({numeric})',
		'{int4}::numeric', '{int8}::numeric', 'factorial({int2:small}) !22003', '({numeric} / nullif({numeric}, 0))', '({numeric} % nullif({numeric}, 0))', '({numeric:small} / %[3|7.0])', 'trim_scale({numeric})', '({numeric:small} + {int4:small})', 'extract(%[epoch|second|month|year|microseconds] from {timestamp:small})', 'extract(%[epoch|hour|second] from {interval:small})',
		'extract(%[epoch|year|day|century|julian] from {date})', 'extract(%[epoch|hour|millisecond] from {time})', 'extract(%[epoch|dow|year] from {timestamptz})', '({numeric} / {numeric}) !22012', '({numeric})::numeric(6,1) !22003', '({numeric} % {numeric}) !22012', '({text})::numeric !22P02,22003', '{float8:small}::numeric'
	],
	date => [
		"({date:small} %[+|-] {int4:small})", '({timestamp})::date', "date_trunc('%[month|year|week]', {timestamp:small})::date", 'greatest({date}, {date})', '({timestamptz})::date', '({date} + {int4}) !22008', "make_date(2000 + abs({int2:small}), 1 + abs({int2:small}) % 12, 3)",
	],
	time => [ '({timestamp})::time', '({time} + {interval:small})', "date_trunc('hour', {time})::time" ],
	timestamp => [
		"date_trunc('%[second|minute|hour|day|week|month|quarter|year|decade]', {timestamp})", '({timestamp:small} %[+|-] {interval:small})', '({date:small} + {time})', '{date:small}::timestamp', "({timestamptz} AT TIME ZONE '%[UTC|America/New_York]')", '({date:small} + {interval:small})', '({date})::timestamp !22008', '({timestamp} + {interval}) !22008', "date_bin('15 min', {timestamp:small}, '2000-01-01')"
	],
	timestamptz => [ "date_trunc('%[minute|hour|day|month|year]', {timestamptz})", '({timestamptz:small} %[+|-] {interval:small})', "({timestamp:small} AT TIME ZONE 'Europe/Berlin')", "date_trunc('day', {timestamptz:small}, 'Europe/Berlin')", '({timestamptz} + {interval}) !22008', '({timestamp})::timestamptz' ],
	interval => [ '({timestamp:small} - {timestamp:small})', '({interval:small} %[+|-] {interval:small})', '({interval:small} * %[2|0.5|-1])', '(-{interval:small})', 'justify_hours({interval:small})', '({time} - {time})', "make_interval(days => {int2:small}::int4)", '({interval} + {interval}) !22008', '({interval} * {int4}) !22008,22015', '({timestamp} - {timestamp}) !22008' ],
	text => [
		'lower({text})', 'upper({text})', 'initcap({text})', 'substring({text}, %[1|2|5|-1], %[0|1|3|10])', 'substr({text}, {int4:const})', 'left({text}, %[3|-2|0|100])', 'right({text}, %[2|-1])', '({text} || {text})', "({text} || '-x')", "trim({text})", "replace({text}, '1', 'one')", 'reverse({text})',
		"split_part({text}, '/', %[1|3|-1])", 'md5({text})', "repeat({text}, 2)", "lpad({text}, 5, '*')", 'q.mark({text})', "concat({text}, {int4}, {bool})", "concat_ws('/', {text}, {text})", "substring({text} from '[a-z]+[0-9]')", "regexp_replace({text}, '[0-9]+', '#')", "translate({text}, 'abt1', 'xyz')",
		"rtrim({text}, '0123456789')", "ltrim({text}, 'tv')", 'substring({text}, {int4}, {int4}) !22011,22003', "regexp_replace({text}, '^%[|https?://|t|ä]%[|(?:www\\.)?|1?]([^/]%[|+|*])%[|/|1]%[|.*]\$', '%[\\1|x|<\\1>]')"
	],
	bpchar => ["{text}::char(4)"],
	bytea => [ 'substring({bytea}, 1, 2)', "({bytea} || '\\x00'::bytea)", 'convert_to({text}, \'UTF8\')' ],
	'int4[]' => [ 'ARRAY[{int4}, {int4}]', '({int4[]} || {int4})' ],
	jsonb => [ "({jsonb} -> 'k')", 'to_jsonb({int4})' ]
);
# expressions of text that come from another type
my @to_text = ( '({int4})::text', '({int8})::text', '({numeric})::text', '({date})::text', '({bool})::text', "to_char({timestamp:small}, 'YYYY-MM')", "to_char({int4}, '999')", '({q.mood})::text', '({uuid})::text', "to_char({date:small}, 'Day')", "({jsonb} ->> 'v')", '({timestamp})::text', '({float8})::text' );

my %usable; # templates by type, whether risky, and whether exact

# Float templates that keep multiples of 1/64 what they are.
sub is_exact { my ($template) = @_; return $template =~ /^\(-\{|^abs\(|^\{int4\}::float8|^\(\{float\d:small\} [%+-]|^floor|^trunc|^sign/ && $template !~ /\|\*\]/ }

sub templates_for
{
	my ($type, $scope) = @_;
	my $key = join ' ', $type, map { $_ ? 1 : 0 } @$scope{qw(risky exact)};

	return $usable{$key} //= [
		grep { ($scope->{risky} || !/ !/) && (!$scope->{exact} || $type !~ /^float/ || is_exact($_)) } @{ $templates{$type} // [] },
		$type eq 'text' ? @to_text : ()
	];
}

sub fill_in
{
	my ($template, $depth, $scope) = @_;
	my ($sql, $risks) = split / !/, $template;

	$sql =~ s/%\[((?:[^\]\\]|\\.)+)\]/(pick(split m{(?<!\\)\|}, $1) =~ s{\\\|}{|}r)/ge;
	$sql =~ s/\{([\w."]+(?:\[\])?)(?::(\w+))?\}/part($1, $2, $depth, $scope)/ge;
	$scope->{risks}{$_} = 1 for split /,/, $risks // '';
	return $sql;
}

sub part
{
	my ($type, $want, $depth, $scope) = @_;

	return expression($type, $depth - 1, $scope) if !$want;
	return constant($type, $scope) if $want eq 'const';
	my $column = column_of($type, $scope, $want);
	return $column->{sql} if $column;
	return literal(pick(@{ $constants{$type} }), $type);
}

# ---- expressions ---------------------------------------------------------------

sub leaf
{
	my ($type, $scope) = @_;
	my $column = chance(0.9) ? column_of($type, $scope) : undef;

	return $column->{sql} if $column;
	return constant($type, $scope);
}

sub expression
{
	my ($type, $depth, $scope) = @_;
	my $templates = templates_for($type, $scope);

	return leaf($type, $scope) if $depth <= 0 || chance(0.35);
	return condition($depth - 1, $scope) if $type eq 'bool' && chance(0.7);
	if (chance(0.18))
	{
		my @two = map { expression($type, $depth - 1, $scope) } 1 .. 2;
		my $kind = rand();

		return 'CASE WHEN ' . condition($depth - 1, $scope) . " THEN $two[0] ELSE $two[1] END" if $kind < 0.4;
		return "CASE WHEN " . condition($depth - 1, $scope) . " THEN $two[0] WHEN " . condition(0, $scope) . " THEN $two[1] END" if $kind < 0.5;
		return "coalesce($two[0], $two[1])" if $kind < 0.75;
		return "nullif($two[0], " . constant($type, $scope) . ')' if $kind < 0.85;
		return ($kind < 0.92 ? 'greatest' : 'least') . "($two[0], $two[1])" if $type ne 'jsonb';
	}
	return leaf($type, $scope) if !@$templates;
	return fill_in(pick(@$templates), $depth, $scope);
}

# ---- conditions ----------------------------------------------------------------

my %crossed = (
	int2 => [qw(int4 int8)], int4 => [qw(int2 int8 numeric float8)], int8 => [qw(int4 int2 numeric)], float4 => ['float8'], float8 => [qw(float4 int4)],
	date => [qw(timestamp timestamptz)], timestamp => [qw(date timestamptz)], timestamptz => [qw(date timestamp)], numeric => [qw(int4 float8)], text => ['bpchar']
);

my @like = ( '%', '', 't1%', '%1', '%5%', 't_', '_', '%a%', 'A%', '%ä%', 'http://1%', '%example%q=3', '%?q=_', 's_', '%\\%%', '\\_%', '%%1%2%', 'v%1_', '%0%1%', 'w1_%' );
my @regex = ( '^t[0-9]+$', '1', 'a|b', '^http', '[A-Z]', '^$', '(\d)\1', '^.{2}$', 'q=[13]$', 'Ä', '^s[0-2]' );

sub text_match
{
	my ($scope, $sql) = @_;
	my $kind = rand();

	# there are none for nondeterministic collations
	return "starts_with($sql, " . literal(pick('t', 't1', 'http://2', '', 'ä', 's'), 'text') . ')' if $kind < 0.1 || $scope->{collation} eq 'q.nocase';
	return "$sql " . pick('LIKE', 'LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE') . ' ' . (literal(pick(@like), 'text') =~ s/::text$//r) if $kind < 0.65;
	return "$sql " . pick('~', '~', '~*', '!~', '!~*') . ' ' . literal(pick(@regex), 'text') if $kind < 0.85;
	return "$sql ^\@ " . literal(pick('t', 't2', 'A', 'http://'), 'text') if $kind < 0.9;
	return "$sql SIMILAR TO '(t|v)%'" if $kind < 0.93;
	return "$sql LIKE " . expression('text', 0, $scope) . " || '%'" if $kind < 0.97 && $scope->{risky} && ($scope->{risks}{22025} = 1);
	return "$sql LIKE ANY (ARRAY['t1%', '%5', 'a'])";
}

my @comparisons = qw(= = < < <= > > >= <>);

sub compared
{
	my ($type, $scope, $sql, $column) = @_;
	my $kind = rand();
	my $operator = pick(@comparisons);
	# most columns have so many values that hardly a row has a given one
	$operator = pick(qw(< <= > >= <>)) if $operator eq '=' && chance(0.4);
	my $const = sub { constant($type, $scope, $column) };

	$sql = "($sql)" if $type eq 'bool' && $sql =~ / /;
	# lists of arrays would become arrays themselves
	$kind /= 2.3 if $type eq 'int4[]';

	return "$sql IS " . pick('NULL', 'NOT NULL') if $kind < 0.09;
	return "$sql $operator " . $const->() if $kind < 0.45;
	return $const->() . " $operator $sql" if $kind < 0.49;
	return "$sql BETWEEN " . pick('', 'SYMMETRIC ') . $const->() . ' AND ' . $const->() if $kind < 0.6;
	return "$sql " . pick('IN', 'IN', 'NOT IN') . ' (' . join(', ', map { $const->() } 1 .. pick(1, 2, 3, 3, 10)) . ')' if $kind < 0.72;
	return "$sql $operator " . pick('ANY', 'ALL') . ' (ARRAY[' . join(', ', map { $const->() } 1 .. between(1, 4)) . '])' if $kind < 0.78;
	return "$sql IS " . pick('', 'NOT ') . 'DISTINCT FROM ' . $const->() if $kind < 0.82;
	if ($kind < 0.9 && $crossed{$type})
	{
		my $other = pick(@{ $crossed{$type} });
		return "$sql $operator " . leaf($other, $scope);
	}
	my $other = expression($type, 1, $scope);
	return "$sql $operator " . ($type eq 'bool' ? "($other)" : $other);
}

sub simple_condition
{
	my ($depth, $scope) = @_;
	my $column = any_column($scope);
	my $kind = rand();

	return pick('true', 'false', 'NULL::bool') if !$column;
	if ($column->{type} eq 'bool' && $kind < 0.6)
	{
		return pick($column->{sql}, "NOT $column->{sql}", "$column->{sql} IS " . pick('', 'NOT ') . pick(qw(TRUE FALSE UNKNOWN)));
	}
	return text_match($scope, $column->{sql}) if $column->{type} eq 'text' && $kind < 0.45;
	return compared($column->{type}, $scope, $column->{sql}, $column) if $kind < 0.75 || $depth <= 0;
	if ($kind < 0.8)
	{
		my $other = column_of($column->{type}, $scope);
		return "$column->{sql} " . pick(@comparisons) . " $other->{sql}";
	}
	if ($kind < 0.83)
	{
		my $other = any_column($scope);
		return "($column->{sql}, $other->{sql}) " . pick(@comparisons) . ' (' . constant($column->{type}, $scope, $column) . ', ' . constant($other->{type}, $scope, $other) . ')';
	}
	return text_match($scope, expression('text', $depth, $scope)) if $kind < 0.86;
	return 'CASE WHEN ' . simple_condition(0, $scope) . ' THEN ' . simple_condition(0, $scope) . ' ELSE ' . simple_condition(0, $scope) . ' END' if $kind < 0.89;
	return '(' . simple_condition(0, $scope) . ') IS ' . pick('', 'NOT ') . pick(qw(TRUE FALSE UNKNOWN)) if $kind < 0.91;
	return subquery($scope, $column) if $kind < 0.96 && $scope->{inner};
	if ($kind < 0.985 && $scope->{large})
	{
		my @fit = grep { $_->{type} eq $column->{type} && $_->{collation} eq $column->{collation} && has_minmax($_->{type}) && !has_ties($_->{type}, $scope) } @{ $scope->{large}{columns} };
		my $other = @fit ? pick(@fit) : undef;
		my $name = $scope->{large}{name};

		return "$column->{sql} " . pick(@comparisons) . ' (SELECT ' . pick('min', 'max') . "($other->{name}) FROM $name WHERE id " . pick('> 100', '% 3 = 1', '< 0') . ')' if $other;
		return "(SELECT count(*) FROM $name WHERE id % 10 = 3) > " . pick(10, 1000);
	}
	return compared($column->{type}, $scope, expression($column->{type}, $depth, $scope), $column);
}

# A condition with a subquery on a small table, correlated or not.
sub subquery
{
	my ($scope, $column) = @_;
	my $inner = pick(@{ $scope->{inner} });
	my @fit = grep { $_->{type} eq $column->{type} && $_->{collation} eq $column->{collation} } @{ $inner->{columns} };
	my $other = @fit ? pick(@fit) : undef;
	my $name = $inner->{name};
	my $some = 'z.id ' . pick('> 3', '< 20', '% 2 = 0', '< 0');
	my $kind = rand();

	return pick('', 'NOT ') . "EXISTS (SELECT FROM $name z WHERE $some)" if !$other;
	return "$column->{sql} " . pick('IN', 'NOT IN') . " (SELECT z.$other->{name} FROM $name z WHERE $some)" if $kind < 0.35;
	return pick('', 'NOT ') . "EXISTS (SELECT FROM $name z WHERE z.$other->{name} " . pick('=', '=', '>') . " $column->{sql} AND $some)" if $kind < 0.6;
	return "$column->{sql} " . pick(@comparisons) . ' ' . pick('ANY', 'ALL') . " (SELECT z.$other->{name} FROM $name z WHERE $some)" if $kind < 0.75;
	return "$column->{sql} " . pick(@comparisons) . " (SELECT max(z.$other->{name}) FROM $name z WHERE $some)" if $kind < 0.9 && has_minmax($other->{type}) && !has_ties($other->{type}, $scope);
	return "(SELECT count(*) FROM $name z WHERE z.$other->{name} = $column->{sql}) " . pick('> 1', '= 0', '< 2');
}

sub condition
{
	my ($depth, $scope) = @_;
	my $kind = rand();

	return simple_condition($depth, $scope) if $depth <= 0 || $kind < 0.55;
	return 'NOT (' . condition($depth - 1, $scope) . ')' if $kind < 0.62;
	return '(' . join(pick(' AND ', ' OR ', ' OR '), map { condition($depth - 1, $scope) } 1 .. pick(2, 2, 3)) . ')';
}

1;
