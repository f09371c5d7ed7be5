# A backend is killed between two steps of maintenance, at chosen functions,
# after all that it has logged is on disk.  Needs gdb, which must be allowed to
# attach to the server's processes.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'gdb is not installed' if system('gdb --version >/dev/null 2>&1');

my $node = PostgreSQL::Test::Cluster->new('killed');
$node->init;
$node->append_conf(
	'postgresql.conf', q{
autovacuum = off
restart_after_crash = on
shared_preload_libraries = 'columnar'
});
$node->start;
$node->safe_psql(
	'postgres', q{
CREATE EXTENSION columnar;
CREATE TABLE h (id int8, note text) USING heap;
CREATE TABLE flush (n int);
CREATE FUNCTION wide(int8) RETURNS text LANGUAGE sql IMMUTABLE AS
	$$SELECT string_agg(md5(($1 * i)::text), '') FROM generate_series(1, 100) i$$;
});

# Runs a statement until it has come to the functions one after another, and
# kills it in the last one, or after it if that is given as "f()".  Then the
# server has restarted.  Returns false if gdb did not get that far.
sub kill_at
{
	my ($statement, @functions) = @_;
	my ($in, $out) = ('', '');
	my $log_start = -s $node->logfile;
	my $psql = IPC::Run::start(
		[ 'psql', '-XqAt', '-h', $node->host, '-p', $node->port, 'postgres' ],
		'<', \$in, '>', \$out, '2>&1', IPC::Run::timeout(60));
	$in = "SELECT pg_backend_pid();\n";
	$psql->pump until $out =~ /(\d+)\n/;
	my $pid = $1;

	my $flush = 'psql -XqAt -h ' . $node->host . ' -p ' . $node->port .
	  q{ -c 'INSERT INTO flush VALUES (1)' postgres};
	my @commands = ("break " . $functions[0] =~ s/\(\)//r, 'shell echo ready', 'continue');
	push @commands, 'delete', "break " . s/\(\)//r, 'continue'
	  for @functions[ 1 .. $#functions ];
	push @commands, 'delete';
	push @commands, 'finish' if $functions[-1] =~ /\(\)/;
	push @commands, "shell $flush", 'kill';
	my $gdb = '';
	my $debugger = IPC::Run::start(
		[ 'gdb', '-nx', '-batch', '-p', $pid, map { ('-ex', $_) } @commands ],
		'<', \undef, '>', \$gdb, '2>&1', IPC::Run::timeout(60));
	$debugger->pump until $gdb =~ /^ready/m || !$debugger->pumpable;
	$in .= "$statement;\n\\q\n";
	$psql->pump while length $in;
	$debugger->finish;
	$psql->finish;
	return 0 if $gdb !~ /killed\]/;
	# not by trying, which may break the pipe to a psql that is turned away
	$node->wait_for_log(
		qr/terminated; reinitializing.*ready to accept connections/s, $log_start);
	return $gdb =~ /^Breakpoint \Q${\ scalar @functions}\E, /m;
}

# Row form with TOASTed values behind column form, aborted rows, wide ones.
sub make_table
{
	$node->safe_psql(
		'postgres', q{
DROP TABLE IF EXISTS c;
CREATE TABLE c (id int8, note text) USING columnar;
CREATE INDEX ON c (id);
INSERT INTO c SELECT g, 'few' FROM generate_series(1, 900) g;
INSERT INTO c SELECT g, 'few' FROM generate_series(901, 1800) g;
BEGIN;
INSERT INTO c SELECT g, 'undone' FROM generate_series(1, 500) g;
ROLLBACK;
VACUUM c;
INSERT INTO c SELECT g, wide(g) FROM generate_series(2001, 2300) g;
BEGIN;
INSERT INTO c SELECT g, 'undone' FROM generate_series(1, 100) g;
ROLLBACK;
INSERT INTO c SELECT g, wide(g) FROM generate_series(3001, 3300) g;
INSERT INTO c SELECT g, 'load' FROM generate_series(4001, 14000) g;
TRUNCATE h;
INSERT INTO h TABLE c;
});
}

my $compact = q{SELECT columnar_compact('c')};
my $load = q{INSERT INTO c SELECT g, 'killed' FROM generate_series(1, 12000) g};
my $few = q{INSERT INTO c SELECT g, 'killed' FROM generate_series(1, 3000) g};
my $bulk = join '; ', map {
	my $rows = "SELECT g, rpad(g::text, 700, 'x') FROM generate_series($_, $_ + 899) g";
	("INSERT INTO c $rows", "INSERT INTO h $rows")
} 20000, 21000, 22000;
my $delete = q{DELETE FROM c WHERE id % 3 = 1};
my $fold = "$delete; DELETE FROM h WHERE id % 3 = 1; VACUUM c";
my $can_attach = 0;
for my $point (
	[ $compact, 'toast_list_write()' ],
	[ $compact, 'group_change_finish', 'group_change_finish()' ],
	[ $compact, 'extent_finish()' ],
	[ $compact, 'row_set_write()' ],
	[ $compact, 'group_change_finish', 'group_change_finish', 'free_space_retire' ],
	[ $compact, 'free_space_retire', 'free_space_retire' ],
	[ 'VACUUM c', 'remove_values' ],
	[ 'VACUUM c', 'row_set_write()' ],
	[ 'VACUUM c', 'free_space_retire', 'free_space_retire' ],
	[ "$bulk; $compact; VACUUM c", 'extent_copy_segment()' ],
	[ "$bulk; $compact; VACUUM c", 'extent_copy_segment', '*free_space_forget' ],
	[ "$bulk; $compact; VACUUM c", 'free_space_truncate()' ],
	[ $load, 'extent_finish()' ],
	[ $load, 'group_publish_columns', '*free_space_forget' ],
	[ $load, 'group_publish_columns', 'group_close' ],
	[ $few, 'row_map_append', 'metapage_read_or_create' ],
	[ $few, 'group_publish_rows', '*free_space_forget' ],
	[ $delete, 'row_header_add', 'free_space_allocate()' ],
	[ $delete, 'row_header_add', '*free_space_forget' ],
	[ $delete, 'row_header_map_read', '*free_space_forget' ],
	[ $delete, 'row_header_map_read', 'row_header_find', 'row_header_find' ],
	[ $fold, 'vacuum_fold', 'row_set_write()' ],
	[ $fold, 'row_header_page_rewrite' ],
	[ $fold, 'row_header_page_rewrite()' ],
	[ $fold, 'row_header_drop_empty', '*free_space_retire' ],
	[ $fold, 'row_header_drop_empty()' ])
{
	my $name = join(' ', @$point) =~ s/.*(?=SELECT columnar_compact)//r;

	make_table();
	if (!kill_at(@$point))
	{
		if ($can_attach)
		{
			fail("reached $name");
			next;
		}
		$node->stop('immediate');
		plan skip_all => 'gdb cannot attach to the server';
	}
	$can_attach = 1;

	# what comes next may be VACUUM, which moves less
	for my $next ('VACUUM c', $compact, 'VACUUM c')
	{
		my ($status, $out, $error) = $node->psql('postgres', $next);

		is($status, 0, "$name: $next: $error");
	}
	is( $node->safe_psql(
			'postgres', q{
SELECT count(*) FROM ((TABLE c EXCEPT ALL TABLE h) UNION ALL (TABLE h EXCEPT ALL TABLE c)) d}),
		'0', "$name: same rows as the heap table");
	is($node->safe_psql('postgres', q{SELECT message FROM columnar_verify('c')}),
		'', "$name: sound");
}

$node->stop;
done_testing();
