# Query.pm - random queries over a data set
#
# A query is a hash of its parts, so that some can be left out again: select,
# where, group, having and order are lists.  It is compared in one of two ways:
#
#	free	its rows are the same whatever order the tables' rows come in, so
#			that a heap table and parallel plans must give them as well
#	bound	floats are summed, or one of several equal values is shown: core's
#			executor over the same table must give the same
#
# Of an ordered query the first "nkeys" columns, which are what it is ordered
# by, must come in the same order; of one with LIMIT the other columns must be
# of rows that there are without it.
package Query;

use strict;
use warnings;
use Exporter 'import';
use Values qw(pick chance between);
use Tables;
use Expression;

our @EXPORT = qw(new_query render statements);

# ---- where rows come from ------------------------------------------------------

sub in_scope
{
	my ($table, $alias) = @_;
	my $id = { name => 'id', type => 'int4', small => 1, plain => 1, collation => '' };

	return map { { %$_, sql => "$alias.$_->{name}", of => "$table->{name}.$_->{name}" } } $id, @{ $table->{columns} };
}

sub from_table
{
	my ($query, $scope, $table) = @_;

	$scope->{columns} = [ in_scope($table, 'a') ];
	$query->{from} = ($query->{only} = $table->{parted} && chance(0.1)) ? "ONLY $table->{name} a" : "$table->{name} a";
	$query->{ids} = 'a.id';
	$query->{table} = $table;
	return;
}

# Pairs of columns that can be equal.
sub alike
{
	my ($left, $right) = @_;
	my @pairs;

	for my $l (@$left)
	{
		push @pairs, map { [ $l, $_ ] } grep { $_->{type} eq $l->{type} && $_->{collation} eq $l->{collation} } @$right;
	}
	return @pairs;
}

