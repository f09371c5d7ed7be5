# TwinTables.pm - a columnar table, a heap table, and random changes to both
#
# Every transaction changes "c" and "h" alike, so that after a crash at any
# moment, or on a standby, both must hold the same rows.
package TwinTables;

use strict;
use warnings;
use Exporter 'import';

# Whether other sessions change the same rows.
our $shared = 0;

our @EXPORT = qw(create_twins random_step random_change twin_differences);

sub pick { return $_[ int(rand(@_)) ] }
sub between { my ($low, $high) = @_; return $low + int(rand($high - $low + 1)) }

sub create_twins
{
	return q{
CREATE EXTENSION IF NOT EXISTS columnar;
CREATE EXTENSION IF NOT EXISTS amcheck;
CREATE TABLE c (id int8 PRIMARY KEY, g int, s text, n numeric) USING columnar;
CREATE INDEX c_g ON c (g);
CREATE INDEX c_s ON c (s) WHERE length(s) < 100;
CREATE TABLE h (id int8 PRIMARY KEY, g int, s text, n numeric) USING heap;
CREATE FUNCTION wide(int8) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$SELECT string_agg(md5(($1 * i)::text), '') FROM generate_series(1, 100) i$$;
-- what a verified table may not say; leaks are for VACUUM to find
CREATE FUNCTION unsound(leaks bool) RETURNS SETOF text LANGUAGE sql AS
	$$SELECT 'columnar_verify: ' || v::text FROM columnar_verify('c') v
		WHERE leaks OR message !~ 'neither used nor free'$$;
CREATE FUNCTION unlike(way text) RETURNS SETOF text LANGUAGE sql AS
	$$SELECT way || ': only in columnar ' || left(x::text, 60) FROM (TABLE c EXCEPT ALL TABLE h) x
	UNION ALL SELECT way || ': only in heap ' || left(x::text, 60) FROM (TABLE h EXCEPT ALL TABLE c) x LIMIT 6$$;
CREATE FUNCTION unlike_by_index() RETURNS SETOF text LANGUAGE sql
	SET enable_seqscan = off SET columnar.vector_scan = off SET enable_bitmapscan = off AS
	$$SELECT 'by index: id ' || h.id FROM h WHERE NOT EXISTS (SELECT FROM c WHERE c.id = h.id AND c.g IS NOT DISTINCT FROM h.g)
	UNION ALL SELECT 'by index: counts ' || a || ' ' || b FROM (SELECT (SELECT count(*) FROM c WHERE g > -1) AS a, (SELECT count(*) FROM h WHERE g > -1) AS b) x
		WHERE a <> b
	UNION ALL SELECT 'by index: sums ' || a || ' ' || b FROM (SELECT (SELECT sum(id) FROM c WHERE id > -1000000) AS a, (SELECT sum(id) FROM h WHERE id > -1000000) AS b) x
		WHERE a <> b
	LIMIT 6$$;
};
}

# The same statement for both tables.
sub both { my ($sql) = @_; return map { $sql =~ s/TABLE/$_/gr . ';' } qw(c h) }

# A change of few or many rows.
sub random_change
{
	my $kind = rand();
	my $id = between(1, 4000);
	my $count = pick(1, 1, 1, between(2, 40), between(200, 1200));
	my $text = pick("'note ' || i % 7", "'note ' || i % 7", "'note ' || i", 'wide(i % 100000)');
	my $salt = between(1, 10000);
	my $rows = sub {
		my ($first, $n) = @_;
		# large loads of wide rows take long
		$text = "'note ' || i % 5" if $n > 100;
		return "SELECT i, (i * $salt) % 50, $text, i / 4.0 FROM generate_series(${first}::int8, $first + $n - 1) i";
	};

	# a row that keeps one table's row out may be gone when it is the other's turn
	return both("INSERT INTO TABLE " . $rows->($id, $count) . ' ON CONFLICT DO NOTHING') if $kind < 0.12 && !$shared;
	return both("INSERT INTO TABLE " . $rows->($id, $count)
		. " ON CONFLICT (id) DO UPDATE SET g = excluded.g, s = excluded.s") if $kind < 0.25;
	return both("INSERT INTO TABLE " . $rows->(int(rand(1e8)) * 1000000, pick(1, 1, 20, 1500, 9000))) if $kind < 0.38;
	return both("UPDATE TABLE SET g = (g + 1) % 50 WHERE id = $id") if $kind < 0.5;
	return both("UPDATE TABLE SET g = (g + 7) % 50, s = s || 'x' WHERE id BETWEEN $id AND " . ($id + $count)) if $kind < 0.6;
	return both("UPDATE TABLE SET s = wide(id % 100000 + $salt) WHERE id BETWEEN $id AND " . ($id + 5)) if $kind < 0.65;
	return both("UPDATE TABLE SET id = -id WHERE id = $id") if $kind < 0.68;
	return both("DELETE FROM TABLE WHERE id BETWEEN $id AND " . ($id + $count)) if $kind < 0.84;
	return both("DELETE FROM TABLE WHERE id > 1000000 AND id % " . between(2, 5) . ' = 0') if $kind < 0.87;
	return ("SELECT count(*) FROM (SELECT FROM c WHERE id BETWEEN $id AND $id + 3 FOR " . pick('UPDATE', 'SHARE', 'KEY SHARE', 'NO KEY UPDATE') . ') x;');
}

# Statements of one session: a transaction, with parts undone, or maintenance.
sub random_step
{
	my ($maintenance) = @_;
	my @steps = ('BEGIN;');

	return pick('VACUUM c;', 'VACUUM (FREEZE) c;', "SELECT columnar_compact('c');", "SELECT columnar_compact('c');", 'REINDEX INDEX c_g;',
		'REINDEX INDEX CONCURRENTLY c_g;', 'CHECKPOINT;', 'VACUUM (INDEX_CLEANUP off) c;') if rand() < ($maintenance // 0.25);
	# many rows changed and nothing of it left: the file grows and shrinks
	return (@steps, pick('UPDATE c SET n = n + 1;', 'DELETE FROM c WHERE id % 3 = 1;',
			'SELECT count(*) FROM (SELECT FROM c WHERE id % 7 = 1 FOR UPDATE) x;'), 'ROLLBACK;') if rand() < 0.1;
	for (1 .. between(1, 3))
	{
		if (rand() < 0.25)
		{
			push @steps, 'SAVEPOINT a;', random_change(), 'ROLLBACK TO a;';
		}
		push @steps, random_change();
	}
	return (@steps, pick('COMMIT;', 'COMMIT;', 'COMMIT;', 'ROLLBACK;'));
}

# What is wrong with the tables, as text.
sub twin_differences
{
	my ($node, $leaks) = @_;
	my ($status, $out, $err) = $node->psql(
		'postgres', qq{
SELECT unlike('by scan');
SET columnar.vector_scan = off;
SELECT unlike('by plain scan');
RESET columnar.vector_scan;
SELECT unlike_by_index();
} . ($node->{twin_standby} ? '' : q{
SELECT unsound(} . ($leaks ? 'true' : 'false') . q{);
SELECT bt_index_check(indexrelid::regclass, true)::text FROM pg_index WHERE indrelid = 'c'::regclass AND indisvalid AND indisready;
}));
	# a standby that stops while it holds the lock of a truncation
	return '' if $node->{twin_standby} && $err =~ /canceling statement due to lock timeout/;
	return join("\n", grep { /\S/ } split /\n/, "$out\n$err");
}

1;
