--
-- Queries of every shape, over rows in column form and in row form
--
SET default_table_access_method = columnar;

CREATE TABLE qu_t (id integer, g integer, f float8, n numeric, t text, d date, b boolean, a integer[]);
INSERT INTO qu_t
SELECT i, nullif(i % 50, 0), CASE i % 1000 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-0' ELSE (i / 64.0)::float8 END,
	(i % 777) / 8.0, CASE WHEN i % 11 <> 0 THEN 'text ' || i % 300 END, '2020-01-01'::date + i / 200,
	CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END, ARRAY[i % 3, i % 5]
FROM generate_series(1, 100000) i;
INSERT INTO qu_t VALUES (-1, 7, 0.5, 0.125, 'row form', '2019-01-01', true, '{}');
INSERT INTO qu_t (id) VALUES (-2);
ANALYZE qu_t;

-- filters
CREATE TABLE qu_filter (f text) USING heap;
INSERT INTO qu_filter VALUES
	('id = 70000'), ('id <> 5'), ('id < 1000'), ('id >= 99000'), ('id BETWEEN 65530 AND 65540'),
	('id IN (1, 2, 99999, NULL)'), ('id NOT IN (1, 2)'), ('id NOT IN (1, NULL)'), ('id = ANY (''{}'')'),
	('id <> ALL (''{1,2,3}'')'), ('g IS NULL'), ('g IS NOT NULL'), ('NOT (g > 10)'), ('g IS DISTINCT FROM 3'),
	('f = ''NaN'''), ('f > 1e300'), ('f = 0'), ('f < -1'), ('f::float4 = 1.5'), ('f = 1.5::float4'),
	('n = 1.5'), ('n > 90 AND n < 91'), ('n::int = 17'), ('id > 99990.5'), ('id = 5::bigint'), ('id = 5::smallint'),
	('t = ''text 17'''), ('t LIKE ''text 1%'''), ('t LIKE ''%99'''), ('t > ''text 98'''), ('t COLLATE "C" < ''text 10'''),
	('t ~ ''9{2}$'''), ('t IS NULL'), ('t IN (''text 1'', ''row form'')'), ('length(t) = 6'), ('coalesce(t, ''x'') = ''x'''),
	('d = ''2020-05-05'''), ('d < ''2020-01-03'''), ('d >= ''2021-05-01''::timestamp'), ('d IS NULL'),
	('b'), ('NOT b'), ('b IS NULL'), ('b IS NOT TRUE'), ('a @> ''{2,4}'''), ('a[1] = 2'), ('a = ''{}'''),
	('id % 10007 = 0 OR g = 3 AND d > ''2021-01-01'''), ('(g, id) < (2, 500)'), ('false'), ('NULL'), ('true'),
	('1 = 1 AND id < 10'), ('id < (SELECT 5)'), ('EXISTS (SELECT 1 FROM qu_filter x WHERE x.f = ''id <> '' || q.id)'),
	('q IS NOT NULL'), ('q.ctid IS NOT NULL AND id < 3'), ('tableoid = ''qu_t''::regclass AND id < 3'),
	('random() >= 0 AND id < 20'), ('CASE WHEN id = 0 THEN 1 / id > 0 ELSE id < 9 END');
