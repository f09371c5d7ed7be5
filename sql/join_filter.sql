-- Filters from the build side of hash joins: the same rows as with core's
-- joins of heap and of columnar tables (also run by test/both).
SET default_table_access_method = columnar;
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;

-- The probe side: keys of every type, clustered and scattered, with NULLs.
CREATE TABLE fact (id int, k2 smallint, k4 int, k8 bigint, d date,
	ts timestamp, o oid, f float8, n numeric, t text, v int);
INSERT INTO fact
SELECT g, CASE WHEN g % 11 > 0 THEN g % 3001 - 1500 END,
	CASE WHEN g % 13 > 0 THEN g * 7919 % 20011 END,
	CASE WHEN g % 17 > 0 THEN (g * 7919::bigint % 20011 - 10000) * 4000000000 END,
	date '2020-01-01' + g / 100, timestamp '2020-01-01' + g * interval '1 hour',
	(4294967295 - g % 5000)::oid,
	CASE g % 5 WHEN 0 THEN -0.0 WHEN 1 THEN 0.0 WHEN 2 THEN 'NaN' ELSE g END,
	g % 100 / 10.0, 'k' || g % 1000, g % 97
FROM generate_series(1, 40000) g;
-- rows in row form, and holes
INSERT INTO fact SELECT * FROM fact WHERE id <= 300;
INSERT INTO fact VALUES (0, 32767, 2147483647, 9223372036854775807, 'infinity',
	'infinity', 0, 0, 0, '', 0), (-1, -32768, -2147483648,
	-9223372036854775808, '-infinity', '-infinity', 4294967295, 1, 1, 'x', 1);
DELETE FROM fact WHERE id % 101 = 0;
ANALYZE fact;
-- The build side.
CREATE TABLE dim (k2 smallint, k4 int, k8 bigint, d date, ts timestamp, o oid,
	f float8, n numeric, t text, tag text, x int);
INSERT INTO dim
SELECT g - 20, g * 3, (g * 3 - 10000) * 4000000000::bigint,
	date '2020-03-01' + g % 10, timestamp '2020-02-01' + g * interval '1 hour',
	(4294967295 - g)::oid, CASE g WHEN 1 THEN 0.0 WHEN 2 THEN 'NaN' ELSE -g END,
	g / 10.00, 'k' || g, 'tag' || g % 5, g
FROM generate_series(1, 50) g;
INSERT INTO dim SELECT * FROM dim WHERE x <= 5;
INSERT INTO dim (tag, x) VALUES ('tag0', NULL), ('tag9', 9);
INSERT INTO dim VALUES (-32768, 2147483647, -9223372036854775808, 'infinity',
	'-infinity', 0, 0, 0, '', 'tag0', 99);
ANALYZE dim;

-- columnar only
-- What the planner makes of it.
CREATE FUNCTION plan(query text, options text DEFAULT 'COSTS off') RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (' || options || ') ' || query LOOP
		RETURN NEXT line;
	END LOOP;
END $$;
SELECT plan('SELECT count(*) FROM fact JOIN dim USING (k4)');
SELECT regexp_replace(line, ' *\(actual.*', '')
FROM plan('SELECT count(*) FROM fact JOIN dim USING (d) WHERE dim.x < 20',
	'ANALYZE, COSTS off, TIMING off, SUMMARY off') line
WHERE line ~ 'Columnar|Join Filter';
SELECT regexp_replace(line, ' *\(actual.*', '')
FROM plan('SELECT sum(v) FROM fact WHERE k8 IN (SELECT k8 FROM dim)',
	'ANALYZE, COSTS off, TIMING off, SUMMARY off') line
