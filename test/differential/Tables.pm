# Tables.pm - tables full of awkward values, for random queries
#
# A data set is the same statements for heap tables and for columnar ones: a
# table t, another one s with row-level security, a partitioned or inherited
# one p, a small one d to join with, an empty one e, and views.  Everything is
# drawn from rand(), so that the same seed gives the same again.
#
# A column knows its name, the name of its type in SQL (sql_type), the type that
# Expression.pm knows it by (type), and what it is good for:
#
#	small	arithmetic on it does not overflow
#	exact	a sum of such floats is the same in any order
#	plain	equal values look the same
package Tables;

use strict;
use warnings;
use Exporter 'import';
use Values qw(pick chance between);

our @EXPORT = qw(data_set literal);

# %d is a bigint that the pattern of the column chooses for row i.
my @kinds = (
	{ type => 'bool', sql_type => 'boolean', make => '((%d) % 3 = 0)', edges => [qw(true false)] },
	{ type => 'int2', sql_type => 'smallint', make => '((%d) % 100)::int2', edges => [ 0, -1 ], small => 1 },
	{ type => 'int2', sql_type => 'smallint', make => '((%d) % 32768)::int2', edges => [ -32768, 32767, 0 ] },
	{ type => 'int4', sql_type => 'integer', make => '((%d) % 20000)::int4', edges => [ 0, -1, 1 ], small => 1 },
	{ type => 'int4', sql_type => 'integer', make => '((%d) % 7)::int4', edges => [0], small => 1 },
	{ type => 'int4', sql_type => 'integer', make => '((%d) % 2147483648)::int4', edges => [ -2147483648, 2147483647, 0 ] },
	{ type => 'int4', sql_type => 'q.small_int', make => '((%d) % 1000)::int4', edges => [ 0, 999 ], small => 1 },
	{ type => 'int8', sql_type => 'bigint', make => '((%d) % 20000)', edges => [ 0, 1 ], small => 1 },
	{ type => 'int8', sql_type => 'bigint', make => '((%d) % 1000000000000)', edges => [ 0, 4294967296 ] },
	{ type => 'int8', sql_type => 'bigint', make => '(%d)', edges => [ -9223372036854775808, 9223372036854775807, 0 ] },
	{ type => 'float4', sql_type => 'real', make => '((%d) % 640 / 64.0)::float4', edges => [qw(0 -0)], small => 1, exact => 1 },
	{ type => 'float4', sql_type => 'real', make => '((%d) / 7.0)::float4', edges => [qw(NaN -0 0 Infinity -Infinity 1e-45 3.4e38)] },
	{ type => 'float8', sql_type => 'double precision', make => '((%d) % 20000 / 64.0)::float8', edges => [qw(0 -0)], small => 1, exact => 1 },
	{ type => 'float8', sql_type => 'double precision', make => '((%d) % 50 / 4.0)::float8', edges => [qw(NaN Infinity -Infinity 0 -0)], exact => 1 },
	{ type => 'float8', sql_type => 'double precision', make => '((%d) % 100000 / 100.0)::float8', edges => [qw(0 -0 0.1)], small => 1 },
	{ type => 'float8', sql_type => 'double precision', make => '((%d) / 100.0)::float8', edges => [qw(NaN -0 0 Infinity -Infinity 5e-324 0.1 1e16 1e308 -1e308)] },
	{ type => 'numeric', sql_type => 'numeric', make => 'round((%d) % 100000 / 1000.0, (i % 4)::int4)', edges => [qw(0 0.000 1.0 1.00 -1.50)], small => 1 },
	{ type => 'numeric', sql_type => 'numeric', make => '((%d) / 1000.0)', edges => [qw(NaN Infinity -Infinity 0.000 1e100 -1.50 123456789012345678901234567890.123 1e-30)] },
	{ type => 'numeric', sql_type => 'numeric', make => 'round((%d) % 100000 / 1000.0, (i / 1500 % 3)::int4)', edges => [qw(0 0.000)], small => 1 },
	{ type => 'numeric', sql_type => 'numeric', make => '((%d) % 100)::numeric', edges => [qw(0.0 5.00)], small => 1 },
	{ type => 'numeric', sql_type => 'numeric(12,2)', make => '((%d) % 1000000 / 100.0)::numeric(12,2)', edges => [qw(0 -0.01 9999999999.99)], small => 1, plain => 1 },
	{ type => 'numeric', sql_type => 'numeric(12,2)', make => '((%d) % 1000 / 100.0)::numeric(12,2)', edges => [qw(NaN 0)], small => 1, plain => 1 },
	{ type => 'numeric', sql_type => 'numeric(38,10)', make => '((%d) / 3.0)::numeric(38,10)', edges => [qw(NaN 0 9999999999999999999999999999.9999999999)], plain => 1 },
	{ type => 'numeric', sql_type => 'q.price', make => '((%d) % 10000 / 100.0)::numeric(10,2)', edges => [0], small => 1, plain => 1 },
	{ type => 'date', sql_type => 'date', make => "('2000-01-01'::date + ((%d) % 1500)::int4)", edges => ['2000-02-29'], small => 1 },
	{ type => 'date', sql_type => 'date', make => "('2000-01-01'::date + ((%d) % 100000)::int4)", edges => [ 'infinity', '-infinity', '5874897-12-31', '4713-01-01 BC' ] },
	{ type => 'time', sql_type => 'time', make => "('00:00'::time + (%d) % 100000 * '1.001 s'::interval)", edges => [qw(24:00 00:00 23:59:59.999999)] },
	{ type => 'timestamp', sql_type => 'timestamp', make => "('2000-01-01'::timestamp + (%d) % 100000000 * '1.000001 s'::interval)", edges => ['1999-12-31 23:59:59.999999'], small => 1 },
	{ type => 'timestamp', sql_type => 'timestamp', make => "('2000-01-01'::timestamp + (%d) % 10000000 * '1 h'::interval)", edges => [ 'infinity', '-infinity', '294276-12-31 23:59:59.999999', '4713-01-01 00:00:00 BC' ] },
	{ type => 'timestamptz', sql_type => 'timestamptz', make => "('2000-01-01 00:00+00'::timestamptz + (%d) % 100000000 * '1 s'::interval)", edges => ['2000-03-26 01:00:00+00'], small => 1 },
	{ type => 'timestamptz', sql_type => 'timestamptz', make => "('2000-01-01 00:00+00'::timestamptz + (%d) % 10000000 * '1 min'::interval)", edges => [ 'infinity', '-infinity' ] },
	{ type => 'interval', sql_type => 'interval', make => "((%d) % 10000 * '1 h'::interval)", edges => [ '24 hours', '1 day', '30 days', '1 mon', '0' ], small => 1 },
	{ type => 'interval', sql_type => 'interval', make => "((%d) % 100000000 * '1 s'::interval)", edges => [ '-178000000 years', '178000000 years', '1 mon -30 days' ] },
	{ type => 'text', sql_type => 'text', make => "('t' || (%d))", edges => [ '', "a'b", 'ä', 't1%' ], collated => 1 },
	{ type => 'text', sql_type => 'text', make => "(ARRAY['', 'a', 'A', 'ab', 'aB', 'AB', 'b', 'ä', 'Ä', 'ß', 'ss', 'a ', '%', '_x', E'a\\\\b', 'zz'])[abs((%d) % 16) + 1]", edges => ['İstanbul'], collated => 1 },
	{ type => 'text', sql_type => 'text', make => "('http://' || abs((%d) % 50) || '.example.org/' || substr(md5((%d)::text), 1, 5) || '?q=' || (%d) % 7)", edges => [''], collated => 1 },
	{ type => 'text', sql_type => 'text', make => "repeat(md5((%d)::text), 1 + abs((%d) % 20)::int4)", edges => [''], collated => 1 },
	{ type => 'text', sql_type => 'text', make => "CASE WHEN i % 700 = 3 THEN repeat(md5((%d)::text), 900) ELSE 's' || (%d) % 5 END", edges => [''], collated => 1 },
	{ type => 'text', sql_type => 'varchar(30)', make => "('v' || (%d))::varchar(30)", edges => [ '', ' ', 'v ' ], collated => 1 },
	{ type => 'text', sql_type => 'q.word', make => "('w' || (%d) % 300)", edges => ['W1'] },
	{ type => 'bpchar', sql_type => 'char(8)', make => "((%d) % 9999)::text::char(8)", edges => [ '', ' ', 'ab ' ] },
	{ type => 'bytea', sql_type => 'bytea', make => "decode(md5((%d)::text), 'hex')", edges => [ '\x', '\x00' ] },
	{ type => 'uuid', sql_type => 'uuid', make => 'md5((%d)::text)::uuid', edges => ['ffffffff-ffff-ffff-ffff-ffffffffffff'] },
	{ type => 'q.mood', sql_type => 'q.mood', make => "(ARRAY['sad', 'ok', 'happy', 'happy', 'angry'])[abs((%d) % 5) + 1]::q.mood", edges => [qw(sad happy)] },
	{ type => 'int4[]', sql_type => 'int4[]', make => 'ARRAY[((%d) % 10)::int4, NULL, 3]', edges => [ '{}', '{{1,2},{3,4}}' ] },
	{ type => 'jsonb', sql_type => 'jsonb', make => "jsonb_build_object('k', (%d) % 100, 'v', (%d) % 7)", edges => [ 'null', '[]', '1.0', '1.00' ] },
	{ type => 'oid', sql_type => 'oid', make => '(abs((%d) % 100000))::oid', edges => [ 0, 4294967295 ] },
	{ type => '"char"', sql_type => '"char"', make => '(((%d) % 90 + 90) % 90 + 33)::int4::"char"', edges => [ '', 'x' ] },
	{ type => 'timetz', sql_type => 'timetz', make => "('00:00+02'::timetz + (%d) % 1000 * '1 s'::interval)", edges => [ '00:00-14', '24:00+14' ] },
	{ type => 'inet', sql_type => 'inet', make => "('10.0.0.0'::inet + (%d) % 1000)", edges => [ '::1', '0.0.0.0/0' ] },
	{ type => 'money', sql_type => 'money', make => '((%d) % 1000000)::numeric::money', edges => ['-92233720368547758.08'] },
);

