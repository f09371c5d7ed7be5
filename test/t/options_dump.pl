# Options of tables come through dumps of every kind, in force before the rows
# that are restored with them, through pg_upgrade, and to a standby.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "autovacuum = off\n");
$node->start;

my $dir = PostgreSQL::Test::Utils::tempdir;

# names of schemas sort before and behind that of the extension
$node->safe_psql('postgres', q(
	CREATE ROLE keeper LOGIN;
	CREATE EXTENSION columnar;
	CREATE SCHEMA aaa AUTHORIZATION keeper;
	CREATE SCHEMA zzz;
	SET ROLE keeper;
	CREATE TABLE aaa.events (gone int, device int, "At What" timestamptz, note text) USING columnar;
	ALTER TABLE aaa.events DROP COLUMN gone;
	SELECT columnar_set_options('aaa.events', 'speed', 'device DESC NULLS LAST, "At What"');
	ALTER TABLE aaa.events RENAME COLUMN device TO unit;
	INSERT INTO aaa.events SELECT i % 100, timestamptz '2020-01-01' + i * interval '1 s',
		md5(i::text) FROM generate_series(1, 70000) i;
	RESET ROLE;
	CREATE TABLE zzz.parts (a int, b int) PARTITION BY LIST (a);
	CREATE TABLE zzz.parts_1 PARTITION OF zzz.parts FOR VALUES IN (1) USING columnar;
	CREATE TABLE zzz.parts_2 PARTITION OF zzz.parts FOR VALUES IN (2) USING heap;
	SELECT columnar_set_options('zzz.parts', 'size', 'b');
	CREATE MATERIALIZED VIEW zzz.seen USING columnar AS SELECT * FROM aaa.events LIMIT 10;
	SELECT columnar_set_options('zzz.seen', optimize => 'size');
	CREATE TABLE zzz.was (a int) USING columnar;
	SELECT columnar_set_options('zzz.was', 'size', 'a');
	ALTER TABLE zzz.was SET ACCESS METHOD heap;
));

my $options_sql = q(SELECT relation, optimize, sort_key FROM columnar_options ORDER BY relation::text);
my $bytes_sql = q(SELECT bytes FROM columnar_columns('aaa.events') WHERE attribute = 'note');
my $rows_sql = q(SELECT count(*), sum(unit), max("At What"), max(note) FROM aaa.events);

my $options = $node->safe_psql('postgres', $options_sql);
my $rows = $node->safe_psql('postgres', $rows_sql);
is($options, q(aaa.events|speed|unit DESC NULLS LAST, "At What"
zzz.parts_1|size|b
zzz.seen|size|), 'options');

# Random digits take half of their bytes with zstd, but all with the LZ4 of this
# option: so it shows whether rows are written by it.
my $large = $node->safe_psql('postgres', $bytes_sql);
$node->safe_psql('postgres', q(
	CREATE TABLE plain (LIKE aaa.events) USING columnar;
	INSERT INTO plain SELECT * FROM aaa.events;
));
my $small = $node->safe_psql('postgres', q(
	SELECT bytes FROM columnar_columns('plain') WHERE attribute = 'note'));
cmp_ok($large, '>', $small * 1.2, 'an option that shows');
$node->safe_psql('postgres', 'DROP TABLE plain');

sub new_database
{
	my ($name, $extension) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION columnar') if $extension;
}

sub same
{
	my ($database, $how) = @_;
	is($node->safe_psql($database, $options_sql), $options, "options: $how");
	is($node->safe_psql($database, $rows_sql), $rows, "rows: $how");
	cmp_ok($node->safe_psql($database, $bytes_sql), '>', $small * 1.2,
		"rows are stored by them: $how");
}

sub restore_sql
{
	my ($database, $file, @more) = @_;
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $database,
			'-f', $file, @more ], "restore $file");
}

# ---- everything ----