WHERE line ~ 'Columnar(Join|Vector)|Join Filter';
SELECT plan('SELECT count(*), sum(x) FROM dim WHERE EXISTS
	(SELECT FROM fact WHERE fact.k4 = dim.k4 AND fact.v + 1 < 60)');
SET columnar.vector_scan = off;
SELECT plan('SELECT count(*) FROM fact JOIN dim USING (k4)');
RESET columnar.vector_scan;
-- not for types whose equality is not that of integers, nor for joins that keep
-- probe rows without a match
SELECT count(*) FROM plan('SELECT count(*) FROM fact JOIN dim USING (f)') line
WHERE line ~ 'Join Filter';
SELECT count(*) FROM plan('SELECT count(*) FROM fact LEFT JOIN dim USING (k4)') line
WHERE line ~ 'Join Filter';
SELECT count(*) FROM plan('SELECT count(*) FROM fact FULL JOIN dim USING (k4)') line
WHERE line ~ 'Join Filter';
SELECT count(*) FROM plan('SELECT count(*) FROM fact WHERE NOT EXISTS
	(SELECT FROM dim WHERE dim.k4 = fact.k4)') line
WHERE line ~ 'Join Filter';
SELECT count(*) FROM plan('SELECT count(*) FROM fact JOIN dim USING (k4)
	WHERE fact.v + random() > -1') line
WHERE line ~ 'Join Filter';
-- end

-- Every type, and integers of different widths.
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k2);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k8);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (d);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (ts);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (o);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (f);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (n);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (t);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim ON fact.k2 = dim.k4;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim ON fact.k2 = dim.k8;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim ON fact.k4 = dim.k2;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim ON dim.k8 = fact.k4;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim ON dim.k2 = fact.k8;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim ON fact.k8 = dim.k4;
-- Several clauses, some of them of no use to the filter.
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4, d);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4, t);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim
	ON fact.k4 = dim.k4 AND fact.k2 = dim.x + 1;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim
	ON fact.k4 = dim.k4 AND fact.id > dim.x;
-- Filters and quals of the scan besides.
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4) WHERE v < 30;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4)
	WHERE length(fact.t) > 3 AND fact.n + 1 > 3;
SELECT fact.id, fact.t, dim.tag, fact FROM fact JOIN dim USING (k4)
	WHERE dim.x = 3 ORDER BY fact.id, 2, 3 LIMIT 3;
-- An empty build side, and one of NULLs.
SELECT count(*), sum(id) FROM fact JOIN dim USING (k4) WHERE dim.x < 0;
SELECT count(*), sum(id) FROM fact JOIN dim USING (k4) WHERE dim.x IS NULL;
SELECT count(*), sum(id) FROM fact WHERE k4 IN (SELECT k4 FROM dim WHERE x < 0);
SELECT count(*), sum(id), count(dim.tag) FROM fact RIGHT JOIN dim
	ON fact.k4 = dim.k4 AND dim.x < 0;
-- Semijoins whose probe side is made unique.
SELECT count(*), sum(x) FROM dim WHERE EXISTS (SELECT FROM fact WHERE fact.k4 = dim.k4 AND v + 1 < 60);
SELECT count(*), sum(x) FROM dim WHERE (k4, x % 2) IN (SELECT k4, v % 2 FROM fact WHERE v + 1 < 60);
SELECT count(*), sum(x) FROM dim WHERE (x, k4) IN (SELECT v, k4 FROM fact);
SELECT count(*), sum(x) FROM dim WHERE x IN (SELECT k2 FROM fact WHERE v + 1 < 60);
SELECT count(*), sum(x) FROM dim WHERE k4 / 2 IN (SELECT k4 / 2 FROM fact);
SELECT count(*), sum(x) FROM dim WHERE x < 0 AND k4 IN (SELECT k4 FROM fact);
SELECT x, s.n FROM dim, LATERAL (SELECT count(*) n FROM dim d2 WHERE d2.x >= dim.x
	AND EXISTS (SELECT FROM fact WHERE fact.k4 = d2.k4 AND fact.v < dim.x)) s
WHERE x BETWEEN 10 AND 13 ORDER BY x, s.n;
-- Other kinds of joins.
SELECT count(*), sum(id) FROM fact WHERE k4 IN (SELECT k4 FROM dim);
SELECT count(*), sum(id) FROM fact WHERE k4 NOT IN (SELECT k4 FROM dim WHERE x > 3);
SELECT count(*), sum(id) FROM fact WHERE EXISTS
	(SELECT FROM dim WHERE dim.k4 = fact.k4 AND dim.x <> fact.v);
SELECT count(*), sum(id) FROM fact WHERE NOT EXISTS
	(SELECT FROM dim WHERE dim.k4 = fact.k4);
SELECT count(*), sum(id), sum(x), count(dim.*) FROM fact LEFT JOIN dim USING (k4);
SELECT count(*), sum(id), sum(x), count(fact.*) FROM fact RIGHT JOIN dim USING (k4);
SELECT count(*), sum(id), sum(x), count(fact.*) FROM fact RIGHT JOIN dim
	ON fact.k4 = dim.k4 AND fact.v < 10 AND dim.x > 10;
SELECT count(*), sum(id), sum(x), count(fact.*) FROM fact FULL JOIN dim USING (k4);
SELECT count(*), sum(x) FROM dim WHERE EXISTS
	(SELECT FROM fact WHERE dim.k4 = fact.k4);
