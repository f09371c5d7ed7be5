# A hot standby while the primary moves, freezes and frees: same rows, and a
# snapshot that is too old for what has been moved is cancelled, not deceived.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "autovacuum = off\n");
$primary->start;
$primary->safe_psql(
	'postgres', q{
CREATE EXTENSION columnar;
CREATE TABLE c (id int, note text) USING columnar;
CREATE INDEX ON c (id);
CREATE TABLE h (LIKE c) USING heap;
});
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf(
	'postgresql.conf', q{
hot_standby_feedback = off
max_standby_streaming_delay = 50ms
});
$standby->start;

sub insert_rows
{
	my ($first, $last) = @_;
	$primary->safe_psql('postgres', "INSERT INTO $_ SELECT g, 'note ' || g FROM generate_series($first, $last) g")
	  for 'c', 'h';
}

sub catch_up
{
	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
}

my $difference = q{
SELECT count(*) FROM ((TABLE c EXCEPT ALL TABLE h) UNION ALL (TABLE h EXCEPT ALL TABLE c)) d};
my $findings = q{SELECT message FROM columnar_verify('c')};

# small transactions, a load, and rows that are undone
insert_rows($_ * 30, $_ * 30 + 29) for 1 .. 60;
insert_rows(10001, 40000);
$primary->safe_psql('postgres', q{
BEGIN; INSERT INTO c SELECT -g, 'undone' FROM generate_series(1, 20000) g; SELECT count(*) FROM c; ROLLBACK});
catch_up();
is($standby->safe_psql('postgres', $difference), '0', 'row form and a load');

# a snapshot from before these rows
my $old = $standby->background_psql('postgres', on_error_stop => 0);
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
my $count = $old->query_safe('SELECT count(*) FROM h');
insert_rows(50001, 50900);
insert_rows(50901, 51800);
catch_up();
is($old->query_safe('SELECT count(*) FROM c'),
	$count, 'an old snapshot does not see new rows');

# moving them would show them to it
is($primary->safe_psql('postgres', q{SELECT columnar_compact('c') > 0}),
	't', 'rows have been moved');
catch_up();
my $result = eval { $old->query('SELECT count(*) FROM c') } // '';
isnt($result, $primary->safe_psql('postgres', 'SELECT count(*) FROM c'),
	'an old snapshot sees none of the moved rows');
ok($standby->log_contains('conflict with recovery') || $result eq $count,
	'it is cancelled, or still right');
eval { $old->quit };

is($standby->safe_psql('postgres', $difference), '0', 'moved rows');
is($standby->safe_psql('postgres', $findings), '', 'sound after the move');

# space that is freed, reused and cut off
$primary->safe_psql('postgres', 'SELECT txid_current()');
$primary->safe_psql('postgres', 'VACUUM (FREEZE) c');
insert_rows(60001, 90000);
$primary->safe_psql('postgres', 'SELECT txid_current()');
$primary->safe_psql('postgres', 'VACUUM c');
catch_up();
is($standby->safe_psql('postgres', $difference), '0', 'reused space');
is($standby->safe_psql('postgres', $findings), '', 'sound after reuse');
is( $standby->safe_psql(
		'postgres', q{
SET enable_seqscan = off; SET columnar.vector_scan = off;
SELECT count(*) FROM c WHERE id BETWEEN 50001 AND 51800}),
	'1800', 'an index on the standby finds moved rows');

# deleted and updated rows: folded, removed from the index, their space reused,
# and segments written anew, under a snapshot that still sees them
sub on_both
{
	my ($sql) = @_;
	$primary->safe_psql('postgres', $sql =~ s/TABLE/$_/gr) for 'c', 'h';
}

$primary->safe_psql('postgres', 'VACUUM (FREEZE) c');
catch_up();
for my $round (1 .. 3)
{
	my $reader = $standby->background_psql('postgres', on_error_stop => 0);

	$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $old_sum = $reader->query_safe('SELECT sum(id) FROM h');
	on_both("DELETE FROM TABLE WHERE id % 7 = $round");
	on_both("UPDATE TABLE SET note = 'new ' || id WHERE id % 11 = $round");
	catch_up();
	my $seen = eval { $reader->query('SELECT sum(id) FROM c') } // '';
	ok( $seen eq $old_sum || $seen eq '',
		"round $round: deleted rows are still there");
	$primary->safe_psql('postgres', $_)
	  for 'SELECT txid_current()', 'VACUUM c', 'SELECT txid_current()',
	  'VACUUM (FREEZE) c';
	insert_rows($round * 100000 + 1, $round * 100000 + 20000);
	catch_up();
	$seen = eval { $reader->query('SELECT sum(id) FROM c') } // '';
	ok( $seen eq $old_sum || $seen eq '',
		"round $round: an old snapshot is right or cancelled");
	eval { $reader->quit };
	is($standby->safe_psql('postgres', $difference),
		'0', "round $round: changed rows");
	is($standby->safe_psql('postgres', $findings),
		'', "round $round: sound");
	is( $standby->safe_psql(
			'postgres', q{
SET enable_seqscan = off; SET columnar.vector_scan = off;
SELECT (SELECT count(*) FROM c WHERE id > 0) = (SELECT count(*) FROM h WHERE id > 0)}),
		't', "round $round: the index agrees");
}

# the standby goes on alone
$primary->stop('immediate');
$standby->promote;
is($standby->safe_psql('postgres', $difference), '0', 'promoted');
$standby->safe_psql('postgres', q{
INSERT INTO c VALUES (1, 'new'); INSERT INTO h VALUES (1, 'new')});
$standby->safe_psql('postgres', 'VACUUM c');
is($standby->safe_psql('postgres', $difference), '0', 'vacuumed after promotion');
is($standby->safe_psql('postgres', $findings), '', 'sound after promotion');

$standby->stop;
done_testing();
