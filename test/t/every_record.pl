# A crash between any two WAL records: the log of random changes is replayed up
# to many a record's begin.  There, read by queries on a standby and then after
# its promotion, a columnar table must hold what its heap twin holds, its
# indexes must agree and it must be usable.
#
# Only records that concern the table or end a transaction are looked at, and
# COLUMNAR_RECORDS (30) of them, or "all": of our own, more than of btree's.
# What happens before depends on COLUMNAR_SEED, and how much on COLUMNAR_STEPS
# (12), transactions or maintenance.
use strict;
use warnings;
use File::Path qw(rmtree);
use File::Spec::Functions qw(rel2abs);
use FindBin;
use lib $FindBin::Bin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use TwinTables;

my $records = $ENV{COLUMNAR_RECORDS} || 30;
my $steps = $ENV{COLUMNAR_STEPS} || 12;
my $seed = $ENV{COLUMNAR_SEED} || int(rand(1_000_000));
srand($seed);
note "seed $seed";

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(extra => [ '--wal-segsize=1', '--data-checksums' ]);
$primary->append_conf('postgresql.conf', q(
autovacuum = off
max_wal_size = 4GB
min_wal_size = 2MB
wal_keep_size = 4GB
max_prepared_transactions = 5
lock_timeout = 500
wal_level = ) . (rand() < 0.5 ? 'replica' : 'logical') . q(
full_page_writes = ) . (rand() < 0.5 ? 'on' : 'off') . "\n");
$primary->start;
$primary->safe_psql('postgres', create_twins());
$primary->safe_psql('postgres', join("\n", map { random_step(0) } 1 .. 6));
$primary->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE c') if rand() < 0.5;
$primary->safe_psql('postgres', "SELECT columnar_compact('c')");
$primary->stop;
my $base = PostgreSQL::Test::Utils::tempdir . '/base';
system_or_bail('cp', '-r', $primary->data_dir, $base);
$primary->start;

# with another session's transaction open all the time, or without
my $open;
if (rand() < 0.3)
{
	$open = $primary->background_psql('postgres', on_error_stop => 0);
	$open->query(join(' ', 'BEGIN;', random_change(), random_change()));
}

my $start = $primary->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
my %files;
for my $i (1 .. $steps)
{
	my $sql = join("\n", random_step($i % 3 == 2 ? 1 : 0));
	my ($status, $out, $err) = $primary->psql('postgres', $sql, on_error_stop => 0);

	note "$sql\n$err" if $err;
	$files{$_} = 1 for split /\n/, $primary->safe_psql('postgres', q{
SELECT pg_relation_filenode(oid) FROM pg_class WHERE oid IN ('c'::regclass, (SELECT reltoastrelid FROM pg_class WHERE relname = 'c'))
UNION SELECT pg_relation_filenode(indexrelid) FROM pg_index WHERE indrelid = 'c'::regclass});
}
my $end = $primary->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
$primary->safe_psql('postgres', 'SELECT pg_switch_wal()');
$primary->safe_psql('postgres', 'CREATE TABLE last (a int)');
$open->quit if $open;
$primary->stop('immediate');
my $wal = rel2abs($primary->data_dir) . '/pg_wal';

# Begins of the records after those that concern us.
my ($dump) = run_command([ 'pg_waldump', '-p', $wal, '-s', $start, '-e', $end ]);
my ($after, @targets) = (0);
for my $line (split /\n/, $dump)
{
	next unless $line =~ /^rmgr: (\S+).* lsn: (\S+),/;
	push @targets, [ $2, $after ] if $after;
	my $rmgr = $1;
	$after = $rmgr eq 'Transaction' || grep({ $files{$_} } $line =~ m{rel \d+/\d+/(\d+)}g)
	  ? ($line =~ s/.*(desc:.{0,60}).*/$rmgr $1/r) : 0;
}
note scalar(@targets), ' records';
if ($records ne 'all' && $records < @targets)
{
	my %weight = (Generic => 10, XLOG => 5, Heap => 1, Heap2 => 5, Btree => 0.2);
	my @keys = map { rand()**(1 / ($weight{ $_->[1] =~ s/ .*//r } || 1)) } @targets;
	my @best = (sort { $keys[$b] <=> $keys[$a] } 0 .. $#targets)[ 0 .. $records - 1 ];

	@targets = @targets[ sort { $a <=> $b } @best ];
}

my $node = PostgreSQL::Test::Cluster->new('recovered');
$node->init;
for my $target (@targets)
{
	my ($lsn, $record) = @$target;

	rmtree($node->data_dir);
	system_or_bail('cp', '-r', $base, $node->data_dir);
	$node->append_conf('postgresql.conf', 'port = ' . $node->port . qq(
restore_command = 'cp $wal/%f %p'
recovery_target_lsn = '$lsn'
recovery_target_inclusive = off
recovery_target_action = pause
recovery_target_timeline = current
));
	$node->append_conf('recovery.signal', '');
	$node->start;
	$node->poll_query_until('postgres', q{SELECT pg_get_wal_replay_pause_state() = 'paused'});
	$node->{twin_standby} = 1;
	my $standby = twin_differences($node, 0);
	$node->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');
	$node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
	$node->{twin_standby} = 0;
	my $promoted = twin_differences($node, 0);
	my ($status, $out, $err) = $node->psql('postgres', q{
INSERT INTO c SELECT i, 1, 'after', 0 FROM generate_series(1, 300) i ON CONFLICT (id) DO UPDATE SET g = 0;
INSERT INTO h SELECT i, 1, 'after', 0 FROM generate_series(1, 300) i ON CONFLICT (id) DO UPDATE SET g = 0;
DELETE FROM c WHERE id % 5 = 1;
DELETE FROM h WHERE id % 5 = 1;
VACUUM c;
SELECT columnar_compact('c');
VACUUM c;
});
	my $later = $err . twin_differences($node, 1);
	is("$standby|$promoted|$later", '||', "seed $seed, before $lsn, after $record");
	$node->stop('immediate');
}

done_testing();
