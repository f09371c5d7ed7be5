-- What CREATE EXTENSION makes, and who may use it.
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\pset pager off
BEGIN;
SELECT no_plan();

SELECT has_extension('columnar');
SELECT is((SELECT amtype FROM pg_am WHERE amname = 'columnar'), 't'::"char", 'columnar is a table access method');
SELECT is(
	(SELECT array_agg(DISTINCT classid::regclass::text ORDER BY classid::regclass::text)
	 FROM pg_depend WHERE refclassid = 'pg_extension'::regclass
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'columnar')
		AND deptype = 'e' AND classid <> 'pg_type'::regclass),	-- a view's row type, from 16 on
	ARRAY['pg_am', 'pg_class', 'pg_proc'],
	'the extension owns functions, an access method and a view');
SELECT is((SELECT relkind FROM pg_class WHERE relname = 'columnar_options'), 'v'::"char", 'and no table');
SELECT ok(extrelocatable, 'it can be moved to another schema') FROM pg_extension WHERE extname = 'columnar';
SELECT is_empty($$
	SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass
	WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'columnar') AND d.deptype = 'e'
		AND (p.prosecdef OR p.prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c'))
$$, 'functions are in C and run with the rights of their caller');

CREATE ROLE columnar_nobody;
CREATE ROLE columnar_owner;
GRANT CREATE ON SCHEMA public TO columnar_owner;
SELECT ok(NOT has_function_privilege('columnar_nobody', 'columnar_verify(regclass)', 'EXECUTE'),
	'columnar_verify is not for everybody');
SELECT ok(has_function_privilege('columnar_nobody', 'columnar_encoding_selftest(text, text)', 'EXECUTE'),
	'the self-test is');

SET ROLE columnar_owner;
CREATE TABLE pgtap_t (a integer, b text) USING columnar;
INSERT INTO pgtap_t SELECT i, 'x' FROM generate_series(1, 20000) i;
RESET ROLE;
SET ROLE columnar_nobody;
SELECT throws_ok('SELECT count(*) FROM pgtap_t', '42501', NULL, 'reading needs SELECT');
SELECT throws_ok('INSERT INTO pgtap_t VALUES (1)', '42501', NULL, 'writing needs INSERT');
SELECT throws_ok('TRUNCATE pgtap_t', '42501', NULL, 'truncating needs TRUNCATE');
SELECT throws_ok('SELECT columnar_compact(''pgtap_t'')', '42501', NULL, 'compacting is for the owner');
SELECT throws_ok('SELECT * FROM columnar_verify(''pgtap_t'')', '42501', NULL, 'verifying is for those who were granted it');
RESET ROLE;
GRANT SELECT (a) ON pgtap_t TO columnar_nobody;
SET ROLE columnar_nobody;
SELECT is((SELECT sum(a) FROM pgtap_t), 200010000::bigint, 'a column may be read alone');
SELECT throws_ok('SELECT b FROM pgtap_t', '42501', NULL, 'and no other');
RESET ROLE;

-- row-level security
GRANT SELECT ON pgtap_t TO columnar_nobody;
ALTER TABLE pgtap_t ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON pgtap_t FOR SELECT TO columnar_nobody USING (a <= 10);
SET ROLE columnar_nobody;
SELECT is((SELECT count(*) FROM pgtap_t), 10::bigint, 'a policy hides rows');
SELECT is((SELECT count(*) FROM pgtap_t WHERE a > 5), 5::bigint, 'below a filter too');
RESET ROLE;

-- wrong arguments
SELECT throws_ok('SELECT * FROM columnar_verify(''pg_class'')', '42809', NULL, 'verifying a heap table is refused');
SELECT throws_ok('SELECT columnar_compact(''pg_class'')', '42809', NULL, 'and compacting one');
SELECT is_empty('SELECT * FROM columnar_verify(NULL)', 'NULL gives nothing');
SELECT is_empty('SELECT * FROM columnar_verify(''pgtap_t'')', 'a good table has no findings');

-- settings
SELECT set_eq('SELECT name FROM pg_settings WHERE name LIKE ''columnar.%''',
	ARRAY['columnar.codec', 'columnar.codec_level', 'columnar.decode_kernel',
		'columnar.load_buffer_size', 'columnar.row_form_rows',
		'columnar.vector_agg', 'columnar.vector_scan'], 'the settings');
SELECT throws_ok('SET columnar.nonsense = 1', '42602', NULL, 'and no others');
SELECT throws_ok('SET columnar.load_buffer_size = ''1kB''', '22023', NULL, 'with limits');

-- nothing is left
SELECT lives_ok('DROP TABLE pgtap_t', 'a table can be dropped');
SELECT lives_ok('DROP EXTENSION columnar', 'and the extension');
SELECT is_empty('SELECT 1 FROM pg_proc WHERE proname LIKE ''columnar%''', 'nothing is left');

SELECT * FROM finish();
ROLLBACK;
