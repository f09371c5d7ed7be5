# A slot on a standby: the primary writes rows that its reader can decode.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'no logical slots on standbys before PostgreSQL 16'
  unless PostgreSQL::Test::Cluster->can('create_logical_slot_on_standby');

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 'logical');
$primary->append_conf('postgresql.conf', 'autovacuum = off');
$primary->start;
$primary->safe_psql('postgres', q(
	CREATE EXTENSION columnar;
	CREATE TABLE t (id integer PRIMARY KEY) USING columnar;
	INSERT INTO t SELECT generate_series(1, 20000);
	SELECT pg_create_physical_replication_slot('standby');
));
my ($result, $stdout, $stderr) = $primary->psql('postgres',
	q(SELECT pg_create_logical_replication_slot('probe', 'test_decoding')));
plan skip_all => 'test_decoding is not installed'
  if $stderr =~ /could not access file "test_decoding"/;
$primary->safe_psql('postgres', q(SELECT pg_drop_replication_slot('probe')));

$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', q(
primary_slot_name = 'standby'
hot_standby_feedback = on
wal_receiver_status_interval = 1s
));
$standby->start;
$standby->create_logical_slot_on_standby($primary, 'reader', 'postgres');
$primary->poll_query_until('postgres',
	q(SELECT catalog_xmin IS NOT NULL FROM pg_replication_slots WHERE slot_name = 'standby'));

$primary->safe_psql('postgres', q(
	INSERT INTO t SELECT generate_series(20001, 25000);
	UPDATE t SET id = -id WHERE id <= 1000;
	DELETE FROM t WHERE id BETWEEN 1001 AND 2000 OR id BETWEEN 20001 AND 20010;
	VACUUM t;
	DELETE FROM t WHERE id BETWEEN 20011 AND 20020;
));
$primary->wait_for_replay_catchup($standby);
is($standby->safe_psql('postgres', q(
	SELECT substring(data from 'table public.t: (\w+)') AS action, count(*)
	  FROM pg_logical_slot_get_changes('reader', NULL, NULL)
	 WHERE data LIKE 'table%' GROUP BY 1 ORDER BY 1)),
	"DELETE|1020\nINSERT|5000\nUPDATE|1000", 'a standby decodes all changes');

done_testing();
