# Redo locks the pages of a Generic record one after another, in the order in
# which they are registered, and keeps the locks.  Readers of a standby hold
# several, too, so the order must be that of src/README: else both wait for ever.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Places in the order of locks by kind of page (layout.h): metapage, directory,
# group header, row map, free space, attributes, row set, TOAST list, row-header
# map.  Row-header pages have no tag at the beginning of their contents.
my @place = (undef, 0, 1, 2, 3, 6, undef, undef, undef, 3);

my $node = PostgreSQL::Test::Cluster->new('node');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nwal_keep_size = 1GB\n");
$node->start;
$node->safe_psql('postgres', q{
CREATE EXTENSION columnar;
CREATE TABLE c (id int, note text) USING columnar;
CREATE INDEX ON c (id);
INSERT INTO c VALUES (0, 'makes the metapage, before there are readers');
});
my $start = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');

# Row headers come and go, as do pages of them, their map, and row pages; blocks
# that are given back keep what was in them, for us to see.
$node->safe_psql('postgres', $_) for (
	q{INSERT INTO c SELECT g, 'note ' || g FROM generate_series(1, 30000) g},
	'BEGIN; DELETE FROM c WHERE id % 50 = 0; ROLLBACK',
	'DELETE FROM c WHERE id BETWEEN 2000 AND 4000',
	'VACUUM (TRUNCATE off) c',
	'CHECKPOINT');
my $end = $node->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');
my ($filenode, $path) = split /\|/, $node->safe_psql('postgres', q{
SELECT pg_relation_filenode('c'), pg_relation_filepath('c')});
$node->stop;

# What block is what: the tag behind the page header, as the file has it now.
# Blocks that have been given another use, or are cut off, say nothing.
my $file = slurp_file($node->data_dir . '/' . $path);
my $page_size = 8192;

sub block_place
{
	my ($block) = @_;
	return undef if ($block + 1) * $page_size > length($file);
	my $tag = substr($file, $block * $page_size + 24, 8);
	my ($magic, $kind, $version, $number) = unpack('S C C L', $tag);

	return undef if $magic != 0xC01A || $number != $block || $kind > 9;
	return $place[$kind];
}

my ($dump) = run_command([ 'pg_waldump', '-r', 'Generic', '-p', $node->data_dir . '/pg_wal',
		'-s', $start, '-e', $end ]);
my (%orders, @wrong);
for my $line (split /\n/, $dump)
{
	my @places = grep { defined } map { block_place($_) }
	  $line =~ m{rel \d+/\d+/$filenode blk (\d+)}g;

	next if @places < 2;
	$orders{"@places"}++;
	push @wrong, "$line: @places" if grep { $places[$_] < $places[ $_ - 1 ] } 1 .. $#places;
}
note "$_: $orders{$_}" for sort keys %orders;
ok($orders{'1 2 3'}, 'a map of row headers is made');
ok($orders{'2 3'}, 'and taken out');
is("@wrong[0 .. ($#wrong > 2 ? 2 : $#wrong)]", '', 'in the order of locks');

done_testing();
