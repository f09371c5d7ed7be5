# Writers, VACUUM and columnar_compact() are stopped dead at some moment; then
# the table must hold what its heap twin holds, be sound, and lose no space.
use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('vacuum_crash');
$node->init;
$node->append_conf(
	'postgresql.conf', q{
autovacuum = off
max_connections = 20
restart_after_crash = off
});
$node->start;

$node->safe_psql(
	'postgres', q{
CREATE EXTENSION columnar;
CREATE TABLE c (id int8, note text, n numeric) USING columnar;
CREATE INDEX ON c (id);
CREATE TABLE h (LIKE c) USING heap;
});

my $dir = PostgreSQL::Test::Utils::tempdir;

sub script
{
	my ($name, $text) = @_;
	append_to_file("$dir/$name", $text);
	return "$dir/$name";
}

# the same rows in both tables, few, many or wide; and rows that are undone
my $both = q{
\set r random(1, 1000000000)
BEGIN;
INSERT INTO c SELECT :r * 100000::int8 + g, NOTE, g / 4.0 FROM generate_series(1, :k) g;
INSERT INTO h SELECT :r * 100000::int8 + g, NOTE, g / 4.0 FROM generate_series(1, :k) g;
COMMIT;
};
my %notes = (
	few => [ 20, q{'note ' || g % 50} ],
	many => [ 20000, q{'note ' || g % 50} ],
	wide => [ 20, q{(SELECT string_agg(md5((g * i)::text), '') FROM generate_series(1, 120) i)} ]);
my @writers;
for my $name (sort keys %notes)
{
	my ($most, $note) = @{ $notes{$name} };
	my $weight = $name eq 'few' ? 20 : 1;
	my $text = "\\set k random(1, $most)\n" . $both =~ s/NOTE/$note/gr;

	push @writers, '-f', script($name, $text) . "\@$weight";
}
push @writers, '-f', script('undone', q{
\set k random(1, 12000)
BEGIN;
INSERT INTO c SELECT -g, 'undone', 0 FROM generate_series(1, :k) g;
ROLLBACK;
}) . '@2';

my @maintenance = (
	'-f', script('vacuum', 'VACUUM c;'),
	'-f', script('freeze', 'VACUUM (FREEZE) c;'),
	'-f', script('compact', q{SELECT columnar_compact('c');}));

sub start_pgbench
{
	my ($clients, @scripts) = @_;
	my ($out, $err) = ('', '');

	return IPC::Run::start(
		[
			'pgbench', '-n', '-h', $node->host, '-p', $node->port,
			'-c', $clients, '-T', '60', @scripts, 'postgres'
		],
		'>', \$out, '2>', \$err);
}

# seconds until the end comes, spread over rounds
for my $round (1 .. 3)
{
	my @runs = (start_pgbench(3, @writers), start_pgbench(1, @maintenance));

	sleep 1;
	select(undef, undef, undef, 0.37 * $round);
	$node->stop('immediate');
	$_->finish for @runs;
	$node->start;

	# blocks may have been leaked, which VACUUM finds
	is( $node->safe_psql(
			'postgres', q{
SELECT message FROM columnar_verify('c') WHERE message !~ 'neither used nor free'}),
		'', "round $round: sound after the crash");
	is( $node->safe_psql(
			'postgres', q{
SELECT count(*) FROM ((TABLE c EXCEPT ALL TABLE h) UNION ALL (TABLE h EXCEPT ALL TABLE c)) d}),
		'0', "round $round: same rows as the heap table");
	is( $node->safe_psql(
			'postgres', q{
SET enable_seqscan = off; SET columnar.vector_scan = off;
SELECT (SELECT count(*) FROM c WHERE id > -100000) = (SELECT count(*) FROM h)}),
		't', "round $round: the index finds them");
	$node->safe_psql('postgres', 'VACUUM c');
	is($node->safe_psql('postgres', q{SELECT message FROM columnar_verify('c')}),
		'', "round $round: sound after VACUUM");
}

# values of rows that are in column form now have left the TOAST table
$node->safe_psql('postgres', q{SELECT columnar_compact('c')});
$node->safe_psql('postgres', 'VACUUM c');
my $toast = $node->safe_psql('postgres',
	q{SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'c'});
my $kept = $node->safe_psql('postgres',
	"SELECT count(DISTINCT chunk_id) FROM $toast");
my $wide = $node->safe_psql('postgres',
	'SELECT count(*) FROM h WHERE length(note) > 2000');
cmp_ok($kept, '<=', $wide / 2, "TOAST table has $kept of $wide wide values");

$node->stop;
done_testing();
