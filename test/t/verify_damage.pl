# Damaged files: columnar_verify() tells, reading raises an error or gives the
# rows, and no process ever dies.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant BLCKSZ => 8192;
use constant CONTENTS => 24;	# of a page, behind its header

# Of a page of row headers, from its contents on: special space, first header.
use constant SPECIAL => BLCKSZ - 560 - CONTENTS;
use constant ROW_HEADER => SPECIAL - 24;

my $seed = $ENV{COLUMNAR_TEST_SEED} // int(rand(2**31));
srand($seed);
note "COLUMNAR_TEST_SEED=$seed";

my $node = PostgreSQL::Test::Cluster->new('verify_damage');
my ($major) =
  PostgreSQL::Test::Utils::run_command([ 'pg_config', '--version' ]) =~ /(\d+)/;

# a checksum would tell before we can
$node->init(extra => $major >= 18 ? ['--no-data-checksums'] : []);
$node->append_conf('postgresql.conf', "autovacuum = off\nrestart_after_crash = off\n");
$node->start;
$node->safe_psql(
	'postgres', q{
CREATE EXTENSION columnar;
CREATE TABLE source (id int, flag bool, big int8, d float8, n numeric, t text, code text, day date);
INSERT INTO source
SELECT g, g % 3 = 0, g * 10000000000, g / 7.0, g / 100.0, md5(g::text), 'code ' || g % 20,
       '2020-01-01'::date + g % 1000
  FROM generate_series(1, 30000) g;
});

# Every table has row pages, a deleted set, a row map, row headers and two
# groups' segments.
my %blocks;    # table -> kind of page -> blocks

sub make_table
{
	my ($name) = @_;
	$node->safe_psql(
		'postgres', qq{
CREATE TABLE $name (LIKE source) USING columnar;
INSERT INTO $name SELECT * FROM source;
BEGIN;
INSERT INTO $name SELECT * FROM source WHERE id <= 500;
ROLLBACK;
INSERT INTO $name SELECT * FROM source WHERE id <= 500;
SELECT columnar_compact('$name');
INSERT INTO $name SELECT * FROM source WHERE id <= 300;
DELETE FROM $name WHERE id % 500 = 499;
});
}

sub table_file
{
	my ($name) = @_;
	return $node->data_dir . '/'
	  . $node->safe_psql('postgres', "SELECT pg_relation_filepath('$name')");
}

sub read_file
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!";
	local $/;
	return scalar <$file>;
}

sub write_bytes
{
	my ($path, $offset, $bytes) = @_;
	open my $file, '+<:raw', $path or die "$path: $!";
	seek $file, $offset, 0;
	print $file $bytes;
	close $file;
}

# Blocks of a file by the kind in their tags; those without are data or rows.
sub classify
{
	my ($path) = @_;
	my $contents = read_file($path);
	my %kinds;
	my @names = qw(none meta directory group row_map free_space attributes row_set toast_list
	  row_header_map);

	for my $blkno (0 .. length($contents) / BLCKSZ - 1)
	{
		my $page = substr($contents, $blkno * BLCKSZ, BLCKSZ);
		my ($lower, $upper, $special) = unpack('SSS', substr($page, 12, 6));
		my ($magic, $kind) = unpack('SC', substr($page, CONTENTS, 3));

		my ($special_magic) = unpack('S', substr($page, CONTENTS + SPECIAL, 2));

		if ($magic == 0xC01A && $kind >= 1 && $kind <= 9)
		{
			push @{ $kinds{ $names[$kind] } }, $blkno;
		}
		elsif ($special == CONTENTS + SPECIAL && $special_magic == 0xC01A)
		{
			push @{ $kinds{row_headers} }, $blkno;
		}
		elsif ($lower > CONTENTS && $lower < $upper && $upper < $special)
		{
			push @{ $kinds{rows} }, $blkno;
		}
		elsif ($lower > CONTENTS)
		{
			push @{ $kinds{data} }, $blkno;
		}
	}
	return \%kinds;
}

