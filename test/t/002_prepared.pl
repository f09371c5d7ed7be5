# Prepared transactions with rows in every form, across a restart and a crash.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_prepared_transactions = 10\nautovacuum = off\n");
$node->start;
$node->safe_psql('postgres', q(
CREATE EXTENSION columnar;
CREATE TABLE t (id integer PRIMARY KEY, who text) USING columnar;
INSERT INTO t SELECT i, 'before' FROM generate_series(1, 20000) i;
BEGIN;
INSERT INTO t SELECT i, 'kept' FROM generate_series(100001, 130000) i;
SAVEPOINT s;
INSERT INTO t SELECT i, 'never' FROM generate_series(130001, 150000) i;
ROLLBACK TO s;
INSERT INTO t VALUES (130001, 'kept');
PREPARE TRANSACTION 'kept';
BEGIN;
INSERT INTO t SELECT i, 'dropped' FROM generate_series(200001, 230000) i;
INSERT INTO t VALUES (0, 'dropped');
PREPARE TRANSACTION 'dropped';
));

my $summary = 'SELECT who, count(*), sum(id) FROM t GROUP BY who ORDER BY who';

sub check
{
	my ($expected, $when) = @_;
	is($node->safe_psql('postgres', $summary), $expected, "rows $when");
	# pages that a crash has cut off from their table are left for VACUUM
	is($node->safe_psql('postgres',
		q(SELECT * FROM columnar_verify('t') WHERE message !~ 'neither used nor free')),
		'', "pages $when");
}

my $before = 'before|20000|200010000';
my $kept   = 'kept|30001|3450145001';

check($before, 'while prepared');
$node->safe_psql('postgres', 'VACUUM t');
check($before, 'after VACUUM');
$node->restart;
check($before, 'after a restart');
$node->stop('immediate');
$node->start;
check($before, 'after a crash');

# another session's key waits for the prepared transaction
my ($rc, $out, $err) = $node->psql('postgres',
	q(SET lock_timeout = '200ms'; INSERT INTO t VALUES (110000, 'other')));
like($err, qr/lock timeout/, 'its keys are waited for');
($rc, $out, $err) = $node->psql('postgres',
	q(SET lock_timeout = '200ms'; INSERT INTO t VALUES (140000, 'other')));
is($err, '', 'but not those it has rolled back');

$node->safe_psql('postgres', q(COMMIT PREPARED 'kept'));
check("$before\n$kept\nother|1|140000", 'after the commit');
$node->safe_psql('postgres', q(ROLLBACK PREPARED 'dropped'));
check("$before\n$kept\nother|1|140000", 'after the rollback');
$node->safe_psql('postgres', q(INSERT INTO t VALUES (0, 'again'), (200001, 'again')));
$node->safe_psql('postgres', 'VACUUM FREEZE t');
$node->stop('immediate');
$node->start;
check("again|2|200001\n$before\n$kept\nother|1|140000", 'at the end');
$node->safe_psql('postgres', 'VACUUM t');
is($node->safe_psql('postgres', q(SELECT * FROM columnar_verify('t'))), '', 'no page is lost');

done_testing();