SELECT count(*), sum(x) FROM dim WHERE NOT EXISTS
	(SELECT FROM fact WHERE dim.k4 = fact.k4);
-- A table joined to itself, and to two others.
SELECT count(*), sum(a.id), sum(b.id) FROM fact a JOIN fact b USING (k4)
	WHERE b.id BETWEEN 100 AND 200;
SELECT count(*), sum(a.id), sum(b.id) FROM fact a JOIN fact b ON a.k4 = b.k2
	WHERE b.v = 3 AND b.k2 < 50;
SELECT count(*), sum(id), sum(a.x), sum(b.x)
	FROM fact JOIN dim a USING (k4) JOIN dim b ON b.d = fact.d;
SELECT count(*), sum(id), sum(a.x), sum(b.x), sum(c.x)
	FROM fact JOIN dim a USING (k4) JOIN dim b ON b.k2 = fact.v
	LEFT JOIN dim c ON c.k2 = b.x;
-- Subqueries, grouping and set operations on the build side.
SELECT count(*), sum(id), sum(c) FROM fact
	JOIN (SELECT k4, count(*) AS c FROM dim GROUP BY k4) s USING (k4);
SELECT count(*), sum(id) FROM fact
	JOIN (SELECT k4 FROM dim UNION SELECT x FROM dim) s USING (k4);
SELECT count(*), sum(id) FROM fact
	JOIN (SELECT DISTINCT ON (k4) k4, tag FROM dim ORDER BY k4, tag) s USING (k4);
SELECT count(*), sum(id) FROM fact
	JOIN (VALUES (3), (6), (NULL), (20012)) s (k4) USING (k4);
SELECT count(*), sum(id) FROM fact JOIN generate_series(1, 100) g ON g = k4;
WITH s AS MATERIALIZED (SELECT k4, x FROM dim)
	SELECT count(*), sum(id), sum(x) FROM fact JOIN s USING (k4);
SELECT tag, count(*), sum(v) FROM fact JOIN dim USING (k4)
	GROUP BY tag ORDER BY tag;
-- The keys fill a set, a bitmap or a Bloom filter; memory may be scarce.
CREATE TABLE keys AS
	SELECT g AS k4, (g - 5000) * 4000000000::bigint * 2 AS k8
	FROM generate_series(1, 20000, 2) g;
ANALYZE keys;
SELECT count(*), sum(id) FROM fact JOIN keys USING (k4);
SELECT count(*), sum(id) FROM fact JOIN keys USING (k8);
SELECT count(*), sum(id) FROM fact JOIN keys USING (k8) WHERE keys.k4 % 10 = 1;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT count(*), sum(id) FROM fact JOIN keys USING (k4);
SELECT count(*), sum(id) FROM fact JOIN keys USING (k8);
SELECT count(*), sum(id) FROM fact JOIN keys USING (k8) WHERE keys.k4 % 10 = 1;
SELECT count(*), sum(a.id), sum(b.id) FROM fact a JOIN fact b USING (k8)
	WHERE b.v < 20;
SELECT count(*), sum(id), count(fact.*) FROM fact RIGHT JOIN keys USING (k8);
SELECT count(*), sum(id) FROM fact WHERE k8 IN (SELECT k8 FROM keys);
RESET work_mem;
RESET hash_mem_multiplier;
-- Executed again and again, with other keys each time.
SET enable_material = off;
SET enable_memoize = off;
SELECT g, (SELECT count(*) FROM fact JOIN dim USING (k4) WHERE dim.x < g)
	FROM generate_series(0, 6, 2) g;
SELECT g, (SELECT count(*) FROM fact JOIN dim USING (k4) WHERE fact.v < g)
	FROM generate_series(0, 6, 2) g;
SELECT g, (SELECT sum(id) FROM fact JOIN dim ON fact.k4 = dim.k4 + g WHERE x < 99)
	FROM generate_series(0, 2) g;
SELECT g, (SELECT sum(id) FROM fact JOIN dim
	ON fact.k4 = dim.k4 AND fact.k2 = dim.x + g) FROM generate_series(-30, 30, 20) g;
SELECT g, (SELECT sum(fact.id) FROM fact WHERE k4 IN
	(SELECT k4 FROM dim WHERE x BETWEEN g AND g + 1)) FROM generate_series(1, 5) g;
SET enable_nestloop = on;
SELECT g, c, s FROM generate_series(1, 49, 8) g,
	LATERAL (SELECT count(*) AS c, sum(id) AS s
		FROM fact JOIN dim USING (k4) WHERE dim.x >= g OFFSET 0) l ORDER BY g;