# What must be found: table => [ kind of page, offset in its contents, bytes ]
my %certain = (
	meta_magic => [ 'meta', 8, "\0\0\0\0" ],
	meta_version => [ 'meta', 16, "\xff\x7f" ],
	meta_next_group => [ 'meta', 20, "\xff\xff\xff\x7f" ],
	meta_free_space => [ 'meta', 28, "\x00\x00\x00\x00" ],
	directory_header => [ 'directory', 8, "\x01\x00\x00\x00" ],
	directory_nrows => [ 'directory', 12, "\x07\x00\x00\x00" ],
	directory_ndeleted => [ 'directory', 20, "\x07\x00\x00\x00" ],
	group_number => [ 'group', 8, "\x63\x00\x00\x00" ],
	group_nsegments => [ 'group', 12, "\xff\xff" ],
	group_tag => [ 'group', 2, "\x01" ],
	attributes_kind => [ 'attributes', 8 + 16, "\xff" ],
	attributes_position => [ 'attributes', 8 + 1, "\xff\xff\xff" ],
	attributes_nulls => [ 'attributes', 8 + 20, "\x09\x00\x00\x00" ],
	attributes_sum => [ 'attributes', 8 + 40, "\x01\x02\x03\x04" ],
	attributes_min => [ 'attributes', 8 + 48, "\x7f\x00\x00\x00" ],
	row_map_entry => [ 'row_map', 8 + 2, "\xff\xff" ],
	row_set_members => [ 'row_set', 8, "\xff\xff\xff\xff" ],
	free_space_state => [ 'free_space', 16 + 16, "\x77\x00\x00\x00" ],
	row_header_map_group => [ 'row_header_map', 8, "\x63\x00\x00\x00" ],
	row_header_map_page => [ 'row_header_map', 12, "\x01\x00\x00\x00" ],
	row_header_map_moved => [ 'row_header_map', 12, "\xff" x 4 ],
	row_headers_tag => [ 'row_headers', SPECIAL + 2, "\x01" ],
	row_headers_block => [ 'row_headers', SPECIAL + 4, "\x01\x00\x00\x00" ],
	row_headers_group => [ 'row_headers', SPECIAL + 8, "\x63\x00\x00\x00" ],
	row_headers_level => [ 'row_headers', SPECIAL + 14, "\x01" ],
	row_headers_twice => [ 'row_headers', SPECIAL + 16, "\x00\x01\x00\x01" ],
	row_headers_pointer => [ 'row_headers', 0, "\xff\xff\xff" ],
	row_headers_lower => [ 'row_headers', 12 - CONTENTS, "\xe8\x1d" ],
	row_headers_xmin => [ 'row_headers', ROW_HEADER, "\x00\x00\x00\x70" ],
	row_headers_xmax => [ 'row_headers', ROW_HEADER + 4, "\x00\x00\x00\x70" ],
	row_headers_ctid => [ 'row_headers', ROW_HEADER + 12, "\x00\x00\x07\x00\x07\x00" ],
	row_headers_natts => [ 'row_headers', ROW_HEADER + 18, "\x03" ],
	row_headers_length => [ 'row_headers', ROW_HEADER + 22, "\x20" ],
	page_zeroed => [ 'group', -24, "\0" x BLCKSZ ]);

my @random = map { "random_$_" } 1 .. 24;

make_table($_) for 'sound', sort(keys %certain), @random;
my $rows = $node->safe_psql('postgres',
	'SELECT count(*), sum(hashtext(sound::text)) FROM sound');
my %path = map { $_ => table_file($_) } keys %certain, @random;

