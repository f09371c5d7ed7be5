# Values.pm - columns of many types for random tests, and values for them
#
# Everything is drawn from rand(), so that a test that calls srand() gets the
# same again from the same seed.
package Values;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(pick chance between quoted new_column value_of bare_type constant_for @types);

# What a value of each type is made from: %d is a bigint that the pattern of
# the column chooses for each row.  "edges" are values to throw in; "number"
# says that sum() gives the same in any order, "noorder" that the type has no
# btree operators, "noindex" and "long" that it makes no good key, "gin" and
# "gist" which other indexes it can have.
our @types = (
	{ name => 'smallint', make => '((%d) % 32768)::smallint', edges => [ -32768, 32767, 0 ], number => 1 },
	{ name => 'integer', make => '((%d) % 2147483648)::integer', edges => [ -2147483648, 2147483647 ], number => 1 },
	{ name => 'bigint', make => '(%d)', edges => [ -9223372036854775808, 9223372036854775807 ], number => 1 },
	{ name => 'real', make => '((%d) / 7.0)::real', edges => [qw(NaN -0 Infinity -Infinity 1e-45 3.4e38)] },
	{ name => 'double precision', make => '((%d) / 100.0)::float8', edges => [qw(NaN -0 0 Infinity -Infinity 5e-324 0.1)] },
	{ name => 'numeric', make => '((%d) / 1000.0)', edges => [qw(NaN Infinity -Infinity 0.000 1e100 -1.50 123456789012345678901234567890.123)], number => 1 },
	{ name => 'numeric(12,2)', make => '((%d) % 100000000 / 100.0)::numeric(12,2)', edges => [qw(NaN 0 -0.01)], number => 1 },
	{ name => 'money', make => '((%d) % 1000000)::numeric::money', edges => ['-92233720368547758.08'] },
	{ name => 'boolean', make => '((%d) % 2 = 0)', edges => [qw(true false)] },
	{ name => '"char"', make => '(((%d) % 100 + 100) % 100 + 20)::integer::"char"', edges => [ '', 'x' ] },
	{ name => 'char(6)', make => '((%d) % 9999)::text::char(6)', edges => [ '', ' ', 'ab ' ] },
	{ name => 'varchar(30)', make => "('v' || (%d))::varchar(30)", edges => [ '', ' ' ] },
	{ name => 'text', make => "('t' || (%d))", edges => [ '', "a'b", "\x{e4}" ] },
	{ name => 'text', make => "repeat(md5((%d)::text), 1 + abs((%d) % 5)::integer)", edges => [ '' ] },
	{ name => 'text', make => "CASE WHEN i % 500 = 3 THEN repeat(md5((%d)::text), 900) ELSE 's' END", edges => [ '' ], long => 1 },
	{ name => 'text COLLATE "C"', make => "('t' || (%d))", edges => [ '', 't' ] },
	{ name => 'bytea', make => "decode(md5((%d)::text), 'hex')", edges => [ '\\\\x', '\\\\x00' ] },
	{ name => 'name', make => "('n' || (%d))::name", edges => [''] },
	{ name => 'date', make => "('2000-01-01'::date + ((%d) % 100000)::integer)", edges => [qw(infinity -infinity)] },
	{ name => 'time', make => "('00:00'::time + (%d) % 100000 * '1 ms'::interval)", edges => ['24:00'] },
	{ name => 'timetz', make => "('00:00+02'::timetz + (%d) % 1000 * '1 s'::interval)", edges => [ '00:00-14', '24:00+14' ] },
	{ name => 'timestamp', make => "('2000-01-01'::timestamp + (%d) % 100000000 * '1 s'::interval)", edges => [qw(infinity -infinity)] },
	{ name => 'timestamptz', make => "('2000-01-01 00:00+00'::timestamptz + (%d) % 100000000 * '1 s'::interval)", edges => [qw(infinity -infinity)] },
	{ name => 'interval', make => "((%d) % 100000000 * '1 s'::interval)", edges => [ '1 mon', '30 days', '-178000000 years' ] },
	{ name => 'uuid', make => 'md5((%d)::text)::uuid', edges => ['ffffffff-ffff-ffff-ffff-ffffffffffff'] },
	{ name => 'inet', make => "('10.0.0.0'::inet + (%d) % 100000)", edges => [ '::1', '0.0.0.0/0' ] },
	{ name => 'macaddr', make => "('08:00:2b:01:02:' || to_hex(16 + abs((%d) % 200)))::macaddr", edges => ['ff:ff:ff:ff:ff:ff'] },
	{ name => 'bit(9)', make => '((%d) % 512)::integer::bit(9)', edges => ['111111111'] },
	{ name => 'varbit', make => '((%d) % 100000)::integer::bit(20)::varbit', edges => [ '', '1' ] },
	{ name => 'oid', make => '(abs((%d) % 100000))::oid', edges => [ 0, 4294967295 ] },
	{ name => 'd_mood', make => "(ARRAY['sad', 'ok', 'happy'])[abs((%d) % 3) + 1]::d_mood", edges => [qw(sad happy)] },
	{ name => 'd_small', make => '((%d) % 1000)::integer::d_small', edges => [ 0, 999 ], number => 1 },
	{ name => 'd_pair', make => "ROW((%d) % 1000, 'p' || (%d) % 9)::d_pair", edges => [ '(,)', '(1,"x y")' ] },
	{ name => 'integer[]', make => 'ARRAY[((%d) % 1000)::integer, NULL, 3]', edges => [ '{}', '{{1,2},{3,4}}' ], gin => 1 },
	{ name => 'text[]', make => "ARRAY['x' || (%d) % 50, 'y']", edges => [ '{}', '{NULL,"a b"}' ], gin => 1 },
	{ name => 'int4range', make => 'int4range(((%d) % 10000)::integer, ((%d) % 10000)::integer + 5)', edges => [ 'empty', '(,)' ], gist => 1 },
	{ name => 'nummultirange', make => 'nummultirange(numrange((%d) % 1000, (%d) % 1000 + 1))', edges => [ '{}', '{(,)}' ] },
	{ name => 'jsonb', make => "jsonb_build_object('k', (%d), 'v', (%d) % 7)", edges => [ 'null', '[]' ], gin => 1 },
	{ name => 'json', make => "json_build_object('k', (%d))", edges => ['null'], noorder => 1 },
	{ name => 'tsvector', make => "to_tsvector('simple', 'a b' || abs((%d) % 50))", edges => [''], gin => 1, noindex => 1 },
	{ name => 'point', make => 'point((%d) % 1000, 3)', edges => [ '(0,0)', '(NaN,1)' ], gist => 1, noorder => 1 },
	{ name => 'box', make => 'box(point((%d) % 1000, 3), point(0, 0))', edges => ['((0,0),(0,0))'], gist => 1, noorder => 1 },
	{ name => 'pg_lsn', make => "('0/0'::pg_lsn + abs((%d) % 1000000))", edges => ['FFFFFFFF/FFFFFFFF'] },
);

