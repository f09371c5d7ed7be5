# Writers, VACUUM and columnar_compact() are stopped dead at some moment; then
# the table must hold what its heap twin holds, be sound, and lose no space.
# CRASH_ROUNDS sets how often (3).
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
autovacuum_naptime = 1h
max_connections = 20
restart_after_crash = off
log_error_verbosity = verbose
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

# the same rows in both tables, few, many or wide; each client has its own, so
# that two statements change the same rows although others are at work
my $both = q{
\set r random(1, 100000000)
BEGIN;
INSERT INTO c SELECT (:r * 8 + :client_id) * 100000::int8 + g, NOTE, g / 4.0 FROM generate_series(1, :k) g;
INSERT INTO h SELECT (:r * 8 + :client_id) * 100000::int8 + g, NOTE, g / 4.0 FROM generate_series(1, :k) g;
COMMIT;
};
my $own = 'id / 100000 % 8 = :client_id';
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
DELETE FROM c WHERE id < 0 AND id % 2 = 0;
UPDATE c SET note = 'undone' WHERE id < 0;
ROLLBACK;
}) . '@2';

# rows changed, deleted, changed for nothing and locked, with and without
# savepoints; some by index, and some of them twice
my %changes = (
	updated => [ 6, qq{
UPDATE TABLE SET n = n + 1 WHERE id % 61 = :k AND $own;
SAVEPOINT a;
UPDATE TABLE SET note = 'changed ' || :k WHERE id % 122 = :k AND $own;} ],
	deleted => [ 3, qq{
DELETE FROM TABLE WHERE id % 61 = :k AND $own;} ],
	kept => [ 2, qq{
SAVEPOINT a;
DELETE FROM TABLE WHERE id % 61 < 20 AND $own;
UPDATE TABLE SET n = -1 WHERE $own;
ROLLBACK TO a;
UPDATE TABLE SET n = n + 2 WHERE id % 61 = :k AND $own;} ],
	locked => [ 4, qq{
SELECT count(*) FROM (SELECT FROM TABLE WHERE id % 31 = :k AND $own FOR UPDATE) s;
SELECT count(*) FROM (SELECT FROM TABLE WHERE id % 17 = :k FOR KEY SHARE) s;} ]);
for my $name (sort keys %changes)
{
	my ($weight, $text) = @{ $changes{$name} };

	push @writers, '-f',
	  script($name, "\\set k random(0, 60)\nBEGIN;"
		  . $text =~ s/TABLE/c/gr . $text =~ s/TABLE/h/gr . "\nCOMMIT;\n")
	  . "\@$weight";
}

my @maintenance = (
	'-f', script('vacuum', 'VACUUM c;') . '@3',
	'-f', script('freeze', 'VACUUM (FREEZE) c;'),
	'-f', script('compact', q{SELECT columnar_compact('c');}),
	'-f', script('full', 'VACUUM FULL c;'));

sub start_pgbench
{
	my ($clients, @scripts) = @_;
	my ($out, $err) = ('', '');

	return IPC::Run::start(
		[
			'pgbench', '-n', '--max-tries=100', '-h', $node->host, '-p', $node->port,
			'-c', $clients, '-T', '60', @scripts, 'postgres'
		],
		'>', \$out, '2>', \$err);
}

# seconds until the end comes, spread over rounds
for my $round (1 .. $ENV{CRASH_ROUNDS} // 3)
{
	my @runs = (start_pgbench(3, @writers), start_pgbench(1, @maintenance));

	sleep 1;
	select(undef, undef, undef, 0.37 * ($round % 10));
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

unlike(slurp_file($node->logfile), qr/XX\d\d\d|PANIC/,
	'nothing unexpected in the log');

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