$node->command_ok([ 'pg_dump', '-f', "$dir/all.sql", 'postgres' ], 'dump');
new_database('by_psql');
restore_sql('by_psql', "$dir/all.sql");
same('by_psql', 'pg_dump | psql');

# the extension is there already, so nothing of it is loaded
new_database('prepared', 1);
restore_sql('prepared', "$dir/all.sql");
same('prepared', 'into a database that has the extension');

$node->command_ok([ 'pg_dump', '-Fd', '-f', "$dir/all.dir", 'postgres' ], 'dump -Fd');
new_database('parallel');
$node->command_ok([ 'pg_restore', '-e', '-j', '2', '-d', 'parallel', "$dir/all.dir" ],
	'restore -j 2');
same('parallel', 'pg_restore -j');

# ---- parts of it ----

$node->command_ok([ 'pg_dump', '-s', '-f', "$dir/schema.sql", 'postgres' ], 'dump -s');
$node->command_ok([ 'pg_dump', '-a', '-f', "$dir/data.sql", 'postgres' ], 'dump -a');
new_database('halves');
restore_sql('halves', "$dir/schema.sql");
is($node->safe_psql('halves', $options_sql), $options, 'options: schema only');
restore_sql('halves', "$dir/data.sql");
same('halves', 'schema, then data');

# a single table, by its owner, who is nobody else
$node->command_ok([ 'pg_dump', '-U', 'keeper', '-t', 'aaa.events', '-f', "$dir/one.sql", 'postgres' ],
	'dump -t');
new_database('one', 1);
$node->safe_psql('one', 'CREATE SCHEMA aaa AUTHORIZATION keeper');
restore_sql('one', "$dir/one.sql", '-U', 'keeper');
is($node->safe_psql('one', $options_sql), (split /\n/, $options)[0], 'options: one table');
is($node->safe_psql('one', $rows_sql), $rows, 'rows: one table');

# without labels, all else is there
$node->command_ok([ 'pg_dump', '--no-security-labels', '-f', "$dir/bare.sql", 'postgres' ],
	'dump --no-security-labels');
new_database('bare');
restore_sql('bare', "$dir/bare.sql");
is($node->safe_psql('bare', $rows_sql), $rows, 'rows: no labels');
unlike($node->safe_psql('bare', $options_sql), qr/size|speed/, 'options: no labels');

# ---- a standby ----

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->safe_psql('postgres', q(SELECT columnar_set_options('zzz.parts', sort_key => 'b DESC')));
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
$options =~ s/size\|b$/size|b DESC/m;
is($standby->safe_psql('postgres', $options_sql), $options, 'options on a standby');
my (undef, undef, $stderr) = $standby->psql('postgres',
	q(SELECT columnar_set_options('zzz.parts', optimize => 'size')));
like($stderr, qr/cannot execute columnar_set_options\(\) in a read-only transaction/,
	'none is set on a standby');
is($standby->safe_psql('postgres', $rows_sql), $rows, 'rows on a standby');
$standby->stop;

# ---- pg_upgrade ----

$node->safe_psql('postgres', "DROP DATABASE $_")
  for qw(by_psql prepared parallel halves one bare);
$node->stop;
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init;
my $bindir = $new->config_data('--bindir');
chdir $dir or die;
command_ok([ 'pg_upgrade', '--no-sync', '-d', $node->data_dir, '-D', $new->data_dir,
		'-b', $bindir, '-B', $bindir, '-s', $new->host,
		'-p', $node->port, '-P', $new->port ], 'pg_upgrade');
$new->start;
is($new->safe_psql('postgres', $options_sql), $options, 'options after pg_upgrade');
is($new->safe_psql('postgres', $rows_sql), $rows, 'rows after pg_upgrade');
is($new->safe_psql('postgres', q(SELECT * FROM columnar_verify('aaa.events'))), '',
	'sound after pg_upgrade');

done_testing();
