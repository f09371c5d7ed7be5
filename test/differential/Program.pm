# Program.pm - short random programs for one or several sessions
#
# A program makes a few small tables, fills them so that rows in row form, in
# column form and with row headers occur, and gives each session a list of
# statements.  What they return must not depend on the order in which a table
# is read: rows are sorted where a statement does not order them, and no
# statement can hit two conflicts of which the order would choose one.
package Program;

use strict;
use warnings;
use Values;

# Made once in each database.  Lines that only columnar tables can give are
# warnings, so that they differ from heap's.
our $prelude = <<'END';
CREATE EXTENSION columnar;
CREATE EXTENSION amcheck;
CREATE EXTENSION btree_gist;
CREATE EXTENSION bloom;
CREATE TYPE d_mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN d_small AS integer CHECK (VALUE < 100000);
CREATE TYPE d_pair AS (a bigint, b text);
CREATE FUNCTION d_is_columnar(t regclass) RETURNS boolean
	RETURN (SELECT amname = 'columnar' FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE c.oid = t);
CREATE FUNCTION d_parts(t regclass) RETURNS SETOF regclass
	RETURN (SELECT relid FROM pg_partition_tree(t) WHERE isleaf);
CREATE OR REPLACE FUNCTION d_parts(t regclass) RETURNS SETOF regclass LANGUAGE sql
	AS $$SELECT relid FROM pg_partition_tree(t) WHERE isleaf$$;
