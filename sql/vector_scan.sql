-- ColumnarVectorScan: the same rows as core's executor gives, on a heap table
-- and on the same columnar table; and what it skips.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'Europe/Berlin';
SET datestyle = iso;
CREATE DOMAIN small AS int CHECK (VALUE >= 0);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE vs_heap (
	k int, big bigint, sm smallint, f8 float8, f4 float4, num numeric(12,2),
	d date, ts timestamp, tz timestamptz, b bool, t text, tc text COLLATE "C",
	vc varchar(10), ch char(5), o oid, u uuid, c "char", by bytea, dom small,
	m mood);
CREATE TABLE vs (LIKE vs_heap) USING columnar;
INSERT INTO vs_heap
SELECT g, CASE WHEN g % 7 > 0 THEN g * 1000000000::bigint END, g % 100,
	CASE g % 1000 WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity'
		WHEN 3 THEN '-Infinity' WHEN 4 THEN -0.0 WHEN 5 THEN NULL
		ELSE g / 64.0 END,
	CASE g % 1000 WHEN 1 THEN 'NaN' ELSE g % 500 / 64.0 END,
	CASE WHEN g % 1000 <> 9 THEN g % 1000 / 100.0 END,
	date '2020-01-01' + g / 1000, timestamp '2020-01-01' + g * interval '1 min',
	timestamptz '2020-01-01' + g * interval '1 min',
	CASE WHEN g % 5 > 0 THEN g % 2 = 0 END,
	CASE WHEN g % 11 > 0 THEN 'v' || g % 50 END, 'k' || lpad(g::text, 6, '0'),
	'v' || g % 50, 'v' || g % 50, (4294967295 - g)::oid, md5(g::text)::uuid,
	chr(97 + g % 3), decode(md5(g::text), 'hex'), g,
	(ARRAY['happy', 'ok', 'sad'])[1 + g % 3]::mood
FROM generate_series(1, 30000) g;
INSERT INTO vs SELECT * FROM vs_heap;
-- and some rows in row form
INSERT INTO vs_heap SELECT * FROM vs_heap WHERE k <= 20;
INSERT INTO vs SELECT * FROM vs_heap WHERE k <= 20 LIMIT 20;
ANALYZE vs_heap;
ANALYZE vs;

-- Runs a query, in which %s is the table, three times.
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	sum text := 'SELECT count(*) || '' rows'', sum(hashtextextended(r::text, 0)) FROM (%s) r';
	heap record;
	vector record;
	plain record;
BEGIN
	EXECUTE format(sum, replace(query, '%s', 'vs_heap')) INTO heap;
	SET LOCAL columnar.vector_scan = on;
	EXECUTE format(sum, replace(query, '%s', 'vs')) INTO vector;
	SET LOCAL columnar.vector_scan = off;
	EXECUTE format(sum, replace(query, '%s', 'vs')) INTO plain;
	SET LOCAL columnar.vector_scan = on;
	IF heap IS DISTINCT FROM vector OR heap IS DISTINCT FROM plain THEN
		RETURN format('differs: heap %s vector scan %s plain %s', heap, vector, plain);
	END IF;
	RETURN heap."?column?";