CREATE FUNCTION qu_run(filter text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE 'SELECT concat_ws('' '', count(*), count(t), sum(id), sum(n), min(d), max(t COLLATE "C"))
		FROM qu_t q WHERE ' || filter INTO answer;
	RETURN answer;
END $$;
SELECT f, qu_run(f) FROM qu_filter;

-- aggregates and groups
SELECT count(*), count(g), sum(g), avg(g), min(f), max(f), avg(n), stddev(n), bool_and(b), bool_or(b), max(a) FROM qu_t;
SELECT g, count(*), sum(n), min(d), max(d) FROM qu_t GROUP BY g ORDER BY g NULLS FIRST LIMIT 4;
SELECT count(DISTINCT t), count(*) FILTER (WHERE b), string_agg(DISTINCT t, ',' ORDER BY t) FILTER (WHERE id < 4) FROM qu_t;
SELECT b, g % 2 AS odd, count(*) FROM qu_t GROUP BY GROUPING SETS ((b, g % 2), (b), ()) ORDER BY 1, 2, 3;
SELECT sum(id), max(t), avg(n) FROM qu_t WHERE false;
SELECT d, count(*) FROM qu_t GROUP BY d HAVING count(*) <> 200 ORDER BY d;
SELECT id, rank() OVER (PARTITION BY g ORDER BY id) FROM qu_t WHERE g = 3 ORDER BY id LIMIT 2;

-- rows, orders, limits
SELECT * FROM qu_t WHERE id IN (-1, -2, 1000, 1001, 65536) ORDER BY id;
SELECT id FROM qu_t ORDER BY d DESC NULLS LAST, id LIMIT 3 OFFSET 2;
SELECT q FROM qu_t q WHERE id = 42;
SELECT q.* FROM qu_t q WHERE q = ROW(42, 42, 0.65625, 5.25, 'text 42', '2020-01-01', true, '{0,2}')::qu_t;
SELECT DISTINCT b, a[1] FROM qu_t ORDER BY 1, 2;
SELECT count(*) FROM (SELECT FROM qu_t) x;
SELECT count(*) FROM (SELECT 1 FROM qu_t LIMIT 70000) x;
SELECT 1 FROM qu_t WHERE id < 3;

-- joins, subqueries, laterals
SELECT count(*), sum(x.id) FROM qu_t x JOIN qu_t y ON x.id = y.id + 1 WHERE y.g = 5;
SELECT count(*), count(y.id) FROM qu_t x LEFT JOIN qu_t y ON x.id = -y.id WHERE x.id < 10;
SELECT count(*) FROM qu_t x FULL JOIN (SELECT * FROM qu_t WHERE id < 5) y USING (id) WHERE id < 10;
SELECT count(*) FROM qu_t WHERE id IN (SELECT g FROM qu_t);
SELECT count(*) FROM qu_t x WHERE NOT EXISTS (SELECT 1 FROM qu_t y WHERE y.g = x.id) AND id < 100;
SELECT s.i, l.n FROM generate_series(1, 3) s(i), LATERAL (SELECT count(*) AS n FROM qu_t WHERE g = s.i) l ORDER BY 1;
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
SELECT count(*), sum(y.n) FROM generate_series(1, 20) s(i) JOIN qu_t y ON y.id = s.i * 4000;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material;
SELECT (SELECT max(id) FROM qu_t y WHERE y.g = x.g) FROM qu_t x WHERE id IN (7, 50) ORDER BY id;
WITH RECURSIVE r AS (SELECT 1 AS id UNION ALL SELECT q.id * 2 FROM r JOIN qu_t q USING (id) WHERE r.id < 50000)
SELECT count(*), max(id) FROM r;
SELECT count(*) BETWEEN 1 AND 100002 FROM qu_t TABLESAMPLE SYSTEM (50);
SELECT count(*) FROM qu_t TABLESAMPLE BERNOULLI (100);
SELECT count(*) FROM qu_t TABLESAMPLE SYSTEM (100);

-- the first rows of what several conditions leave of a vector
SELECT id, f FROM qu_t WHERE n IN (0.125, 7) AND id % 5 <> 1 ORDER BY f DESC, id LIMIT 4;
SELECT id, coalesce(t, '-') AS t FROM qu_t WHERE n IN (0.125, 7) AND id % 5 <> 1 ORDER BY t NULLS FIRST, id LIMIT 4;

-- set operations
SELECT count(*), sum(id), sum(g) FROM (SELECT id % 1000 AS id, g FROM qu_t UNION SELECT id, g FROM qu_t WHERE id < 500) u;
SELECT count(*) FROM (SELECT g FROM qu_t INTERSECT SELECT g FROM qu_t WHERE id < 20) u;
SELECT count(*) FROM (SELECT g FROM qu_t EXCEPT ALL SELECT g FROM qu_t WHERE id < 20) u;

-- prepared, with parameters of each plan
PREPARE qu_p(integer, text) AS SELECT count(*), min(id) FROM qu_t WHERE g = $1 AND t = $2;
EXECUTE qu_p(7, 'text 7');
EXECUTE qu_p(NULL, 'text 7');
SET plan_cache_mode = force_generic_plan;
EXECUTE qu_p(7, 'text 7');
EXECUTE qu_p(7, NULL);
EXECUTE qu_p(7, 'row form');
RESET plan_cache_mode;

-- in parallel
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT count(*), sum(id), sum(n), count(t) FROM qu_t;
SELECT g, count(*) FROM qu_t WHERE b GROUP BY g ORDER BY 2 DESC, 1 LIMIT 3;
SELECT count(*) FROM qu_t x JOIN qu_t y USING (id) WHERE x.g = 4;
SET parallel_leader_participation = off;
SELECT count(*), sum(id) FROM qu_t WHERE d > '2020-06-01';
RESET ALL;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname = 'qu_t';
-- end
DEALLOCATE qu_p;
DROP TABLE qu_t, qu_filter;
DROP FUNCTION qu_run;