# bits of the visibility map: a row of TID block 5 has a header
$node->safe_psql('postgres', 'CREATE TABLE visible (LIKE source) USING columnar');
$node->safe_psql('postgres', q{
SET columnar.row_form_rows = 0; INSERT INTO visible SELECT * FROM source});
$node->safe_psql('postgres', 'VACUUM visible');
$node->safe_psql('postgres', q{
SET enable_seqscan = off;
DELETE FROM visible WHERE id = (SELECT id FROM visible WHERE ctid = '(5,1)')});
my $visible = table_file('visible') . '_vm';
$node->stop;

write_bytes($visible, CONTENTS + 1, "\x55");
write_bytes($visible, CONTENTS + 64, "\x05");

for my $name (sort keys %certain)
{
	my ($kind, $offset, $bytes) = @{ $certain{$name} };
	my $blocks = classify($path{$name})->{$kind};

	# the first row map has been retired, and the first row headers are frozen
	my $blkno = $blocks->[ $kind eq 'row_map' || $name eq 'row_headers_xmin' ? -1 : 0 ];

	defined $blkno or die "$name: no page of kind $kind";
	write_bytes($path{$name}, $blkno * BLCKSZ + CONTENTS + $offset, $bytes);
}

# Anywhere, a few bytes at a time.
for my $name (@random)
{
	my $kinds = classify($path{$name});
	my @kinds = sort keys %$kinds;

	for (1 .. 1 + int(rand(3)))
	{
		my $blocks = $kinds->{ $kinds[ rand @kinds ] };
		my $length = 1 + int(rand(8));
		my $offset = int(rand(BLCKSZ - $length));
		my $bytes = join '', map { chr(int(rand(256))) } 1 .. $length;

		write_bytes($path{$name}, $blocks->[ rand @$blocks ] * BLCKSZ + $offset, $bytes);
	}
}

$node->start;

# Runs statements, whatever becomes of each; results, with SQLSTATEs in angle
# brackets.
sub run_statements
{
	my ($statements) = @_;
	my ($code, $out, $err) = $node->psql(
		'postgres', "\\set VERBOSITY sqlstate\n$statements",
		on_error_stop => 0);
	my @states = $err =~ /ERROR:\s+(\w{5})/g;

	# psql gives 2 for a connection that has been lost
	isnt($code, 2, "connection survives: $statements") if $code == 2;
	return join("\n", grep { $_ ne '' } $out, map { "<$_>" } @states);
}

is($node->safe_psql('postgres', q{SELECT message FROM columnar_verify('sound')}),
	'', 'a sound table is sound');

is($node->safe_psql('postgres', q{SELECT message FROM columnar_verify('visible')}),
	"TID block 5 is marked all-visible, but may not be\n"
	  . '2 TID blocks without rows are marked all-visible',
	'bits of the visibility map');

for my $name (sort keys %certain)
{
	my $found = run_statements(
		"SELECT message FROM columnar_verify('$name') LIMIT 1");

	isnt($found, '', "$name: found");
	note "$name: $found";
}

for my $name (sort(keys %certain), @random)
{
	my $count = 'SELECT count(*), sum(hashtext(x::text))';

	# a row that somebody from the future has deleted is waited for
	my $change = $name !~ /^row_header/ ? '' : qq{
SET statement_timeout = '2s';
DELETE FROM $name WHERE id % 500 IN (0, 499);
UPDATE $name SET flag = NOT flag WHERE id % 500 IN (1, 499);
RESET statement_timeout;};
	my $result = run_statements(
		qq{
SELECT count(*) FROM columnar_verify('$name') WHERE message IS NULL;
SET columnar.vector_scan = on;
$count FROM $name x;
SET columnar.vector_scan = off;
$count FROM $name x;
INSERT INTO $name SELECT * FROM source WHERE id <= 1200;$change
VACUUM $name;
SELECT columnar_compact('$name') IS NULL;
});

	# other values may come out of bytes that no checksum guards
	note "$name: ", $result =~ s/\n/, /gr;
}

is($node->safe_psql('postgres', 'SELECT count(*) FROM source'),
	'30000', 'the server has lived through all of it');
my $log = read_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC|TRAP/, 'no process has died');

$node->stop;
done_testing();