END $$;
-- A counter of EXPLAIN (ANALYZE), summed over the plan's nodes.
CREATE FUNCTION counter(query text, name text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || query INTO plan;
	RETURN (SELECT sum(x[1]::bigint) FROM regexp_matches(plan::text,
		'"' || name || '": (\d+)', 'g') x);
END $$;

-- plans
EXPLAIN (COSTS OFF) SELECT count(*) FROM vs;
EXPLAIN (COSTS OFF) SELECT t FROM vs WHERE k BETWEEN 5 AND 9 AND sm + 1 > 3;
EXPLAIN (COSTS OFF) SELECT 1 FROM vs WHERE b AND NOT b AND t IS NULL
	AND f8 IS NOT NULL AND sm IN (1, 2) AND d <> ALL ('{2020-01-01}');
EXPLAIN (COSTS OFF) SELECT 1 FROM vs WHERE t < 'v1' AND tc < 'v1' AND ch = 'v1';
EXPLAIN (COSTS OFF) SELECT xmin FROM vs;
EXPLAIN (COSTS OFF) SELECT k FROM vs TABLESAMPLE bernoulli (10) REPEATABLE (1);
EXPLAIN (COSTS OFF) SELECT k FROM vs WHERE random() < 2 AND false;
SET columnar.vector_scan = off;
EXPLAIN (COSTS OFF) SELECT k FROM vs WHERE k = 1;
RESET columnar.vector_scan;

-- index or scan
CREATE INDEX vs_k ON vs (k);
EXPLAIN (COSTS OFF) SELECT * FROM vs WHERE k = 77;
EXPLAIN (COSTS OFF) SELECT * FROM vs ORDER BY k LIMIT 10;
EXPLAIN (COSTS OFF) SELECT sum(sm) FROM vs WHERE k > 5;
EXPLAIN (COSTS OFF) SELECT sum(sm) FROM vs WHERE k BETWEEN 5000 AND 9000;
DROP INDEX vs_k;

-- skipping is counted where it happens
SELECT counter('SELECT k FROM vs WHERE k > 100000', 'Columnar Groups Skipped') > 0 AS groups,
	counter('SELECT k FROM vs WHERE k = 15000', 'Columnar Vectors Skipped') > 20 AS vectors,
	counter('SELECT k FROM vs WHERE k = 15000', 'Rows Removed by Vector Filter') < 2100 AS rows;
SELECT counter('SELECT k FROM vs WHERE tc = ''k015000''', 'Columnar Vectors Skipped') > 20 AS text,
	counter('SELECT k FROM vs WHERE dom > 29000', 'Columnar Vectors Skipped') > 20 AS domain,
	counter('SELECT k FROM vs WHERE k IN (5, 29000)', 'Columnar Vectors Skipped') > 20 AS set,
	counter('SELECT k FROM vs WHERE t IS NULL', 'Columnar Vectors Skipped') AS scattered;
SELECT counter('SELECT k FROM vs WHERE k IS NULL', 'Rows Removed by Vector Filter') < 1100 AS nulls,
	counter('SELECT k FROM vs WHERE sm < 1000', 'Columnar Vectors Skipped') AS all_match;

-- comparisons, cross-type constants, constants out of range
SELECT q, same('SELECT k, t FROM %s WHERE ' || q) FROM unnest(ARRAY[
	'k = 77', 'k <> 77', '77 > k', 'k < 3000000000', 'k > 3000000000',
	'k = 3000000000', 'k <> 3000000000', 'big >= 29990000000000', 'sm < 70000',
	'sm >= -70000', 'sm = 7::int8', 'k <= 5::int2', 'k = NULL',
	'k < 10 AND k > 10', 'b', 'NOT b', 'b IS TRUE', 'b IS FALSE',
	'b IS NOT TRUE', 'b IS UNKNOWN', 'big IS NULL', 'big IS NOT NULL',
	'big IS NULL AND k < 100', 'o > 4294967000', 'o = 4294967290',
	'c = ''b''', 'c > ''a''', 'dom = 5', 'm = ''ok''', 'm <> ''ok''',
	'm < ''happy''']) q;
-- dates and times
SELECT q, same('SELECT k, t FROM %s WHERE ' || q) FROM unnest(ARRAY[
	'd = ''2020-01-05''', 'd < timestamp ''2020-01-05''',
	'd < timestamp ''2020-01-05 00:00:01''', 'd >= timestamp ''2020-01-05 12:00''',
	'd = timestamp ''2020-01-05 12:00''', 'd <= timestamp ''infinity''',
	'd > date ''2020-01-20'' - interval ''90 hours''', 'ts < date ''2020-01-05''',
	'tz < date ''2020-01-05''', 'tz >= timestamp ''2020-01-05 00:00''',
	'ts < timestamptz ''2020-01-05 00:00''', 'd < timestamptz ''2020-01-05 00:00''',
	'ts <> date ''2020-01-02''', 'tz < now()']) q;
-- floats and numerics
SELECT q, same('SELECT k, t FROM %s WHERE ' || q) FROM unnest(ARRAY[
	'f8 = ''NaN''', 'f8 < ''NaN''', 'f8 >= ''NaN''', 'f8 > ''Infinity''',
	'f8 < ''-Infinity''', 'f8 <= ''-Infinity''', 'f8 = 0', 'f8 >= -0.0',
	'f8 < 0', 'f8 <> 0', 'f8 > 100.5::float4', 'f4 < 0.1', 'f4 < 0.1::float4',
	'f4 <> ''NaN''', 'num = 5', 'num < 0.05', 'num <= 0.055', 'num > 9.98',
	'num >= 9.985', 'num <> 1', 'num < ''NaN''', 'num > 1e30', 'num < 1e30',
	'num > ''-Infinity''']) q;
-- IN, NOT IN, NULLs among the members, empty arrays
SELECT q, same('SELECT k, t FROM %s WHERE ' || q) FROM unnest(ARRAY[
	'k IN (1, 2, 30000)', 'k IN (1, NULL)', 'k NOT IN (1, 2)',
	'k NOT IN (1, NULL)', 'big = ANY (''{}''::bigint[])',
	'big <> ALL (''{}''::bigint[])', 'big = ANY (NULL::bigint[])',
	'big <> ALL (NULL::bigint[])',
	'k = ANY (ARRAY(SELECT generate_series(1, 30000, 99)))',
	'sm IN (5::bigint, 3000000000)', 'f8 IN (1, ''NaN'', 0)',
	'f4 IN (0.25, 0.5)', 'num IN (1, 1.5, 77)', 'num NOT IN (1, 1.5, ''NaN'')',
	't IN (''v1'', ''v7'', ''x'')', 't NOT IN (''v1'', ''v7'')',
	'm IN (''ok'', ''sad'')', 'u IN (md5(''1'')::uuid, md5(''0'')::uuid)',
	'k = ALL (ARRAY[1])', 'k <> ANY (ARRAY[1, 2])',
	'd IN (timestamp ''2020-01-03'', timestamp ''2020-01-04 01:00'')']) q;
-- strings
CREATE COLLATION IF NOT EXISTS blind (provider = icu, locale = 'und-u-ks-level2',
	deterministic = false);
SELECT q, same('SELECT k, t FROM %s WHERE ' || q) FROM unnest(ARRAY[
	't = ''v7''', 't <> ''v7''', 't > ''v7''', 't COLLATE "C" > ''v7''',
	'tc < ''k000100''', 'tc >= ''k02''', 'tc > ''k''', 'tc < ''''',
	'tc = ''k000100'' COLLATE "POSIX"', 'vc = ''v7''', 'vc > ''v7'' COLLATE "C"',
	'ch = ''v7''', 'ch = ''v7   ''', 'by = decode(md5(''9''), ''hex'')',
	'by < ''\x10''', 'u < ''10000000-0000-0000-0000-000000000000''',
	't LIKE ''v1%''', 't LIKE ''v1%'' AND k < 500',
	't = ''V7'' COLLATE blind']) q;

-- what leaves: whole rows, TIDs, expressions, no column, repeated columns
SELECT same('SELECT x FROM %s x WHERE k < 50'), same('SELECT * FROM %s'),
	same('SELECT k + 1, t FROM %s WHERE k < 50'),
	same('SELECT FROM %s WHERE k < 50'),
	same('SELECT k, k, sm, k FROM %s WHERE k < 50 AND sm % 2 = 0'),
	same('SELECT tableoid::regclass::text LIKE ''vs%'' FROM %s WHERE k < 50');
SELECT count(*), count(DISTINCT ctid) FROM vs;
SELECT k FROM vs WHERE ctid IN (SELECT ctid FROM vs WHERE k = 20000);

-- parameters: generic plans, nested loops, subqueries
SET plan_cache_mode = force_generic_plan;
PREPARE p(int, int[], text) AS SELECT k FROM vs WHERE k > $1 AND k = ANY ($2) AND t = $3;
EXPLAIN (COSTS OFF) EXECUTE p(1, '{1,2}', 'v2');
EXECUTE p(1, '{1,2,52,20002}', 'v2');
EXECUTE p(51, '{1,2,52,20002}', 'v2');
EXECUTE p(NULL, '{1,2,52,20002}', 'v2');
RESET plan_cache_mode;
-- a set with more members than a filter holds is decided by the clause
SELECT count(*) FROM vs
WHERE k = 29000 AND k <> ALL ((SELECT array_fill(5, ARRAY[17000000]))::int[]);
-- a vector that was read before an operand was known was not skipped
SELECT counter('SELECT k FROM vs WHERE u = md5(''29000'')::uuid AND k = (SELECT 5)',
	'Columnar Vectors Skipped') < 5 AS few;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
EXPLAIN (COSTS OFF) SELECT g, vs.t FROM generate_series(10000, 10003) g JOIN vs ON vs.k BETWEEN g AND g + 1;
SELECT g, vs.t FROM generate_series(10000, 10003) g JOIN vs ON vs.k = g;
SELECT counter('SELECT g, vs.t FROM generate_series(10000, 10003) g JOIN vs ON vs.k = g',
	'Columnar Vectors Skipped') > 80 AS skipped;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
SELECT same('SELECT k, (SELECT max(y.k) FROM %s y WHERE y.k < x.k) FROM %s x WHERE k IN (1, 2, 500)'),
	same('SELECT k FROM %s WHERE k = (SELECT min(k) + 10 FROM %s)'),
	same('SELECT k FROM %s x WHERE k < 40 AND EXISTS (SELECT FROM %s y WHERE y.sm = x.k)'),
	same('SELECT x.k, y.k FROM %s x LEFT JOIN LATERAL (SELECT k FROM %s z WHERE z.k = x.sm AND z.sm < 5) y ON true WHERE x.k < 30');
-- many rescans do not use more memory each
CREATE TABLE vs_small (k int, t text) USING columnar;
INSERT INTO vs_small SELECT g, 'text ' || g FROM generate_series(1, 10) g;
SELECT count(x.t) FROM generate_series(1, 100000) g,
	LATERAL (SELECT t FROM vs_small WHERE k = g % 20 LIMIT 1) x;

-- errors: no clause sees a row that one before it has rejected
SELECT same('SELECT k FROM %s WHERE sm > 0 AND 100 / sm > 50 AND k < 1000'),
	same('SELECT k FROM %s WHERE k < 0 AND big = 1 / sm');
SELECT count(*) FROM vs WHERE k < 0 AND k = (SELECT 1 / (count(*) - count(*)) FROM pg_class);
SELECT count(*) FROM vs WHERE 1 / sm > 2;
SELECT same('SELECT k FROM %s WHERE false'), same('SELECT k FROM %s WHERE k < 5 AND (SELECT true)');

-- a barrier: the function must not see rows that the view hides
CREATE FUNCTION leak(int) RETURNS boolean COST 0.0001 LANGUAGE plpgsql
	AS $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$;
CREATE VIEW vs_barrier WITH (security_barrier) AS SELECT * FROM vs WHERE k > 29999;
EXPLAIN (COSTS OFF) SELECT k FROM vs_barrier WHERE leak(k) AND num < 100 AND sm < 200;
SELECT k FROM vs_barrier WHERE leak(k) AND num < 100 AND sm < 200;

-- children, columns added and dropped, types changed without a rewrite
CREATE TABLE vs_parent (k int, t text) PARTITION BY RANGE (k);
CREATE TABLE vs_p1 PARTITION OF vs_parent FOR VALUES FROM (0) TO (10000) USING columnar;
CREATE TABLE vs_p2 (t text, gone int, k int) USING columnar;
ALTER TABLE vs_p2 DROP COLUMN gone;
ALTER TABLE vs_parent ATTACH PARTITION vs_p2 FOR VALUES FROM (10000) TO (20000);
CREATE TABLE vs_p3 PARTITION OF vs_parent FOR VALUES FROM (20000) TO (40000);
INSERT INTO vs_parent SELECT k, t FROM vs_heap;
EXPLAIN (COSTS OFF) SELECT k, t FROM vs_parent WHERE k > 9000 AND t = 'v1';
SELECT count(*), sum(k) FROM vs_parent WHERE k > 9000 AND t = 'v1';
SELECT count(*), sum(k) FROM vs_heap WHERE k > 9000 AND t = 'v1';
ALTER TABLE vs ADD COLUMN added int DEFAULT 5, ADD COLUMN added_text text;
SELECT count(*) FILTER (WHERE added = 5 AND added_text IS NULL), count(*) FROM vs;
SELECT count(*), min(added) FROM vs WHERE added = 5 AND added_text IS NULL AND k > 100;
SELECT count(*) FROM vs WHERE added <> 5 OR added_text = 'x';
SELECT count(*) FROM vs WHERE added > 5;
CREATE TABLE vs_type (i int, v varchar(10)) USING columnar;
INSERT INTO vs_type SELECT g - 10000, 'v' || g FROM generate_series(1, 20000) g;
ALTER TABLE vs_type ALTER i TYPE oid, ALTER v TYPE text COLLATE "C";
SELECT count(*) FROM vs_type WHERE i > 4294967290::oid;
SELECT count(*) FROM vs_type WHERE i < 10::oid AND v > 'v1';

-- in parallel: with workers, without, without a leader, with a row limit
-- (which switches parallel mode off), with rescans
ALTER TABLE vs SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT count(*), sum(k) FROM vs WHERE k < 29000;
SELECT count(*), sum(k) FROM vs WHERE k < 29000;
SELECT counter('SELECT count(*), sum(k) FROM vs WHERE k < 29000',
	'Rows Removed by Vector Filter') BETWEEN 500 AND 1000 AS removed;
SET parallel_leader_participation = off;
SELECT count(*), sum(k) FROM vs WHERE k < 29000;
SELECT count(*) FROM (SELECT FROM vs WHERE k < 29000 LIMIT 100) x;
SET max_parallel_workers = 0;
SELECT count(*), sum(k) FROM vs WHERE k < 29000;
RESET max_parallel_workers;
RESET parallel_leader_participation;
DO $$
DECLARE n bigint;
BEGIN
	SELECT count(*) INTO n FROM vs WHERE k < 29000;
	RAISE NOTICE '% rows', n;
END $$;
SET enable_material = off;
SELECT g, c FROM generate_series(1, 3) g
	LEFT JOIN (SELECT count(*) AS c FROM vs WHERE k < 29000) x ON c > g;
RESET enable_material;
RESET max_parallel_workers_per_gather;
SET max_parallel_workers_per_gather = 0;

-- cursors in both directions; the current row
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT k FROM vs
	WHERE sm = 1 AND k % 3 = 1 AND k > 20;
MOVE FORWARD ALL c;
FETCH BACKWARD 2 c;
FETCH FORWARD 1 c;
MOVE ABSOLUTE 20 c;
FETCH RELATIVE 0 c;
FETCH BACKWARD 1 c;
MOVE BACKWARD ALL c;
FETCH 2 c;
CLOSE c;
COMMIT;

-- rows of the transaction itself
BEGIN;
INSERT INTO vs (k) SELECT 40000 + g FROM generate_series(1, 5000) g;
SELECT count(*) FROM vs WHERE k > 40000;
ROLLBACK;
SELECT count(*) FROM vs WHERE k > 40000;

DROP TABLE vs_heap, vs_small, vs_parent, vs_type, vs CASCADE;
DROP FUNCTION same, counter, leak;
DROP DOMAIN small;
DROP TYPE mood;