-- what would not do anything in one of the databases must not fail in the other:
-- a unique index that CREATE INDEX CONCURRENTLY has left invalid
CREATE PROCEDURE d_convert(t regclass, am text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('ALTER TABLE %s SET ACCESS METHOD %I', t, am);
EXCEPTION WHEN unique_violation THEN
	NULL;
END $$;
CREATE PROCEDURE d_compact(name text) LANGUAGE plpgsql AS $$
DECLARE
	part regclass;
BEGIN
	FOR part IN SELECT d_parts(to_regclass(name)) LOOP
		IF d_is_columnar(part) THEN
			PERFORM columnar_compact(part);
		END IF;
	END LOOP;
END $$;
-- what is wrong with a table and its indexes
CREATE PROCEDURE d_check(name text) LANGUAGE plpgsql AS $$
DECLARE
	part regclass;
	line text;
BEGIN
	FOR part IN SELECT d_parts(to_regclass(name)) LOOP
		IF d_is_columnar(part) THEN
			FOR line IN SELECT v::text FROM columnar_verify(part) v LOOP
				RAISE WARNING 'columnar_verify: %', line;
			END LOOP;
		END IF;
		FOR line IN SELECT indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = relam
			WHERE indrelid = part AND amname = 'btree' AND indisvalid AND indisready LOOP
			PERFORM bt_index_check(line::regclass, true);
		END LOOP;
	END LOOP;
END $$;
CREATE FUNCTION d_log_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO log VALUES (concat_ws(' ', TG_RELID::regclass, TG_WHEN, TG_OP,
		CASE WHEN TG_OP <> 'INSERT' THEN OLD.id END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.id END,
		CASE WHEN TG_OP <> 'INSERT' THEN OLD.v END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.v END));
	RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE FUNCTION d_change_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		RETURN CASE WHEN OLD.id % 11 = 3 THEN NULL ELSE OLD END;
	END IF;
	NEW.v := NEW.v + 1;
	RETURN CASE WHEN NEW.id % 13 = 5 THEN NULL ELSE NEW END;
END $$;
CREATE FUNCTION d_count_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM %s', TG_RELID::regclass) INTO n;
	INSERT INTO log VALUES (concat_ws(' ', TG_WHEN, TG_OP, 'sees', n));
	RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
-- deletes the neighbour of a row that is changed
CREATE FUNCTION d_bite_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF pg_trigger_depth() = 1 AND OLD.id % 5 = 2 THEN
		EXECUTE format('DELETE FROM %s WHERE id = $1', TG_RELID::regclass) USING OLD.id + 1;
	END IF;
	RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE FUNCTION d_log_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO log SELECT concat_ws(' ', TG_OP, 'new', count(*), sum(id), sum(v), sum(hashtextextended(n::text, 0)::numeric)) FROM n;
	RETURN NULL;
END $$;
CREATE FUNCTION d_log_old() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO log SELECT concat_ws(' ', TG_OP, 'old', count(*), sum(id), sum(v), sum(hashtextextended(o::text, 0)::numeric)) FROM o;
	RETURN NULL;
END $$;
CREATE FUNCTION d_log_both() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO log SELECT concat_ws(' ', TG_OP, 'both', (SELECT count(*) FROM o), (SELECT sum(v) FROM o), count(*), sum(v)) FROM n;
	RETURN NULL;
END $$;
-- v of a row, or what went wrong; with its own subtransaction
CREATE FUNCTION d_try(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE command;
	GET DIAGNOSTICS n = ROW_COUNT;
	RETURN n;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
CREATE FUNCTION d_stable_v(name text, key bigint) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT sum(v) FROM %s WHERE id = $1', name) INTO n USING key;
	RETURN n;
END $$;
END
$prelude =~ s/CREATE FUNCTION d_parts.*?;\nCREATE OR REPLACE/CREATE/s;

# The program being made.
my ($rows, $sessions, @tables, $salt, $names);

sub name { return $_[0] . ++$names }
sub id_of { return chance(0.8) ? between(1, $sessions > 1 ? 3 : 20) : between(1, $rows + 5) }

# Added to keys, so that no two statements that did can meet.
sub far { return (1 << $salt++ % 30) * 1000000 }

# ---- tables --------------------------------------------------------------------

sub partitions
{
	my ($table) = @_;
	my $name = $table->{name};
	my $am = sub { return chance(0.3) ? ' USING heap' : '' };

	return map { "CREATE TABLE ${name}_$_ PARTITION OF $name FOR VALUES WITH (MODULUS 3, REMAINDER $_)" . $am->() . ';' } 0 .. 2
	  if $table->{partition} eq 'HASH (id)';
	my ($first, $second) = $table->{partition} eq 'LIST (p)'
	  ? ('IN (0, 1)', 'IN (2)') : ('FROM (MINVALUE) TO (4)', "FROM (4) TO (" . int($rows / 2 + 5) . ')');
	return ("CREATE TABLE ${name}_1 PARTITION OF $name FOR VALUES $first" . $am->() . ';',
		"CREATE TABLE ${name}_2 PARTITION OF $name FOR VALUES $second" . $am->() . ';',
		"CREATE TABLE ${name}_3 PARTITION OF $name DEFAULT" . $am->() . ';');
}

sub deferrable { return pick('', '', ' DEFERRABLE', ' DEFERRABLE INITIALLY DEFERRED') }
sub action { return pick('CASCADE', 'SET NULL', 'SET DEFAULT', 'RESTRICT', 'NO ACTION', 'CASCADE') }

sub table
{
	my $table = { name => name('t'), columns => [ map { new_column(name('c')) } 1 .. pick(0, 1, 2, 5) ] };
	my @lines = (
		'id bigint', 'k bigint', 'v integer DEFAULT 7', "s text" . pick('', ' COLLATE "C"'),
		'p integer DEFAULT 2', 'f integer DEFAULT 1', map { "$_->{name} $_->{type}{name}" } @{ $table->{columns} });
	my ($partition, $kind) = ('', '');

	if (chance(0.2))
	{
		$table->{partition} = pick('RANGE (id)', 'LIST (p)', 'HASH (id)');
		$partition = " PARTITION BY $table->{partition}";
	}
	elsif ($sessions == 1) { $kind = pick(('') x 6, 'UNLOGGED ', 'TEMP ') }
	my $also = ($table->{partition} // '') eq 'LIST (p)' ? ', p' : $partition ? ', id' : '';
	$table->{key} = $sessions > 1 || chance(0.6);
	$table->{id_key} = $table->{key} && $also ne ', p';
	push @lines, 'PRIMARY KEY (id' . ($also eq ', p' ? $also : '') . ')' if $table->{key};
	push @lines, "g bigint GENERATED ALWAYS AS (v * 2 + 1) STORED" if chance(0.15);
	push @lines, "i bigint GENERATED BY DEFAULT AS IDENTITY" if chance(0.1) && !$partition;
	push @lines, "UNIQUE (k$also)" . ($table->{k_deferred} = deferrable()) and $table->{k_key} = 1 if chance(0.3);
	push @lines, "EXCLUDE USING gist (k WITH =, s WITH =)" . deferrable() if chance(0.07) && !$partition;
	push @lines, "EXCLUDE USING btree (k WITH =)" if chance(0.03) && !$partition;
	push @lines, "CHECK (v <> 1313)" if chance(0.3);
	push @lines, "FOREIGN KEY (f) REFERENCES parent ON DELETE " . action() . ' ON UPDATE ' . action() . deferrable()
	  if chance(0.3) && $kind ne 'TEMP ';
	push @lines, "up bigint REFERENCES $table->{name} (id) ON DELETE " . action() if chance(0.1) && $table->{id_key} && !$partition;
	my $with = !$partition && chance(0.1) ? ' WITH (fillfactor = ' . pick(10, 50, 100) . ')' : '';
	push @tables, $table;
	return ("CREATE ${kind}TABLE $table->{name} (" . join(', ', @lines) . ")$partition$with;", $partition ? partitions($table) : ());
}

sub index_on
{
	my ($table) = @_;
	my $name = $table->{name};
	my $key = pick('btree (v)', 'btree (s, v)', 'btree (s) INCLUDE (id)', 'btree (v DESC) WHERE v % 2 = 0', 'btree ((v + k))',
		'hash (s)', 'hash (v)', 'btree (f)', 'btree (id)', 'btree (k, v)', 'gist (int4range(v, v + 5))', 'spgist (s)',
		"gin ((ARRAY[v, f]))", 'bloom (v, f)', 'gist (v, s)', "btree ((lower(s))) WHERE s IS NOT NULL");
	my ($column) = @{ $table->{columns} };

	if ($column && chance(0.3))
	{
		my $type = $column->{type};

		if ($type->{gin}) { $key = "gin ($column->{name})" }
		elsif ($type->{gist}) { $key = "gist ($column->{name})" }
		elsif (!$type->{noorder} && !$type->{noindex} && !$type->{long}) { $key = "btree ($column->{name})" }
	}
	push @{ $table->{indexes} }, name('x');
	return "INDEX $table->{indexes}[-1] ON $name USING $key";
}

sub trigger_on
{
	my ($table) = @_;
	my $name = name('g');
	my $on = "ON $table->{name}";
	my $row = 'FOR EACH ROW EXECUTE FUNCTION';
	my @events = grep { chance(0.6) } qw(INSERT UPDATE DELETE);
	my $events = join(' OR ', @events ? @events : 'UPDATE');
	my @choices = (
		"TRIGGER $name AFTER $events $on $row d_log_row()",
		"TRIGGER $name BEFORE $events $on $row d_log_row()",
		"TRIGGER $name BEFORE $events $on $row d_change_row()",
		"CONSTRAINT TRIGGER $name AFTER $events $on" . deferrable() . " $row d_log_row()",
		"TRIGGER $name AFTER INSERT $on REFERENCING NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION d_log_new()",
		"TRIGGER $name AFTER DELETE $on REFERENCING OLD TABLE AS o FOR EACH STATEMENT EXECUTE FUNCTION d_log_old()",
		"TRIGGER $name AFTER UPDATE $on REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION d_log_both()");
	push @choices, "TRIGGER $name AFTER UPDATE OF v $on FOR EACH ROW WHEN (OLD.v IS DISTINCT FROM NEW.v) EXECUTE FUNCTION d_log_row()";
	# reads the whole table for each row
	push @choices, "TRIGGER $name " . pick('AFTER', 'AFTER', 'BEFORE') . " $events $on $row d_count_row()" if $rows < 300;
	# whose neighbour is gone first depends on the order of a statement's rows
	push @choices, "TRIGGER $name " . pick('BEFORE', 'AFTER') . ' ' . pick('UPDATE', 'DELETE') . " $on $row d_bite_row()"
	  if $table->{only_single};
	return 'CREATE ' . pick(@choices) . ';';
}

# ---- rows ----------------------------------------------------------------------

sub column_list
{
	my ($table) = @_;
	return join(', ', qw(id k v s p f), map { $_->{name} } @{ $table->{columns} });
}

# The values of row i.  Keys are those of i, so what they clash with is i.
sub values_of_i
{
	my ($table) = @_;
	return join(', ', 'i', 'i * 10', 'i % 20', "'s' || i % 7", 'i % 4', pick('i % 9 + 1', 'i % 9 + 1', 'nullif(i % 10, 0)'),
		map { value_of($_) } @{ $table->{columns} });
}

sub select_rows
{
	my ($table, $first, $count) = @_;
	my $last = $first + $count - 1;
	return 'SELECT ' . values_of_i($table) . " FROM generate_series(${first}::bigint, $last) i";
}

sub insert_into { my ($table) = @_; return "INSERT INTO $table->{name} (" . column_list($table) . ') ' }

sub fill
{
	my ($table, @counts) = @_;
	my ($first, @steps) = (1);

	for my $count (@counts)
	{
		push @steps, insert_into($table) . select_rows($table, $first, $count) . ';';
		push @steps, settle($table) if chance(0.6);
		$first += $count;
	}
	$rows = $first - 1 if $first - 1 > $rows;
	return @steps;
}

# Turns rows into column form, more or less.
sub settle
{
	my ($table) = @_;
	return pick("VACUUM $table->{name};", "VACUUM (FREEZE) $table->{name};", "CALL d_compact('$table->{name}');",
		"CALL d_compact('$table->{name}');");
}

# ---- statements ----------------------------------------------------------------

# Rows of a table that a statement names.
sub one_row
{
	my ($table) = @_;
	my $id = id_of();
	my $name = $table->{name};

	return "id = $id" if $sessions > 1 || chance(0.6);
	# of rows with one id, which has the lowest TID is not the same
	return "ctid = (SELECT min(ctid) FROM $name WHERE id = $id)" if $table->{id_key} && !$table->{partition} && chance(0.2);
	return pick("k = " . $id * 10, "id = (SELECT min(id) FROM $name WHERE id >= $id)", "(id, k) = ($id, @{[$id * 10]})",
		"id IN ($id)",
		"tableoid = '$name'::regclass AND id = $id", "$name = (SELECT x FROM $name x WHERE id = $id ORDER BY x::text LIMIT 1)", "id = ${id}::numeric");
}

sub some_rows
{
	my ($table) = @_;
	my $name = $table->{name};
	my ($low, $high) = sort { $a <=> $b } id_of(), id_of();

	return one_row($table) if $table->{only_single} || ($sessions > 1 ? chance(0.7) : chance(0.35));
	return "id BETWEEN $low AND $high" if $sessions > 1;
	if (@{ $table->{columns} } && chance(0.15))
	{
		my $column = pick(@{ $table->{columns} });
		return "$column->{name} IS " . pick('', 'NOT ') . 'NULL' if $column->{type}{noorder};
		return "$column->{name} " . pick(qw(= < >= <>)) . ' ' . constant_for($column, $rows || 1);
	}
	return pick("ctid IN (SELECT ctid FROM $name WHERE id % 3 = 0)", "ctid = ANY (ARRAY(SELECT ctid FROM $name WHERE id BETWEEN $low AND $high))",
		"ctid >= (SELECT min(ctid) FROM $name)") if !$table->{partition} && chance(0.15);
	return pick("id BETWEEN $low AND $high", "id < $low", "id > $high", "v = " . between(0, 30), "v % " . between(2, 7) . " = 1",
		"s = 's" . between(0, 6) . "'", "id IN ($low, $high, NULL)", "id = ANY (ARRAY(SELECT id FROM $name WHERE v % 5 = 2))",
		"EXISTS (SELECT FROM parent WHERE a = f AND a % 2 = 0)", "id NOT IN (SELECT id FROM $name WHERE v < 15)",
		'true', 'f IS NULL', "v < " . between(0, 20) . " OR k % 3 = 0", "s LIKE '%" . between(0, 6) . "'",
		"k > (SELECT avg(k) FROM $name)", "id % 97 = 5", "v IS NULL OR id = $low", "id BETWEEN $low AND $high AND s < 's4'");
}

sub assignment
{
	my ($table) = @_;
	my $single = $sessions > 1;
	my @choices = ('v = v + 1', 'v = v + 1', 'v = v * 2, s = s || v', "s = repeat('x', " . pick(1, 10, 3000) . ') || id', 'v = NULL',
		'k = k + ' . far(), 'id = id + ' . far(), 'f = ' . between(1, 11), 'f = NULL', '(v, f) = (SELECT count(*) + 1, 3 FROM parent)',
		'p = (p + 1) % 4', 'v = DEFAULT', 'v = 1313', "s = (SELECT string_agg(md5((g * id)::text), '') FROM generate_series(1, 90) g)",
		"v = (SELECT max(x.v) FROM $table->{name} x)", 'v = v', 's = s');

	for my $column (@{ $table->{columns} })
	{
		(my $value = value_of($column)) =~ s/\bi\b/id/g;
		push @choices, "$column->{name} = $value";
	}
	return pick(@choices);
}

sub returning
{
	my ($table) = @_;
	return '' if chance(0.6);
	return ' RETURNING ' . pick('id, v', '*', "tableoid::regclass, id, s", 'id + v AS sum', $rows < 1000 ? "d_stable_v('$table->{name}', id)" : 'v + id');
}

sub update_rows
{
	my ($table) = @_;
	my $name = $table->{name};
	my ($set, $where) = (assignment($table), some_rows($table));
	my $kind = rand();

	return "UPDATE $name SET $set WHERE $where" . returning($table) if $kind < 0.75 || $sessions > 1;
	return "UPDATE $name SET v = $name.v + 1 FROM $name x WHERE x.id = $name.id AND x.v % 3 = 1" if $kind < 0.85;
	return "UPDATE $name SET v = 5 FROM parent WHERE a = $name.f AND $where" if $kind < 0.92 && $where !~ /\bf\b/;
	return "UPDATE $name SET v = x.v FROM (VALUES (1, 100), (2, 200), (7, 300), (15, NULL)) x (id, v) WHERE x.id = $name.id";
}

sub delete_rows
{
	my ($table) = @_;
	my $name = $table->{name};
	my $where = some_rows($table);

	$where = one_row($table) if $where =~ /^(true|ctid >)/ && chance(0.8);
	return "DELETE FROM $name USING parent WHERE a = $name.f AND a = " . between(1, 11) if chance(0.07) && $sessions == 1;
	return "DELETE FROM $name WHERE $where" . returning($table);
}

sub insert_rows
{
	my ($table) = @_;
	my $kind = rand();
	my $first = chance(0.5) ? id_of() : $rows + 1 + between(0, 20);
	my $count = $sessions > 1 ? pick(1, 1, 1, 2) : pick(1, 1, 1, 3, 20, 20, 200, chance(0.2) ? 2500 : 1);
	my $sql = insert_into($table) . select_rows($table, $first, $count);
	my $name = $table->{name};

	$rows = $first + $count - 1 if $first + $count - 1 > $rows && $count < 1000;
	if ($kind < 0.5)
	{
		my $target = $table->{id_key} ? pick('(id)', '(id)', "ON CONSTRAINT ${name}_pkey")
		  : $table->{k_key} && !$table->{partition} && !$table->{k_deferred} ? '(k)' : '';
		my $set = pick("v = $name.v + excluded.v", 'v = excluded.v + 1, s = excluded.s', 'k = excluded.k + ' . far(), "v = $name.v + 100");
		$sql .= pick(" ON CONFLICT DO NOTHING", " ON CONFLICT $target DO NOTHING",
			$target ? (" ON CONFLICT $target DO UPDATE SET $set" . pick('', " WHERE $name.v % 2 = 0")) x 3 : '');
	}
	elsif ($kind < 0.6 && $sessions == 1)
	{
		$sql = "INSERT INTO $name (id, k, v) SELECT id + " . far() . ", k + " . far() . ", v + 1 FROM $name WHERE " . some_rows($table)
		  . " ORDER BY id, $name" . '::text';
	}
	elsif ($kind < 0.65) { $sql = "INSERT INTO $name (id, k) VALUES (" . id_of() . ', DEFAULT), (' . far() . ', 5)' }
	elsif ($kind < 0.7 && !@{ $table->{columns} })
	{
		return "COPY $name (id, k, v, s) FROM stdin;\n" . join('', map { ($first + $_) . "\t" . far() . "\t$_\tcopied\n" } 0 .. between(0, 3)) . "\\.";
	}
	return $sql . returning($table);
}

sub merge_rows
{
	my ($table) = @_;
	my $name = $table->{name};
	my $from = pick("(SELECT i AS id, i * 10 AS k, i % 9 AS v FROM generate_series(@{[id_of()]}, @{[id_of()]}) i)",
		"(SELECT a AS id, a * 10 AS k, a AS v FROM parent)", "(VALUES (1, 10, 5), (2, 20, 6), (4, 40, 7))");
	$from = "(VALUES (@{[id_of()]}, @{[id_of() * 10]}, @{[between(0, 20)]}))" if $sessions > 1 || $table->{only_single};
	my $set = pick("v = $name.v + m.v", 'v = m.v', "s = $name.s || m.v", 'k = m.k + ' . far());
	my @when = (
		pick(' WHEN MATCHED AND m.v % 3 = 0 THEN DELETE', " WHEN MATCHED AND $name.v % 4 = 1 THEN DO NOTHING", ''),
		pick(" WHEN MATCHED THEN UPDATE SET $set", " WHEN MATCHED AND $name.v > m.v THEN UPDATE SET $set", ' WHEN MATCHED THEN DELETE'),
		pick(' WHEN NOT MATCHED THEN INSERT (id, k, v) VALUES (m.id, m.k, m.v)', ' WHEN NOT MATCHED THEN DO NOTHING', ''));
	return "MERGE INTO $name USING $from m (id, k, v) ON m.id = $name.id" . join('', @when);
}

sub with_changes
{
	my ($table) = @_;
	my $name = $table->{name};
	my $change = pick(\&update_rows, \&delete_rows, \&insert_rows)->($table);

	return $change if $change =~ /^COPY/;
	$change =~ s/ RETURNING .*//s;
	return "WITH w AS ($change RETURNING id, v) " . pick(
		'SELECT count(*), sum(id), sum(v) FROM w', "SELECT w.*, x.v FROM w LEFT JOIN (SELECT min(v) AS v, id FROM $name GROUP BY id) x USING (id)",
		"INSERT INTO log SELECT 'with ' || w::text FROM w", "SELECT (SELECT count(*) FROM w), count(*), sum(v) FROM $name");
}

sub summary { my ($table) = @_; return "SELECT count(*), sum(v), sum(hashtextextended(q::text, 0)::numeric) FROM $table->{name} q" }

sub query
{
	my ($table) = @_;
	my $name = $table->{name};
	my $where = some_rows($table);

	return pick(summary($table), summary($table) . " WHERE $where", "SELECT * FROM $name WHERE " . one_row($table),
		"SELECT count(*), count(v), sum(v), min(k), max(s), avg(f) FROM $name" . pick('', " WHERE $where"),
		"SELECT count(*) FROM $name", "SELECT count(*), sum(id) FROM $name WHERE id > " . between(-1, 10),
		"SELECT id FROM $name WHERE id BETWEEN 2 AND 9 ORDER BY id", "SELECT v, count(*), sum(k) FROM $name GROUP BY v HAVING count(*) > 1",
		"SELECT id, v, s FROM $name ORDER BY id DESC, $name" . "::text LIMIT 5", "SELECT min(v), max(v) FROM $name",
		"SELECT count(*), sum(a.v) FROM $name a JOIN $name b ON a.id = b.id + 1 LEFT JOIN parent ON a.f = parent.a",
		"SELECT count(*), sum(v) FROM $name TABLESAMPLE " . pick('bernoulli', 'system') . ' (100)',
		"SELECT count(DISTINCT (tableoid, ctid)) = count(*), bool_and(tableoid IS NOT NULL), bool_and(xmin IS NOT NULL) FROM $name",
		"SELECT x.id, l.v FROM (SELECT id FROM $name WHERE id < 8) x CROSS JOIN LATERAL (SELECT sum(v) AS v FROM $name WHERE id <= x.id) l",
		"SELECT count(*) FROM $name WHERE EXISTS (SELECT FROM $name y WHERE y.k = $name.v * 10)",
		"SELECT a, (SELECT sum(v) FROM $name WHERE f = a) FROM parent", "SELECT count(*) FROM log", 'SELECT line, count(*) FROM log GROUP BY line');
}

sub lock_rows
{
	my ($table) = @_;
	my $how = pick('UPDATE', 'NO KEY UPDATE', 'SHARE', 'KEY SHARE') . pick('', '', '', ' NOWAIT', ' SKIP LOCKED');

	return "SELECT id, v FROM $table->{name} WHERE " . some_rows($table) . " ORDER BY id, v FOR $how" if chance(0.6);
	return "SELECT id, v FROM $table->{name} WHERE " . one_row($table) . " FOR $how" if chance(0.4);
	return "SELECT id, v FROM $table->{name} ORDER BY id, v LIMIT " . between(1, 3) . " FOR $how" if chance(0.7);
	return "SELECT t.id, a FROM $table->{name} t JOIN parent ON a = f WHERE " . one_row($table) =~ s/\b$table->{name}\b/t/gr . ' FOR ' . pick('UPDATE', 'SHARE') . ' OF ' . pick('t', 'parent')
	  unless $table->{name} eq 't';
}

sub other_rows
{
	my $a = between(1, 11);
	my $id = id_of();

	# through a view of the first table
	return pick("UPDATE w SET v = v + 10 WHERE id = $id", "DELETE FROM w WHERE id = $id", "INSERT INTO w VALUES (" . far() . ', ' . far() . ', ' . between(30, 45) . ", 'w')",
		"UPDATE w SET v = 39 WHERE id = $id RETURNING id, v", "SELECT id, v FROM w WHERE id = $id FOR UPDATE") if chance(0.3);
	return pick("UPDATE parent SET b = b || 'x' WHERE a = $a", "UPDATE parent SET a = a + " . between(20, 30) . " WHERE a = $a",
		"DELETE FROM parent WHERE a = $a", "INSERT INTO parent VALUES ($a, 'again') ON CONFLICT (a) DO UPDATE SET b = 'twice'",
		"INSERT INTO parent VALUES ($a, 'new') ON CONFLICT DO NOTHING", "SELECT * FROM parent WHERE a = $a FOR " . pick('UPDATE', 'KEY SHARE', 'SHARE', 'NO KEY UPDATE'),
		'TABLE parent');
}

sub change
{
	my ($table) = @_;
	my $kind = rand();
	my $sql = $kind < 0.38 ? update_rows($table) : $kind < 0.56 ? delete_rows($table) : $kind < 0.78 ? insert_rows($table)
	  : $kind < 0.86 ? merge_rows($table) : $kind < 0.93 ? with_changes($table) : other_rows();
	return $sql;
}

sub function_block
{
	my ($table) = @_;
	my ($first, $second, $third) = map { my $sql; do { $sql = change($table) } while $sql =~ /^(COPY|SELECT|TABLE|WITH)|RETURNING/; $sql } 1 .. 3;
	my $fail = pick('NULL', 'PERFORM 1 / 0', "RAISE unique_violation", 'NULL');
	# more subtransactions than a session's shared entry holds
	return 'DO $$ BEGIN FOR i IN 1..' . between(3, 90) . " LOOP BEGIN UPDATE $table->{name} SET v = v + i WHERE id = i % 9;"
	  . " IF i % 3 = 0 THEN RAISE division_by_zero; END IF; EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END \$\$"
	  if chance(0.2);
	return 'DO $$ BEGIN ' . "$first; BEGIN $second; $fail; EXCEPTION WHEN OTHERS THEN $third; END; " . pick('', "PERFORM 1 / 0;") . ' END $$';
}

sub cursor
{
	my ($table, $state) = @_;
	my $name = name('k');
	my $for = pick('', ' FOR UPDATE', ' FOR SHARE', ' FOR NO KEY UPDATE', ' FOR KEY SHARE');
	my $scroll = $for ? 'NO SCROLL' : pick('SCROLL', 'NO SCROLL');
	my $hold = !$for && chance(0.2) ? ' WITH HOLD' : '';
	my @steps = ("DECLARE $name $scroll CURSOR$hold FOR SELECT * FROM $table->{name} WHERE " . some_rows($table)
		. " ORDER BY id, $table->{name}" . "::text$for;");

	# one that is not ordered is updatable without FOR UPDATE; whether it can
	# go backward depends on the plan
	if (chance(0.4))
	{
		$for = chance(0.5) ? ' FOR UPDATE' : '';
		$scroll = $hold = '';
		@steps = ("DECLARE $name CURSOR FOR SELECT * FROM $table->{name} WHERE " . one_row($table) . "$for;");
	}
	for (1 .. between(1, 4))
	{
		push @steps, pick("FETCH 1 FROM $name;", "FETCH 2 FROM $name;", "FETCH NEXT FROM $name;");
		push @steps, pick("UPDATE $table->{name} SET " . assignment($table) . " WHERE CURRENT OF $name;", "DELETE FROM $table->{name} WHERE CURRENT OF $name;")
		  if chance(0.6);
		push @steps, statement($table) if chance(0.3);
	}
	push @steps, "FETCH BACKWARD 2 FROM $name;", "FETCH LAST FROM $name;", "FETCH FIRST FROM $name;" if $scroll eq 'SCROLL' && @steps > 3;
	push @steps, "CLOSE $name;" if $hold;
	return $state->{open} ? @steps : ('BEGIN;', @steps, pick('COMMIT;', 'COMMIT;', 'ROLLBACK;'), $hold ? ("FETCH ALL FROM $name;", "CLOSE $name;") : ());
}

sub definition
{
	my ($table, $state) = @_;
	my $name = $table->{name};
	my $column = pick(@{ $table->{columns} });
	my $new = new_column(name('c'));
	my $default = chance(0.6) ? ' DEFAULT ' . constant_for($new, $rows) : '';
	my @choices = ("ALTER TABLE $name ADD COLUMN $new->{name} $new->{type}{name}$default;", "ALTER TABLE $name ALTER v TYPE bigint;",
		"ALTER TABLE $name ALTER v TYPE numeric;", "ALTER TABLE $name ALTER s TYPE varchar(10000);", "TRUNCATE $name" . pick('', ' CASCADE') . ';',
		"CREATE " . index_on($table) . ';', "REINDEX TABLE $name;", "ALTER TABLE $name ALTER v SET DEFAULT 9;", trigger_on($table),
		"ALTER TABLE $name ALTER s SET STORAGE " . pick('EXTERNAL', 'PLAIN', 'MAIN') . ';', "ANALYZE $name;",
		"CREATE TABLE " . name('m') . " AS SELECT * FROM $name;", "LOCK TABLE $name IN " . pick('SHARE', 'ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE') . ' MODE;');
	push @choices, ("CALL d_convert('$name', '" . pick('heap', 'columnar') . "');") x 2, "VACUUM FULL $name;",
	  "CLUSTER $name USING ${name}_pkey;", "ALTER TABLE $name SET (fillfactor = 30);" if !$table->{partition};
	push @choices, "ALTER TABLE $name DROP COLUMN $column->{name};" if $column;
	my $sql = pick(@choices);
	push @{ $table->{columns} }, $new if $sql =~ /ADD COLUMN/;
	@{ $table->{columns} } = grep { $_ != $column } @{ $table->{columns} } if $sql =~ /DROP COLUMN/;
	return $sql;
}

sub maintenance
{
	my ($table) = @_;
	my $name = $table->{name};
	my @choices = (settle($table), settle($table), settle($table), "VACUUM (ANALYZE) $name;", "CALL d_check('$name');",
		"VACUUM (INDEX_CLEANUP off) $name;", "VACUUM (DISABLE_PAGE_SKIPPING, TRUNCATE off) $name;", "VACUUM (INDEX_CLEANUP on) $name;");
	push @choices, 'CREATE ' . index_on($table) =~ s/INDEX/INDEX CONCURRENTLY/r . ';', "REINDEX TABLE CONCURRENTLY $name;"
	  if !$table->{partition};
	return pick(@choices);
}

my %planner = (
	'columnar.vector_scan' => [qw(on off)],
	enable_seqscan => [qw(on on off)],
	enable_indexscan => [qw(on off)],
	enable_bitmapscan => [qw(on off)],
	enable_hashjoin => [qw(on off)],
	enable_indexonlyscan => [qw(on on off)],
	enable_nestloop => [qw(on on off)],
	max_parallel_workers_per_gather => [ 0, 0, 2 ],
	parallel_setup_cost => [ 0, 1000 ],
	parallel_tuple_cost => [ 0, 0.1 ],
	min_parallel_table_scan_size => [qw(0 '8MB')],
	plan_cache_mode => [qw(auto force_generic_plan force_custom_plan)],
);

sub planner
{
	my $name = pick(sort keys %planner);
	return "SET $name = " . pick(@{ $planner{$name} }) . ';';
}

sub prepared
{
	my ($table) = @_;
	my $name = name('p');
	my $sql = pick("UPDATE $table->{name} SET v = v + \$1 WHERE id = \$1", "SELECT * FROM $table->{name} WHERE id = \$1",
		"DELETE FROM $table->{name} WHERE id = \$1", "SELECT count(*), sum(v) FROM $table->{name} WHERE v < \$1",
		"SELECT id FROM $table->{name} WHERE id = \$1 FOR UPDATE");
	return ("PREPARE $name (integer) AS $sql;", map { "EXECUTE $name (@{[id_of()]});" } 1 .. between(1, 7));
}

# ---- a session's statements ----------------------------------------------------

# A transaction, with savepoints and errors that end it or not.
sub transaction
{
	my ($table_of, $most) = @_;
	my $depth = 0;
	my $level = pick('', '', '', '', ' ISOLATION LEVEL REPEATABLE READ', $sessions == 1 || chance(0.5) ? ' ISOLATION LEVEL SERIALIZABLE' : '');
	my @steps = ("BEGIN$level;");
	my $careful = chance(0.8);
	my $gid = name('g');

	push @steps, '\set ON_ERROR_ROLLBACK on' if $careful;
	push @steps, 'SET CONSTRAINTS ALL ' . pick('DEFERRED', 'IMMEDIATE') . ';' if chance(0.15);
	for (1 .. between(1, $most))
	{
		my $table = $table_of->();
		my $kind = rand();

		if ($kind < 0.15) { push @steps, 'SAVEPOINT s' . ++$depth . ';' }
		elsif ($kind < 0.25 && $depth) { push @steps, 'ROLLBACK TO s' . between(1, $depth) . ';' }
		elsif ($kind < 0.29 && $depth) { push @steps, 'RELEASE s' . $depth-- . ';' }
		elsif ($kind < 0.34) { push @steps, cursor($table, { open => 1 }) }
		elsif ($kind < 0.38 && $sessions == 1) { push @steps, definition($table) }
		elsif ($kind < ($sessions > 1 ? 0.4 : 0.55)) { push @steps, query($table) . ';' }
		# of two waiters heap lets the one whose old snapshot must fail wait on
		elsif ($kind < ($sessions > 1 ? 0.6 : 0.65) && !($sessions > 2 && $level)) { push @steps, (lock_rows($table) || query($table)) . ';' }
		elsif ($kind < ($sessions > 1 ? 0.63 : 0.7)) { push @steps, function_block($table) . ';' }
		else { push @steps, statement($table) }
	}
	push @steps, pick('COMMIT;', 'COMMIT;', 'COMMIT;', 'ROLLBACK;', "PREPARE TRANSACTION '\@$gid';");
	push @steps, '\set ON_ERROR_ROLLBACK off' if $careful;
	push @steps, pick('COMMIT', 'COMMIT', 'ROLLBACK') . " PREPARED '\@$gid';" if $steps[-1] =~ /PREPARE/ || ($steps[-2] // '') =~ /PREPARE/;
	return @steps;
}

# A change; COPY brings its own end.
sub statement { my ($table) = @_; my $sql = change($table); return $sql =~ /^COPY/ ? $sql : "$sql;" }

sub script
{
	my ($length) = @_;
	my $table_of = sub { return pick(@tables) };
	my @steps;

	push @steps, 'SET enable_seqscan = off;', 'SET enable_bitmapscan = off;' if $sessions > 1;
	while (@steps < $length)
	{
		my $table = $table_of->();
		my $kind = rand();

		if ($kind < ($sessions > 1 ? 0.2 : 0.4)) { push @steps, statement($table) }
		elsif ($kind < ($sessions > 1 ? 0.75 : 0.62)) { push @steps, transaction($table_of, $sessions > 1 ? 7 : 10) }
		elsif ($kind < 0.78) { push @steps, query($table) . ';' }
		elsif ($kind < 0.85) { push @steps, maintenance($table) }
		elsif ($kind < 0.88) { push @steps, definition($table) }
		elsif ($kind < 0.9) { push @steps, cursor($table, {}) }
		elsif ($kind < 0.93) { push @steps, prepared($table) }
		elsif ($kind < 0.96) { push @steps, function_block($table) . ';' }
		elsif ($kind < 0.97) { push @steps, "SELECT d_try('" . statement($table) =~ s/'/''/gr =~ s/;$//r . "');" }
		elsif ($sessions == 1) { push @steps, planner() }
	}
	return @steps;
}

# The program of a seed: setup and final checks, which session 1 runs alone,
# and the scripts of the sessions.
sub program
{
	my ($seed) = @_;
	my @setup;

	srand($seed);
	($rows, $salt, $names, @tables) = (0, 0, 0);
	$sessions = pick(1, 1, 2, 3, 3);
	push @setup, 'CREATE TABLE parent (a integer PRIMARY KEY, b text);', "INSERT INTO parent SELECT i, 'b' || i FROM generate_series(1, 10) i;",
	  'CREATE TABLE log (line text);';
	push @setup, settle({ name => 'parent' }) if chance(0.5);
	my $large = chance(0.12);
	for (1 .. pick(1, 1, 2))
	{
		push @setup, table();
		my $table = $tables[-1];
		my @counts = $large ? (pick(3000, 12000), between(1, 1500)) : chance(0.3) ? (between(200, 1500), between(1, 30)) : (between(3, 20)) x pick(1, 2);

		$table->{only_single} = chance(0.15);
		push @setup, 'CREATE ' . index_on($table) . ';' for 1 .. pick(0, 0, 1, 1, 3);
		push @setup, fill($table, @counts);
		# row headers, and TIDs out of order
		push @setup, "DELETE FROM $table->{name} WHERE id % " . between(2, 9) . ' = 1;' if chance(0.25);
		push @setup, "UPDATE $table->{name} SET v = v + 1 WHERE id % " . between(2, 9) . ' = 0;' if chance(0.25);
		push @setup, settle($table) if chance(0.25);
		push @setup, trigger_on($table) for 1 .. pick(0, 0, 0, 1, 2);
	}
	push @setup, "CREATE VIEW w AS SELECT id, k, v, s FROM $tables[0]{name} WHERE v IS NULL OR v < 40" . pick('', ' WITH CHECK OPTION') . ';';
	my @scripts = map { [ script($sessions > 1 ? between(8, 20) : between(15, 45)) ] } 1 .. $sessions;
	my @check = map { ("SELECT " . "line, count(*) FROM log GROUP BY line;") x ($_ == 0), summary($tables[$_]) . ';',
		"CALL d_check('$tables[$_]{name}');" } 0 .. $#tables;
	push @check, map { ("SET enable_seqscan = off;", 'SET columnar.vector_scan = off;', summary($_) . ' WHERE id > -1;', "SELECT count(*), sum(id) FROM $_->{name} WHERE id > -1;", summary($_) . ' WHERE k > -1;',
		summary($_) . " WHERE v >= 0;", "VACUUM $_->{name};", summary($_) . ';', "CALL d_check('$_->{name}');") } @tables;
	push @check, "TABLE parent;", "CALL d_check('parent');", "CALL d_check('log');";
	return { seed => $seed, setup => \@setup, scripts => \@scripts, check => \@check };
}

1;