sub from_join
{
	my ($query, $scope, $set) = @_;
	my $tables = $set->{tables};
	my $left = $tables->{ pick(qw(t t t p s)) };
	my $self = chance(0.2);
	my $right = $tables->{ $self ? $left->{name} : pick(qw(d d d d e)) };
	my @left = in_scope($left, 'a');
	my @right = in_scope($right, 'b');
	my @pairs = alike(\@left, \@right);
	my $kind = pick('JOIN', 'JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
	my @on = $self ? 'a.id = b.id' . pick('', ' + 1', ' * 2') : ();

	for (1 .. ($self ? 0 : pick(1, 1, 2)))
	{
		my $pair = pick(@pairs) // [ $left[0], $right[0] ];
		push @on, "$pair->[0]{sql} = $pair->[1]{sql}";
	}
	push @on, condition(0, { %$scope, columns => [ @left, @right ], inner => undef }) if $kind ne 'FULL JOIN' && chance(0.3);
	($left, $right) = ("$left->{name} a", "$right->{name} b");
	($left, $right) = ($right, $left) if chance(0.3);
	$query->{from} = "$left $kind $right ON " . join(' AND ', @on);
	$query->{ids} = 'a.id, b.id';
	$query->{joined} = 1;
	push @{ $query->{where} }, 'a.id % 40 = 3' if $set->{large};
	push @{ $query->{where} }, 'a.id BETWEEN ' . join(' AND ', map { $_, $_ + 400 } pick(1, between(1, 3000))) if $query->{kind} =~ /scan|top|window|distinct/;
	$scope->{columns} = [ @left, @right ];
	return;
}

# For each row of the small table, some of the other's.
sub from_lateral
{
	my ($query, $scope, $set) = @_;
	my $table = $set->{tables}{ pick(qw(t p s)) };
	my $small = $set->{tables}{d};
	my @inner = in_scope($table, 'y');
	my @outer = in_scope($small, 'b');
	my $pair = pick(alike(\@inner, \@outer)) // [ $inner[0], $outer[0] ];
	my $inner_scope = { %$scope, columns => \@inner, inner => undef };
	my @where = ("$pair->[0]{sql} " . pick('=', '=', '=', '<', '>=') . " $pair->[1]{sql}");

	push @where, condition(1, $inner_scope) if chance(0.5);
	if (chance(0.5))
	{
		my @aggregates = map { aggregate($query, $inner_scope) } 1 .. between(1, 3);
		my $n = 0;

		$query->{from} = "d b " . pick('CROSS JOIN LATERAL', 'LEFT JOIN LATERAL') . ' (SELECT ' . join(', ', map { "$_->{sql} AS c" . ++$n } @aggregates) . " FROM $table->{name} y WHERE " . join(' AND ', @where) . ') a';
		$n = 0;
		$scope->{columns} = [ @outer, grep { $_->{type} } map { { name => 'c' . ++$n, type => $_->{type}, sql => "a.c$n", collation => $scope->{collation}, exact => $_->{exact} } } @aggregates ];
		$query->{ids} = 'b.id';
	}
	else
	{
		$query->{from} = 'd b ' . pick('CROSS JOIN LATERAL', 'LEFT JOIN LATERAL') . " (SELECT * FROM $table->{name} y WHERE " . join(' AND ', @where) . ' ORDER BY y.id' . pick('', ' DESC') . ' LIMIT ' . pick(1, 3, 20) . ') a';
		$scope->{columns} = [ @outer, in_scope($table, 'a') ];
		$query->{ids} = 'a.id, b.id';
	}
	$query->{from} .= ' ON true' if $query->{from} =~ /LEFT JOIN/;
	$query->{joined} = 1;
	return;
}

# Aggregates of a large table for each row of the small one, as subqueries.
sub select_correlated
{
	my ($query, $scope, $set) = @_;
	my $table = $set->{tables}{ pick(qw(t p s)) };
	my @inner = in_scope($table, 'y');
	my @outer = in_scope($set->{tables}{d}, 'b');
	my $inner_scope = { %$scope, columns => \@inner, inner => undef };
	my @items;

	$query->{joined} = 1;
	for (1 .. pick(1, 1, 2))
	{
		my $pair = pick(alike(\@inner, \@outer)) // [ $inner[0], $outer[0] ];
		my @where = chance(0.8) ? "$pair->[0]{sql} " . pick('=', '=', '<', '>=') . " $pair->[1]{sql}" : ();

		push @where, condition(1, { %$inner_scope, columns => [ @inner, @outer ] }) if chance(0.5);
		push @items, '(SELECT ' . aggregate($query, $inner_scope)->{sql} . " FROM $table->{name} y" . (@where ? ' WHERE ' . join(' AND ', @where) : '') . ')';
	}
	$query->{from} = 'd b';
	$query->{select} = [ 'b.id', @items ];
	return;
}

# Some expressions as a subquery's or CTE's columns.
sub from_derived
{
	my ($query, $scope, $set) = @_;
	my $table = $set->{tables}{ pick(qw(t t p s v w)) };
	my $inner_scope = { %$scope, columns => [ in_scope($table, 'a') ] };
	my @types = map { pick(types_of($inner_scope)) } 1 .. between(2, 5);
	my $where = chance(0.7) ? ' WHERE ' . condition(2, $inner_scope) : '';
	my @exact = (1) x @types;
	my (@items, $sql);

	if (chance(0.3))
	{
		my @keys = grep { !has_ties($_->{type}, $scope) } map { any_column($inner_scope) } 1 .. 2;
		my @aggregates = grep { $_->{type} } map { aggregate($query, $inner_scope) } 1 .. 4;
		my $n = 0;

		push @aggregates, { sql => 'count(*)', type => 'int8' };
		@items = (@keys, @aggregates);
		@types = map { $_->{type} } @items;
		@exact = map { $_->{exact} || exists $_->{of} } @items;
		$sql = 'SELECT ' . join(', ', map { "$_->{sql} AS c" . ++$n } @items) . " FROM $table->{name} a$where" . (@keys ? ' GROUP BY ' . join(', ', map { $_->{sql} } @keys) : '');
	}
	else
	{
		my $select = sub { my $n = 0; 'SELECT ' . join(', ', map { expression($_, 2, $inner_scope) . " AS c" . ++$n } @types) . " FROM $table->{name} a" };

		$sql = $select->() . $where;
		$sql = pick($sql, "$sql UNION ALL " . $select->() . ' WHERE ' . condition(1, $inner_scope)) if chance(0.5);
		if (chance(0.15) && !grep { has_ties($_, $scope) } @types)
		{
			$sql = "($sql) " . pick('UNION', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL') . ' (' . $select->() . ' WHERE ' . condition(1, $inner_scope) . ')';
		}
	}
	my $n = 0;
	$scope->{columns} = [ map { $n++; { name => "c$n", type => $_, sql => "x.c$n", collation => $scope->{collation}, exact => shift @exact } } @types ];
	$query->{from} = chance(0.6) ? "($sql) x" : 'x';
	$query->{prefix} = 'WITH x AS ' . pick('', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "($sql) " if $query->{from} eq 'x';
	$query->{joined} = 1;
	return;
}

sub choose_source
{
	my ($query, $scope, $set) = @_;
	my $tables = $set->{tables};
	my $kind = rand();

	if ($query->{bound} || $kind < ($query->{kind} eq 'top' ? 0.9 : 0.66))
	{
		from_table($query, $scope, $tables->{ pick(qw(t t t t t t t t t t t t p p p p s s s v v w w e)) });
	}
	elsif ($kind < 0.82) { from_join($query, $scope, $set) }
	elsif ($kind < 0.87) { from_lateral($query, $scope, $set) }
	else { from_derived($query, $scope, $set) }
	return;
}

# ---- aggregates ----------------------------------------------------------------

my %sum_of = (int2 => 'int8', int4 => 'int8', int8 => 'numeric', numeric => 'numeric', float4 => 'float4', float8 => 'float8', interval => 'interval', money => 'money');
my %avg_of = (int2 => 'numeric', int4 => 'numeric', int8 => 'numeric', numeric => 'numeric', float4 => 'float8', float8 => 'float8', interval => 'interval');

# An argument for an aggregate, and its type.
sub argument
{
	my ($scope, @types) = @_;
	my %wanted = map { $_ => 1 } @types;
	my @have = grep { !@types || $wanted{$_} } types_of($scope);
	my $type = @have ? pick(@have) : @types ? pick(@types) : 'int4';

	if (@have && chance(0.6))
	{
		my $column = column_of($type, $scope);
		return ($column->{sql}, $type, $column) if $column;
	}
	return (expression($type, 2, $scope), $type);
}

my @numbers = qw(int2 int4 int8 numeric float8 float4);
my @exact_numbers = qw(int2 int4 int8 numeric);
# of equal numerics that look different DISTINCT takes any
my @distinct_numbers = qw(int2 int4 int8);

# Aggregates that sum up.
sub summing
{
	my ($query, $scope, $distinct) = @_;
	my $bound = $query->{bound};
	my $kind = rand();

	if ($kind < 0.5)
	{
		my ($sql, $type) = argument($scope, $distinct && !$bound ? @distinct_numbers : (@numbers, chance(0.1) ? qw(interval money) : ()));
		return aggregate($query, $scope) if $type eq 'float4' && !$bound && ($query->{joined} || $query->{large});
		$scope->{risks}{$_} = 1 for $type =~ /float|money/ ? '22003' : $type eq 'interval' ? '22008' : ();
		return { call => 'sum', args => "$distinct$sql", type => $sum_of{$type} };
	}
	if ($kind < 0.8)
	{
		my ($sql, $type) = argument($scope, $distinct && !$bound ? @distinct_numbers : (@numbers, chance(0.1) ? qw(interval) : ()));
		$scope->{risks}{$_} = 1 for $type =~ /float/ ? '22003' : $type eq 'interval' ? '22008' : ();
		return { call => 'avg', args => "$distinct$sql", type => $avg_of{$type} };
	}
	if ($kind < 0.93 || !$bound)
	{
		my ($sql, $type) = argument($scope, $bound ? @numbers : $distinct ? @distinct_numbers : @exact_numbers);
		$scope->{risks}{'22003'} = 1;
		return { call => pick(qw(stddev stddev_pop stddev_samp variance var_pop var_samp)), args => "$distinct$sql", type => $type =~ /float/ ? 'float8' : 'numeric' };
	}
	my ($y) = argument($scope, 'float8');
	my ($x) = argument($scope, 'float8');
	$scope->{risks}{'22003'} = 1;
	return { call => pick(qw(corr covar_pop covar_samp regr_slope regr_intercept regr_sxx regr_sxy regr_avgx regr_r2)), args => "$y, $x", type => 'float8' };
}

# Aggregates that need an order, or depend on one.
sub gathering
{
	my ($query, $scope) = @_;
	my $kind = rand();
	my ($sql, $type) = argument($scope);
	my $text = expression('text', 1, $scope);
	my $order = $query->{ids} ? " ORDER BY $query->{ids}" . pick('', ' DESC') : undef;

	$order = '' if $query->{bound} && chance(0.5);
	if ($kind < 0.3 && defined $order) { return { call => 'string_agg', args => "$text, ','$order", type => 'text', hash => 1 } }
	if ($kind < 0.55 && defined $order && $type ne 'int4[]') { return { call => 'array_agg', args => "$sql$order", type => 'text', hash => 1 } }
	if ($kind < 0.6 && defined $order) { return { call => 'jsonb_agg', args => "$type" eq '"char"' ? "1$order" : "$sql$order", type => 'text', hash => 1 } }
	if ($kind < 0.7)
	{
		my ($number) = argument($scope, 'float8');
		return { call => 'percentile_cont', args => pick(0, 0.5, 0.25, 1), within => $number, type => 'float8' } if $query->{bound} || has_column($scope, 'float8');
	}
	if ($kind < 0.8 && !has_ties($type, $scope)) { return { call => 'percentile_disc', args => pick(0.1, 0.5, 1), within => $sql, type => undef } }
	if ($kind < 0.88 && !has_ties($type, $scope)) { return { call => 'mode', args => '', within => $sql, type => undef } }
	if ($kind < 0.94 && $query->{bound}) { return { call => 'q.glue', args => $text, type => 'text' } }
	return { call => 'q.xor_all', args => expression('int8', 1, $scope), type => 'int8' } if chance(0.5);
	return { call => 'q.or_all', args => expression('int4', 1, $scope), type => 'int4' };
}

sub has_column { my ($scope, $type) = @_; return defined column_of($type, $scope) }

sub extreme
{
	my ($query, $scope) = @_;

	for (1 .. 5)
	{
		my ($sql, $type, $column) = argument($scope);

		next if !has_minmax($type) || $type eq 'int4[]' && 0;
		next if !$query->{bound} && has_ties($type, $scope) && !($column && $column->{plain});
		return { call => pick('min', 'max'), args => $sql, type => $type };
	}
	return { call => 'count', args => '*', type => 'int8' };
}

# The same column with different numbers added, as sums of a web table have it.
sub sum_of_sums
{
	my ($scope) = @_;
	my $column = column_of(pick(qw(int2 int4 int8 numeric)), $scope, 'small') // return;

	return { sql => join(' + ', map { "sum($column->{sql} + " . pick(0, 1, 7, 100, -3) . ')' } 1 .. between(1, 3)), type => undef };
}

sub bare_aggregate
{
	my ($query, $scope) = @_;
	# one aggregate that only core knows takes a whole query away from us
	my $kind = rand($query->{common} ? 0.92 : 1);
	my $distinct = chance($query->{common} ? 0 : 0.1) ? 'DISTINCT ' : '';

	if ($kind < 0.13) { return { call => 'count', args => '*', type => 'int8' } }
	if ($kind < 0.28)
	{
		my ($sql) = argument($scope);
		return { call => 'count', args => (chance($query->{common} ? 0.1 : 0.4) ? 'DISTINCT ' : '') . $sql, type => 'int8' };
	}
	if ($kind < 0.3) { my $sums = sum_of_sums($scope); return $sums if $sums }
	if ($kind < 0.58) { return summing($query, $scope, $distinct) }
	if ($kind < 0.8) { return extreme($query, $scope) }
	if ($kind < 0.86) { return { call => pick('bool_and', 'bool_or', 'every'), args => expression('bool', 2, $scope), type => 'bool' } }
	if ($kind < 0.92)
	{
		my ($sql, $type) = argument($scope, qw(int2 int4 int8));
		return { call => pick('bit_and', 'bit_or', 'bit_xor'), args => $sql, type => $type } if $type =~ /^int/;
	}
	return gathering($query, $scope);
}

# An aggregate's call, perhaps filtered, and its type.
sub aggregate
{
	my ($query, $scope) = @_;
	my $it = bare_aggregate($query, $scope);
	my $sql;

	return $it if $it->{sql};
	$sql = "$it->{call}($it->{args})";
	$sql .= " WITHIN GROUP (ORDER BY $it->{within})" if $it->{within};
	$sql .= ' FILTER (WHERE ' . condition(1, $scope) . ')' if chance(0.12);
	$sql = 'md5(' . ($it->{call} eq 'string_agg' ? $sql : "($sql)::text") . ')' if $it->{hash};
	$sql = "($sql + 1)" if $it->{type} && $it->{type} =~ /^(int8|numeric)$/ && $it->{call} eq 'count' && chance(0.05);
	# an average of floats is no multiple of anything
	return { sql => $sql, type => $it->{type}, exact => $it->{call} !~ /^(avg|percentile_cont)$/ };
}

# ---- what queries select -------------------------------------------------------

sub some_items
{
	my ($scope, $count) = @_;
	my @types = types_of($scope);

	return map { my $type = @types ? pick(@types, 'int4', 'text') : 'int4'; { sql => expression($type, 2, $scope), type => $type } } 1 .. $count;
}

# What can be shown of a value in the place of which an equal one might be.
sub shown
{
	my ($query, $scope, $item) = @_;

	return $item->{sql} if $query->{bound} || $item->{final} || $item->{plain} && $item->{of};
	return canonical($item->{type}, $item->{sql}, $scope);
}

# Order by some of the items, which then come first; what cannot be shown is a
# key that comes last.
sub order_by
{
	my ($query, $scope, $items, $count) = @_;
	my @left = @$items;
	my (@first, @hidden);

	while ($count-- > 0 && @left)
	{
		my ($item) = splice(@left, int(rand(@left)), 1);
		my $shown = $item->{type} ? shown({}, $scope, $item) : undef;
		my $direction = pick('', '', ' DESC', ' ASC NULLS FIRST', ' DESC NULLS LAST');

		# a sort may compare any two equal values
		if (!defined $shown) { push @hidden, { sql => $item->{raw} // $item->{sql}, direction => $direction } unless $query->{distinct}; push @left, $item; next if $query->{distinct}; last }
		push @first, { %$item, sql => $shown };
		push @{ $query->{order} }, { sql => $query->{distinct} ? $shown : $item->{raw} // $item->{sql}, direction => $direction };
	}
	push @{ $query->{order} }, @hidden;
	$query->{nkeys} = @first;
	return (@first, @left);
}

sub limit
{
	my ($query) = @_;
	$query->{limit} = pick(1, 3, 10, 10, 10, 100, 2000, chance(0.2) ? 0 : 20);
	$query->{offset} = pick(1, 1, 5, 20) if chance(0.25);
	$query->{with_ties} = $query->{order} && chance(0.05);
	$query->{limit} = "(SELECT $query->{limit})" if !$query->{with_ties} && chance(0.08);
	$query->{limit} = 'NULL' if chance(0.01);
	return;
}

sub add_where
{
	my ($query, $scope) = @_;

	for (1 .. pick(0, 0, 0, 1, 1, 1, 1, 2, 2, 3))
	{
		my $condition = condition(pick(0, 0, 1, 2, 3), $scope);

		# lest few queries find anything
		$condition = "($condition OR " . condition(0, $scope) . ')' if chance(0.35);
		push @{ $query->{where} }, $condition;
	}
	if ($query->{table})
	{
		my $hides = $query->{table}{name} eq 'v' || $query->{role} && $query->{table}{name} eq 's';

		push @{ $query->{where} }, 'q.peek(a.id)' if $hides && chance(0.4);
		if ($query->{ticks})
		{
			push @{ $query->{where} }, 'q.tick(a.id)';
		}
	}
	return;
}

# Items that are no expressions of columns.
sub odd_item
{
	my ($scope) = @_;
	my $array = column_of('int4[]', $scope);

	return pick('a::text', 'row_to_json(a)::text', '(a IS NULL)', 'a.tableoid::regclass::text', "generate_series(1, a.id % 3)", $array ? ("unnest($array->{sql})") x 2 : ());
}

sub select_scan
{
	my ($query, $scope) = @_;
	my @items = some_items($scope, between(1, 5));

	@items = order_by($query, $scope, \@items, pick(1, 1, 2)) if $query->{kind} eq 'top' || chance(0.5);
	$query->{select} = [ map { $_->{sql} } @items ];
	push @{ $query->{select} }, odd_item($scope) if $query->{table} && chance(0.08) && $query->{table}{name} !~ /[vwe]/;
	$query->{locks} = $query->{table} && $query->{table}{name} =~ /[ts]/ && !$query->{role} && chance(0.02);
	limit($query) if $query->{kind} eq 'top' || chance($query->{order} ? 0.6 : 0.15);
	return;
}

sub select_aggregates
{
	my ($query, $scope) = @_;

	$query->{select} = [ map { aggregate($query, $scope)->{sql} } 1 .. pick(1, 2, 3, 4, 5, 8) ];
	push @{ $query->{having} }, having($query, $scope) if chance(0.05);
	return;
}

sub having
{
	my ($query, $scope) = @_;
	my $kind = rand();

	return 'count(*) ' . pick('> 1', '> 2', '< 10', '< 1000', '% 2 = 1', '% 2 = 1', '>= 1', '>= 100') if $kind < 0.6;
	return 'max(a.id) % 2 = 0' if $query->{ids} && $query->{ids} =~ /a\.id/ && $kind < 0.8;
	return 'count(' . (any_column($scope) // { sql => '*' })->{sql} . ') > ' . pick(0, 1, 5);
}

sub grouping_keys
{
	my ($query, $scope) = @_;
	my @keys;

	for (1 .. pick(1, 1, 1, 2, 2, 3, 4))
	{
		my $column = any_column($scope);

		if ($column && chance(0.7)) { push @keys, {%$column}; next }
		my $type = pick(types_of($scope), 'int4', 'text');
		push @keys, { sql => expression($type, 2, $scope), type => $type };
	}
	for my $key (@keys)
	{
		$key->{raw} = $key->{sql};
		my $shown = shown($query, $scope, $key);
		$key->{sql} = $shown if defined $shown;
		$key->{hidden} = !defined $shown;
		$key->{final} = !$query->{bound};
	}
	return @keys;
}

sub select_groups
{
	my ($query, $scope) = @_;
	my @keys = grouping_keys($query, $scope);
	my @group = map { $_->{raw} } @keys;
	my @items = grep { !$_->{hidden} } @keys;

	if ($query->{ids} && (@keys > 1 && chance(0.12) || chance(0.02)))
	{
		my $how = pick('ROLLUP', 'CUBE', 'SETS');

		# core sorts by a constant as if it were never NULL
		@group = grep { defined } (grep { /\b[abx]\.\w/ } @group)[ 0 .. 2 ];
		@group = ('a.id % 3') if !@group;
		@items = grep { my $key = $_; grep { $_ eq $key->{raw} } @group } @items;
		push @items, { sql => "GROUPING($group[0])", type => 'int4' };
		$query->{group} = $how eq 'SETS' ? [ 'GROUPING SETS ((' . join('), (', @group) . '), ())' ] : [ "$how (" . join(', ', @group) . ')' ];
		$query->{sets} = 1;
	}
	else { $query->{group} = \@group }
	push @items, map { aggregate($query, $scope) } 1 .. pick(0, 1, 1, 2, 2, 3, 5);
	push @items, { sql => 'count(*)', type => 'int8' } if !@items;
	push @{ $query->{having} }, having($query, $scope) if chance(0.2);
	@items = order_by($query, $scope, \@items, pick(1, 1, 2, 3)) if chance(0.4);
	if ($query->{order} && chance(0.15))
	{
		push @{ $query->{order} }, { sql => pick(@keys)->{raw}, direction => '' } unless $query->{sets};
	}
	$query->{select} = [ map { $_->{sql} } @items ];
	limit($query) if chance($query->{order} ? 0.6 : 0.1);
	return;
}

# Grouped by the primary key, with columns that depend on it.
sub select_by_key
{
	my ($query, $scope) = @_;

	$query->{group} = [ pick('a.id', "a.id, $scope->{columns}[-1]{sql}") ];
	$query->{select} = [ 'a.id', (map { any_column($scope)->{sql} } 1 .. 3), aggregate($query, $scope)->{sql} ];
	if (chance(0.4))
	{
		$query->{order} = [ { sql => 'a.id', direction => '' } ];
		$query->{nkeys} = 1;
		limit($query) if chance(0.5);
	}
	return;
}

sub select_distinct
{
	my ($query, $scope) = @_;
	my @items = map { $_->{raw} = $_->{sql}; $_ } (chance(0.6) ? (map { {%{ any_column($scope) // { sql => '1', type => 'int4' } }} } 1 .. pick(1, 1, 2, 3)) : some_items($scope, pick(1, 2)));

	if ($query->{ids} && chance(0.2))
	{
		my $key = $items[0];
		$query->{distinct} = "DISTINCT ON ($key->{sql}) ";
		$query->{order} = [ { sql => $key->{sql}, direction => '' }, map { { sql => $_, direction => '' } } split /, /, $query->{ids} ];
		# which rows come first depends on nothing else
		$query->{select} = [ $query->{ids}, map { any_column($scope)->{sql} } 1 .. 2 ];
		return;
	}
	$query->{distinct} = 'DISTINCT ';
	@items = grep { defined $_->{sql} } map { { %$_, sql => shown($query, $scope, $_), of => undef } } @items;
	push @items, { sql => '1', type => 'int4' } if !@items;
	delete $_->{raw} for @items;
	# what is ordered by must be what is shown, and be shown only once
	if (!$query->{bound} && chance(0.4))
	{
		my %seen;
		@items = grep { !$seen{ $_->{sql} }++ } @items;
		my @ordered = map { { sql => $_->{sql}, direction => pick('', ' DESC') } } grep { !has_ties($_->{type}, $scope) } $items[0];
		if (@ordered) { $query->{order} = \@ordered; $query->{nkeys} = 1 }
	}
	$query->{select} = [ map { $_->{sql} } @items ];
	limit($query) if chance(0.2);
	return;
}

sub window_function
{
	my ($query, $scope) = @_;
	my $partition = any_column($scope);
	my $by = $partition && chance(0.6) ? "PARTITION BY $partition->{sql} " : '';
	my $over = " OVER (${by}ORDER BY $query->{ids}" . pick('', '', ' ROWS BETWEEN 3 PRECEDING AND CURRENT ROW', ' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING') . ')';
	my $column = any_column($scope);
	my $kind = rand();

	return "row_number()" . ($over =~ s/ ROWS.*/)/r) if $kind < 0.2;
	return pick('rank', 'dense_rank', 'cume_dist', 'percent_rank') . "() OVER ($by ORDER BY " . (has_ties($column->{type}, $scope) ? 'a.id' : $column->{sql}) . ')' if $kind < 0.35;
	return pick('lag', 'lead', 'first_value', 'last_value') . "($column->{sql})$over" if $kind < 0.55;
	return 'sum(' . expression('int4', 1, $scope) . ")$over" if $kind < 0.65;
	return pick('count(*)', "count($column->{sql})", 'max(a.id)', 'avg(a.id)') . pick($over, " OVER ($by)");
}

sub select_windows
{
	my ($query, $scope) = @_;

	return select_scan($query, $scope) if !$query->{ids} || $query->{ids} !~ /a\.id/;
	$query->{select} = [ split(/, /, $query->{ids}), map { window_function($query, $scope) } 1 .. between(1, 3) ];
	if (chance(0.3))
	{
		$query->{nkeys} = split /, /, $query->{ids};
		$query->{order} = [ map { { sql => $_, direction => '' } } split /, /, $query->{ids} ];
		limit($query);
	}
	return;
}

# ---- queries -------------------------------------------------------------------

# How the server is told to run what is compared.
our %modes = (
	serial => [],
	spill => [ 'work_mem = \'64kB\'', 'hash_mem_multiplier = 1' ],
	parallel => [ 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 2' ],
	parallel_spill => [ 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 3', 'work_mem = \'64kB\'', 'hash_mem_multiplier = 1' ],
	no_leader => [ 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 2', 'parallel_leader_participation = off' ],
	no_workers => [ 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0', 'max_parallel_workers_per_gather = 2', 'max_parallel_workers = 0' ],
	forced => [ 'max_parallel_workers_per_gather = 1', 'FORCED = on' ],
	no_hash => [ 'enable_hashagg = off', 'enable_hashjoin = off' ],
	partitionwise => [ 'enable_partitionwise_aggregate = on', 'enable_partitionwise_join = on' ],
	nested => [ 'enable_hashjoin = off', 'enable_mergejoin = off', 'enable_material = off', 'enable_memoize = off' ],
	compiled => [ 'jit = on', 'jit_above_cost = 0' ],
);
# What makes nodes that go by the vector look cheap, which they are not to the
# planner where few rows are left.
our @favour = ('cpu_tuple_cost = 1', 'cpu_operator_cost = 1');
my @free_modes = (('serial') x 10, ('spill') x 2, ('parallel') x 5, 'parallel_spill', 'no_leader', 'no_workers', 'forced', 'no_hash', 'partitionwise', 'nested');

my %selects = (
	scan => \&select_scan, top => \&select_scan, aggregates => \&select_aggregates, groups => \&select_groups, by_key => \&select_by_key,
	distinct => \&select_distinct, windows => \&select_windows, correlated => \&select_correlated
);

sub new_query
{
	my ($set, $number) = @_;
	srand($set->{seed} * 7919 + $number * 104729 + 17);
	my $query = { number => $number, large => $set->{large}, where => [], having => [], bound => chance(0.25), common => chance(0.65) };
	my $texts = $set->{collations};
	my $scope = { collation => @$texts ? pick(@$texts) : '', risky => chance(0.2), risks => {}, samples => $set->{samples}, exact => !$query->{bound} };

	$query->{kind} = $query->{bound} ? pick(qw(aggregates aggregates groups groups groups distinct)) : pick((qw(scan scan scan aggregates aggregates aggregates groups groups groups groups distinct windows top top)) x 2, 'correlated');
	$query->{wrapper} = pick(('') x 14, 'prepared', 'cursor');
	# the subqueries of a generic plan and of a rescan have these as well
	$scope->{params} = [] if $query->{wrapper} eq 'prepared';
	$scope->{inner} = [ @{ $set->{tables} }{qw(d e)} ] if !$query->{bound} || chance(0.1);
	choose_source($query, $scope, $set) if $query->{kind} ne 'correlated';
	$scope->{large} = $set->{tables}{ pick(qw(t s)) } if chance(0.1);
	if ($query->{table} && !$query->{bound})
	{
		$query->{role} = chance($query->{table}{name} eq 's' ? 0.5 : 0.03);
		$query->{ticks} = !$query->{role} && !$query->{wrapper} && chance(0.04);
		$query->{kind} = 'by_key' if $query->{table}{key} && $query->{kind} eq 'groups' && chance(0.1) && $query->{table}{name} !~ /[vw]/;
	}
	$scope->{inner} = undef if $query->{ticks};
	add_where($query, $scope) if $query->{from};
	$selects{ $query->{kind} }->($query, $scope, $set);
	delete @$query{qw(limit offset)} if $query->{ticks} || $query->{bound} && !$query->{nkeys};
	$query->{mode} = $query->{bound} ? pick(qw(serial serial serial spill)) : chance(0.004) ? 'compiled' : pick(@free_modes);
	$query->{favoured} = chance(0.6);
	$query->{risks} = $scope->{risks};
	$query->{params} = $scope->{params};
	$query->{generic} = chance(0.6);
	$query->{scroll} = !defined $query->{limit} && !keys %{ $scope->{risks} } && chance(0.3);
	return $query;
}

# The text of a query, without its LIMIT if "full".
sub render
{
	my ($query, $full) = @_;
	my $sql = ($query->{prefix} // '') . 'SELECT ' . ($query->{distinct} // '') . join(', ', @{ $query->{select} }) . " FROM $query->{from}";

	$sql .= ' WHERE ' . join(' AND ', @{ $query->{where} }) if @{ $query->{where} };
	$sql .= ' GROUP BY ' . join(', ', @{ $query->{group} }) if $query->{group};
	$sql .= ' HAVING ' . join(' AND ', @{ $query->{having} }) if @{ $query->{having} };
	if ($query->{order} && @{ $query->{order} } && !($full && ($query->{distinct} // '') !~ /ON/))
	{
		$sql .= ' ORDER BY ' . join(', ', map { "$_->{sql}$_->{direction}" } @{ $query->{order} });
	}
	return $sql if $full;
	$sql .= " OFFSET $query->{offset}" if defined $query->{offset};
	return "$sql FETCH FIRST $query->{limit} ROWS WITH TIES" if $query->{with_ties} && defined $query->{limit} && @{ $query->{order} // [] };
	$sql .= " LIMIT $query->{limit}" if defined $query->{limit};
	$sql .= ' FOR UPDATE OF a' if $query->{locks};
	return $sql;
}

sub prepared
{
	my ($query, $sql) = @_;
	my $types = join(', ', map { $_->{type} } @{ $query->{params} });
	my $values = join(', ', map { $_->{value} } @{ $query->{params} });

	return ("SET plan_cache_mode = " . ($query->{generic} ? 'force_generic_plan' : 'auto'), 'PREPARE z' . ($types ? " ($types)" : '') . " AS $sql", 'EXECUTE z' . ($values ? " ($values)" : ''));
}

# The statements that run a query, "full" without its LIMIT; with "explain" they
# show its plan instead.
sub statements
{
	my ($query, $full, $explain) = @_;
	my $sql = render($query, $full);
	my @sql;

	$explain //= '';
	if ($query->{params})
	{
		my ($set, $prepare, $execute) = prepared($query, $sql);
		@sql = ($set, $prepare, ("$explain$execute") x ($full || $explain ? 1 : 2), 'DEALLOCATE z');
	}
	elsif ($query->{wrapper} eq 'cursor' && !$full && !$explain)
	{
		@sql = ('BEGIN', 'DECLARE z ' . ($query->{scroll} ? 'SCROLL ' : '') . "CURSOR FOR $sql", 'FETCH 3 FROM z', 'FETCH ALL FROM z', ($query->{scroll} ? ('FETCH BACKWARD ALL FROM z', 'FETCH ALL FROM z') : ()), 'COMMIT');
	}
	else { @sql = ("$explain$sql") }
	@sql = ("SELECT setval('pg_temp.ticks', 1) \\g /dev/null", @sql, 'SELECT last_value FROM pg_temp.ticks') if $query->{ticks} && !$explain;
	@sql = ("SET ROLE $Tables::role", @sql, 'RESET ROLE') if $query->{role};
	return @sql;
}

1;