SELECT g, l.id FROM generate_series(1, 5) g,
	LATERAL (SELECT fact.id FROM fact JOIN dim USING (k4)
		WHERE dim.x = g ORDER BY fact.id LIMIT 2 OFFSET 0) l ORDER BY 1, 2;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT g, (SELECT count(*) FROM fact JOIN keys USING (k8) WHERE fact.v < g)
	FROM generate_series(0, 6, 2) g;
SELECT g, (SELECT count(*) FROM fact JOIN keys USING (k8) WHERE keys.k4 > g * 3000)
	FROM generate_series(0, 6, 2) g;
RESET work_mem;
RESET hash_mem_multiplier;
RESET enable_material;
RESET enable_memoize;
SET enable_nestloop = off;
PREPARE p(int) AS SELECT count(*), sum(id) FROM fact JOIN dim USING (k4) WHERE dim.x < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(5);
EXECUTE p(0);
EXECUTE p(50);
RESET plan_cache_mode;
-- Cursors.
BEGIN;
DECLARE c SCROLL CURSOR FOR
	SELECT fact.id, dim.x FROM fact JOIN dim USING (k8) ORDER BY fact.id, dim.x;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
DECLARE d CURSOR WITH HOLD FOR
	SELECT count(*), sum(fact.id) FROM fact JOIN dim USING (k8);
DELETE FROM fact WHERE k8 < 0;
FETCH FIRST FROM c;
FETCH RELATIVE 5 FROM c;
SELECT count(*), sum(fact.id) FROM fact JOIN dim USING (k8);
ROLLBACK;
-- Errors of the build side.
SELECT count(*) FROM fact JOIN (SELECT k4, 1 / (x - 20) AS y FROM dim) s USING (k4)
	WHERE y >= 0;
SELECT count(*) FROM fact JOIN dim USING (k4);
-- Changes that read such joins.
BEGIN;
UPDATE fact SET v = v + dim.x FROM dim WHERE dim.k8 = fact.k8;
SELECT count(*), sum(v) FROM fact;
DELETE FROM fact USING dim WHERE dim.k4 = fact.k4;
SELECT count(*), sum(v) FROM fact;
SELECT count(*) FROM (SELECT fact.id FROM fact JOIN dim USING (d) FOR UPDATE OF fact) s;
ROLLBACK;
-- A column added later has no chunks.
ALTER TABLE fact ADD extra int DEFAULT 7;
INSERT INTO fact (id, extra) SELECT g, g FROM generate_series(1, 3000) g;
SELECT count(*), sum(x) FROM fact JOIN dim ON extra = x;
SELECT count(*), sum(x) FROM fact JOIN dim ON extra = x WHERE x <> 7;
-- Partitions.
CREATE TABLE parts (k4 int, v int) PARTITION BY RANGE (v);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (40);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (40) TO (100);
INSERT INTO parts SELECT k4, v FROM fact WHERE v IS NOT NULL AND v < 100;
ANALYZE parts;
SELECT count(*), sum(v), sum(x) FROM parts JOIN dim USING (k4);
SET enable_partitionwise_join = on;
SELECT count(*), sum(parts.v), sum(p2.v) FROM parts JOIN parts p2 USING (v)
	WHERE p2.k4 BETWEEN 3 AND 9;
RESET enable_partitionwise_join;

-- In parallel, each process with a hash table of its own.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_parallel_hash = off;
ALTER TABLE fact SET (parallel_workers = 2);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4);
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (d) WHERE fact.v < 50;
SELECT count(*), sum(id) FROM fact WHERE k4 IN (SELECT k4 FROM dim);
SELECT count(*), sum(id), count(fact.*) FROM fact RIGHT JOIN dim USING (k4);
SELECT g, (SELECT count(*) FROM fact JOIN dim USING (k4) WHERE dim.x < g)
	FROM generate_series(0, 6, 2) g;
SELECT id FROM fact JOIN dim USING (k4) WHERE dim.x = 4 ORDER BY id LIMIT 3;
-- columnar only
SELECT plan('SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4)');
-- end
SET parallel_leader_participation = off;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4);
RESET parallel_leader_participation;
SET enable_parallel_hash = on;
SELECT count(*), sum(id), sum(x) FROM fact JOIN dim USING (k4);
SELECT count(*), sum(id) FROM fact JOIN keys USING (k8);

DROP TABLE fact, dim, keys, parts;
-- columnar only
DROP FUNCTION plan;
-- end