# How a column's bigints run with the number of the row: sorted, in runs, few
# or many different ones, at random, mostly the same.
my @patterns = (
	'i', '-i', 'i / 100', 'i / 1024', 'i % 10', 'i % 3', '42', '(i * 7919) % 100003', 'i / 37 % 5',
	'hashint8extended(i, SALT) / 4', 'hashint8extended(i, SALT) % 1000', 'hashint8extended(i, SALT) % 12', 'hashint8extended(i / 50, SALT) % 100',
	'CASE WHEN i % 1000 = 7 THEN 1::bigint << 40 ELSE i % 16 END', '(i / 2000) * 1000', 'i * 1000000', 'CASE WHEN i > 3000 THEN 7 ELSE i END',
);

# What all data sets share.
our $prelude = <<'END';
CREATE SCHEMA q;
CREATE TYPE q.mood AS ENUM ('sad', 'ok', 'happy', 'angry');
CREATE DOMAIN q.small_int AS int4 CHECK (VALUE < 100000);
CREATE DOMAIN q.price AS numeric(10,2);
CREATE DOMAIN q.word AS text;
CREATE FUNCTION q.half(int4) RETURNS int4 LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS 'BEGIN RETURN $1 / 2; END';
CREATE FUNCTION q.mark(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$BEGIN RETURN '<' || $1 || '>'; END$$;
CREATE FUNCTION q.or_zero(int4) RETURNS int4 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN coalesce($1, 0); END';
CREATE FUNCTION q.even(int4) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 % 2 = 0';
CREATE FUNCTION q.tick(int4) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$BEGIN PERFORM nextval('pg_temp.ticks'); RETURN $1 % 3 = 0; END$$;
-- says of a row that a policy hides that it has seen it
CREATE FUNCTION q.peek(int4) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 0.0001 AS
	$$BEGIN IF $1 % 7 = 3 THEN RAISE EXCEPTION 'seen'; END IF; RETURN $1 % 2 = 0; END$$;
CREATE AGGREGATE q.xor_all(int8) (sfunc = int8xor, stype = int8);
CREATE AGGREGATE q.or_all(int4) (sfunc = int4or, stype = int4, combinefunc = int4or, parallel = safe);
CREATE FUNCTION q.glue_step(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT left($1 || coalesce($2, '-'), 200)$$;
CREATE AGGREGATE q.glue(text) (sfunc = q.glue_step, stype = text, initcond = '');
END
our $role = 'queries_reader';
our $collations = <<'END';
CREATE COLLATION q.nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION q.german (provider = icu, locale = 'de');
END

# A string as a literal of a type.
sub literal
{
	my ($text, $type) = @_;
	return "NULL::$type" if !defined $text;
	$text =~ s/'/''/g;
	$text =~ s/\\/\\\\/g;
	return ($text =~ /\\/ ? 'E' : '') . "'$text'::$type";
}

sub new_column
{
	my ($name, $collations, $kind) = @_;
	$kind //= pick(@kinds);
	my $salt = between(1, 1000);
	(my $pattern = pick(@patterns)) =~ s/SALT/$salt/;
	my $column = { %$kind, name => $name, pattern => $pattern, nulls => pick(0, 0, 0, 2, 3, 10, 1000, 1) };

	$column->{nulls} = 0 if $column->{nulls} == 1 && chance(0.7);
	$column->{null_runs} = chance(0.2);
	$column->{few_edges} = [ map { pick(@{ $kind->{edges} }) } 1 .. pick(0, 0, 1, 1, 2, 3) ];
	$column->{collation} = $kind->{collated} ? pick(@$collations) : '';
	return $column;
}

sub definition
{
	my ($column) = @_;
	return "$column->{name} $column->{sql_type}" . ($column->{collation} ? " COLLATE $column->{collation}" : '');
}

# The value of a column in row i.
sub value_of
{
	my ($column) = @_;
	my ($when, $residue) = ('', 3);
	(my $sql = $column->{make}) =~ s/\(%d\)/($column->{pattern})/g;

	$sql = "($sql)::$column->{sql_type}";
	$when .= ' WHEN i ' . ($column->{null_runs} ? '/ 700 % 4 = 1' : "% $column->{nulls} = 0") . ' THEN NULL' if $column->{nulls};
	for my $edge (@{ $column->{few_edges} })
	{
		$when .= ' WHEN i % ' . pick(97, 499, 997) . ' = ' . ($residue += 2) . ' THEN ' . literal($edge, $column->{sql_type});
	}
	return $when ? "CASE$when ELSE $sql END" : $sql;
}

# ---- statements ----------------------------------------------------------------

sub insert_rows
{
	my ($table, $first, $last) = @_;
	my $list = join(', ', 'id', map { $_->{name} } @{ $table->{columns} });

	return "INSERT INTO $table->{name} ($list) SELECT " . join(', ', 'i', map { value_of($_) } @{ $table->{columns} })
	  . " FROM generate_series(${first}::bigint, $last) i;";
}

# Loads of many rows and of few, by column and by row, with changes of rows and
# of the definition in between.
sub fill
{
	my ($table, $rows, $collations) = @_;
	my @sql = 'SET columnar.row_form_rows = ' . pick(0, 0, 100, 1000) . ';';
	my $row = 1;

	while ($row <= $rows)
	{
		my $count = pick(between(1, 40), between(1100, 3000), between(2000, 6000), $rows);
		my $last = $row + $count - 1;

		$last = $rows if $last > $rows;
		push @sql, 'SET columnar.row_form_rows = ' . pick(0, 1000, 1000, 3000, 1000000) . ';' if chance(0.4);
		push @sql, insert_rows($table, $row, $last);
		$row = $last + 1;
		push @sql, change_rows($table, $row) if chance(0.35);
		push @sql, add_column($table, $collations) if $collations && chance(0.2) && @{ $table->{columns} } < 16;
		push @sql, "VACUUM $table->{name};" if chance(0.1);
	}
	push @sql, 'SET columnar.row_form_rows = 1000;', insert_rows($table, $rows + 1, $rows + between(1, 30)) if chance(0.3);
	return @sql, 'SET columnar.row_form_rows = 1000;';
}

sub change_rows
{
	my ($table, $rows) = @_;
	my $where = pick('id % ' . between(2, 200) . ' = 1', 'id BETWEEN ' . between(1, $rows) . ' AND ' . between(1, $rows),
		'id / 100 = ' . between(0, $rows / 100), 'id = ' . between(1, $rows));
	my $column = pick(@{ $table->{columns} });

	return "DELETE FROM $table->{name} WHERE $where;" if chance(0.5);
	(my $value = value_of($column)) =~ s/\bi\b/(id + 1)::bigint/g;
	return "UPDATE $table->{name} SET $column->{name} = $value WHERE $where;";
}

sub add_column
{
	my ($table, $collations) = @_;
	my $column = new_column('a' . ++$table->{names}, $collations);
	my $default = '';

	if (chance(0.7))
	{
		($default = $column->{make}) =~ s/\(%d\)/(17::bigint)/g;
		$default =~ s/\bi\b/8::bigint/g;
		$default = " DEFAULT ($default)::$column->{sql_type}";
	}
	push @{ $table->{columns} }, $column;
	return "ALTER TABLE $table->{name} ADD COLUMN " . definition($column) . "$default;";
}

sub new_table
{
	my ($name, $count, $collations) = @_;
	my $table = { name => $name, names => 0 };
	# one of each of the most used types, whatever else comes
	my @wanted = map { my $type = $_; pick(grep { $_->{type} eq $type } @kinds) } pick(qw(int4 int8)), qw(numeric text), pick(qw(float8 float4)), pick(qw(date timestamp timestamptz));

	$table->{columns} = [ map { new_column('c' . ++$table->{names}, $collations, $_ <= 5 ? shift @wanted : undef) } 1 .. $count ];
	return $table;
}

sub plain_table
{
	my ($name, $rows, $count, $collations) = @_;
	my $table = new_table($name, $count, $collations);
	my @definitions = ('id int4', map { definition($_) } @{ $table->{columns} });
	my $junk = chance(0.3);

	$table->{key} = chance(0.3);
	splice(@definitions, between(0, scalar @definitions), 0, 'junk int4 DEFAULT 5') if $junk;
	$table->{sql} = [ "CREATE TABLE $name (" . join(', ', @definitions) . ');' ];
	push @{ $table->{sql} }, "ALTER TABLE $name ADD PRIMARY KEY (id);" if $table->{key};
	push @{ $table->{sql} }, fill($table, $rows, $collations);
	push @{ $table->{sql} }, "ALTER TABLE $name DROP COLUMN junk;" if $junk;
	push @{ $table->{sql} }, "ANALYZE $name;" if chance(0.8);
	return $table;
}

# A table whose rows lie in children, not all with their columns in the same
# order, and sometimes one of them a heap table.
sub parted_table
{
	my ($name, $rows, $count, $collations) = @_;
	my $table = new_table($name, $count, $collations);
	my $definitions = join(', ', 'id int4', map { definition($_) } @{ $table->{columns} });
	my $third = int($rows / 3);
	my @sql;

	if (chance(0.5))
	{
		my $how = pick('RANGE', 'HASH', 'LIST');
		my $key = $how eq 'LIST' ? '(id % 3)' : 'id';
		my @bounds = $how eq 'RANGE' ? ("FROM (MINVALUE) TO ($third)", "FROM ($third) TO (" . 2 * $third . ')', 'FROM (' . 2 * $third . ') TO (MAXVALUE)')
		  : $how eq 'HASH' ? map { "WITH (MODULUS 3, REMAINDER $_)" } 0 .. 2 : map { "IN ($_)" } 0 .. 2;

		push @sql, "CREATE TABLE $name ($definitions) PARTITION BY $how ($key);",
		  "CREATE TABLE ${name}1 (junk text, " . join(', ', reverse split(/, (?=\w+ [\w".])/, $definitions)) . ');',
		  "ALTER TABLE ${name}1 DROP COLUMN junk;", "ALTER TABLE $name ATTACH PARTITION ${name}1 FOR VALUES $bounds[0];",
		  "CREATE TABLE ${name}2 PARTITION OF $name FOR VALUES $bounds[1];",
		  "CREATE TABLE ${name}3 PARTITION OF $name FOR VALUES $bounds[2]" . (chance(0.3) ? ' USING heap' : '') . ';';
		push @sql, fill($table, $rows);
	}
	else
	{
		push @sql, "CREATE TABLE $name ($definitions);", "CREATE TABLE ${name}1 (own text) INHERITS ($name);",
		  "CREATE TABLE ${name}2 ($definitions, more int4 DEFAULT 3);", "ALTER TABLE ${name}2 INHERIT $name;";
		my $first = 1;

		push @sql, 'SET columnar.row_form_rows = ' . pick(0, 0, 1000) . ';';
		for my $child ($name, "${name}1", "${name}2")
		{
			my $child_table = { %$table, name => $child };
			push @sql, insert_rows($child_table, $first, $first + $third - 1);
			$first += $third;
			push @sql, change_rows($child_table, $first) if chance(0.4);
		}
	}
	push @sql, "ANALYZE $name;" if chance(0.7);
	$table->{sql} = \@sql;
	$table->{parted} = 1;
	return $table;
}

# A few rows whose columns are made as some columns of others are, to be joined.
sub small_table
{
	my ($name, @others) = @_;
	my $table = { name => $name, columns => [] };

	for my $other (@others)
	{
		for my $column (grep { $_->{type} ne 'jsonb' } @{ $other->{columns} })
		{
			push @{ $table->{columns} }, { %$column, name => "k" . ++$table->{names}, few_edges => [], nulls => pick(0, 0, 7) }
			  if chance(0.6) && @{ $table->{columns} } < 8;
		}
	}
	$table->{sql} = [
		"CREATE TABLE $name (" . join(', ', 'id int4', map { definition($_) } @{ $table->{columns} }) . ');',
		'SET columnar.row_form_rows = ' . pick(0, 1000) . ';', insert_rows($table, 1, between(1, 40)),
		'SET columnar.row_form_rows = 1000;', "ANALYZE $name;"
	];
	return $table;
}

# Statements that make a data set in the schema that is current, and its tables.
sub data_set
{
	my ($seed, $with_icu) = @_;
	srand($seed);
	my @all = ('', '', '"C"', '"C"', '"POSIX"', $with_icu ? ('q.nocase', 'q.nocase', 'q.german', '"en-x-icu"') : ());
	my $collations = [ pick(@all), pick(@all) ];
	my $large = chance(0.06);
	my $t = plain_table('t', $large ? between(66000, 140000) : between(2500, 9000), $large ? 5 : between(6, 13), $collations);
	my $s = plain_table('s', between(300, 5000), between(5, 9), $collations);
	my $p = parted_table('p', between(2000, 10000), between(5, 9), $collations);
	my $d = small_table('d', $t, $s);
	my $e = { name => 'e', columns => $d->{columns}, sql => ['CREATE TABLE e (LIKE d);'] };
	my @sql = map { @{ $_->{sql} } } $t, $s, $p, $d, $e;

	# a view keeps the columns that its table has now
	push @sql, 'ALTER TABLE s ENABLE ROW LEVEL SECURITY;', 'CREATE POLICY some_rows ON s USING (id % 7 <> 3);',
	  'CREATE VIEW v WITH (security_barrier) AS SELECT * FROM t WHERE id % 7 <> 3;', 'CREATE VIEW w AS SELECT * FROM t WHERE id % 5 <> 1;',
	  "GRANT SELECT ON t, s, p, d, e, v, w TO $role;";
	return {
		seed => $seed,
		sql => \@sql,
		large => $large,
		tables => { t => $t, s => $s, p => $p, d => $d, e => $e, v => { %$t, name => 'v' }, w => { %$t, name => 'w' } },
	};
}

1;