# How a column's bigints run with the number of the row, i.
my @patterns = (
	'i', '-i', 'i / 100', 'i % 10', '42', '(i * 7919) % 100003',
	'hashint8extended(i, SALT) / 4', 'hashint8extended(i, SALT) % 1000',
	'CASE WHEN i % 1000 = 7 THEN 1::bigint << 40 ELSE i % 16 END',
	'(i / 5000) * 1000', 'i * 1000000',
);

sub pick { return $_[ int(rand(@_)) ] }
sub chance { return rand() < $_[0] }
sub between { my ($low, $high) = @_; return $low + int(rand($high - $low + 1)) }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "E'$text'" }

# A column of some type.  Its values are expressions over i, a row's number.
sub new_column
{
	my ($name) = @_;
	my $type = pick(@types);
	my $salt = between(1, 1000);
	(my $pattern = pick(@patterns)) =~ s/SALT/$salt/;
	my $column = { name => $name, type => $type, nulls => pick(0, 0, 2, 3, 10, 1000, 1) };
	($column->{sql} = $type->{make}) =~ s/\(%d\)/($pattern)/g;
	$column->{pattern} = $pattern;
	return $column;
}

# The value of a column in row i, as an expression.
sub value_of
{
	my ($column) = @_;
	my $type = bare_type($column);
	my $sql = "($column->{sql})::$type";
	my @edges = @{ $column->{type}{edges} };
	my $when = '';

	$when .= " WHEN i % $column->{nulls} = 0 THEN NULL" if $column->{nulls};
	$when .= ' WHEN i % 997 = 5 THEN ' . quoted(pick(@edges)) . "::$type" if chance(0.4);
	return $when ? "CASE$when ELSE $sql END" : $sql;
}

sub bare_type { my ($column) = @_; (my $type = $column->{type}{name}) =~ s/ COLLATE.*//; return $type }

# A value to compare a column with, mostly one that a row up to the last has.
sub constant_for
{
	my ($column, $last_row) = @_;
	my $type = bare_type($column);

	return quoted(pick(@{ $column->{type}{edges} })) . "::$type" if chance(0.2);
	my $row = pick(1, between(1, $last_row), between(1, $last_row));
	(my $sql = $column->{sql}) =~ s/\bi\b/(${row}::bigint)/g;
	return "($sql)::$type";
}

1;
