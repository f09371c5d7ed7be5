# A standby has the same rows, also for snapshots that were there before VACUUM
# on the primary, and takes over.
use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1, extra => ['--data-checksums']);
$primary->append_conf('postgresql.conf', "autovacuum = off\nwal_compression = on\n");
$primary->start;
$primary->safe_psql('postgres', q(
CREATE EXTENSION columnar;
CREATE TABLE early (id integer, t text) USING columnar;
INSERT INTO early SELECT i, 'early ' || i % 50 FROM generate_series(1, 100000) i;
));
$primary->backup('base');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = 500ms\n");
$standby->start;

my @tables = qw(early t_small t_large t_types);

sub caught_up
{
	$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
}

sub same
{
	my ($when) = @_;
	caught_up();
	for my $table (@tables)
	{
		my $sql = "SELECT count(*), md5(string_agg(x::text, ',' ORDER BY x::text COLLATE \"C\")) FROM $table x";
		is($standby->safe_psql('postgres', $sql), $primary->safe_psql('postgres', $sql),
			"$table $when");
	}
}

$primary->safe_psql('postgres', q(
CREATE TABLE t_small (id integer PRIMARY KEY, t text) USING columnar;
CREATE TABLE t_large (id integer, g integer, t text) USING columnar;
CREATE INDEX ON t_large (g);
CREATE TABLE t_types (id integer, n numeric, ts timestamptz, j jsonb, a text[]) USING columnar;
CREATE PROCEDURE singles(first integer, last integer) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last LOOP
		INSERT INTO t_small VALUES (i, 'small ' || i);
		COMMIT;
	END LOOP;
END $$;
CALL singles(1, 3000);
INSERT INTO t_large SELECT i, i % 100, md5(i::text) FROM generate_series(1, 150000) i;
INSERT INTO t_types SELECT i, i / 7.0, '2000-01-01'::timestamptz + i * '1 hour'::interval,
	jsonb_build_object('i', i), ARRAY['a' || i, NULL] FROM generate_series(1, 20000) i;
BEGIN;
INSERT INTO t_large SELECT i, -1, 'gone' FROM generate_series(1, 50000) i;
INSERT INTO t_small SELECT i, 'gone' FROM generate_series(5001, 6000) i;
ROLLBACK;
));
same('after the loads');

# a query on the standby that began before VACUUM on the primary: it goes on
# with the same rows, or is told that it conflicts with recovery
my ($in, $out, $err) = ('', '', '');
my $timer = IPC::Run::timeout(60);
my $psql = IPC::Run::start(
	[ 'psql', '-XqAt', '-d', $standby->connstr('postgres') ],
	'<', \$in, '>', \$out, '2>', \$err, $timer);
$in .= "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT count(*), sum(id) FROM t_small;\n\\echo ready\n";
$psql->pump until $out =~ /ready/;
$primary->safe_psql('postgres', q(CALL singles(3001, 4000); VACUUM t_small; VACUUM FREEZE t_large;));
caught_up();
$in .= "SELECT count(*), sum(id) FROM t_small;\n\\echo done\n\\q\n";
$psql->finish;
my @answers = grep { /\|/ } split /\n/, $out;
ok(($err =~ /conflict with recovery/ && @answers == 1) || (@answers == 2 && $answers[0] eq $answers[1]),
	'an old snapshot sees what it saw, or is cancelled')
  or diag "$out\n$err";
same('after VACUUM');

$primary->safe_psql('postgres', q(
ALTER TABLE t_types ADD COLUMN extra integer DEFAULT 5;
INSERT INTO t_types (id) SELECT generate_series(1, 10000);
TRUNCATE early;
INSERT INTO early SELECT i, 'late' FROM generate_series(1, 9000) i;
VACUUM;
VACUUM FULL t_large;
));
same('after changes of definition');
is($standby->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM t_large WHERE g = 7"),
	'1500', 'by index on the standby');

# the standby takes over, with a load cut off in the middle
$primary->safe_psql('postgres', 'CALL singles(4001, 4100)');
caught_up();
$primary->stop('immediate');
$standby->promote;
$standby->safe_psql('postgres', q(
CALL singles(4101, 4200);
INSERT INTO t_large SELECT i, i % 100, 'promoted' FROM generate_series(150001, 250000) i;
VACUUM t_small;
));
is($standby->safe_psql('postgres', 'SELECT count(*), sum(id) FROM t_small'),
	'4200|8822100', 'small rows after the promotion');
is($standby->safe_psql('postgres', 'SELECT count(*), sum(id) FROM t_large'),
	'250000|31250125000', 'many rows after the promotion');
for my $table (@tables)
{
	is($standby->safe_psql('postgres', "SELECT * FROM columnar_verify('$table')"), '', "$table is whole");
}
$standby->stop;
command_ok([ 'pg_checksums', '--check', '-D', $standby->data_dir ], 'the checksums are right');

done_testing();
