-- Aggregation by processes that exchange rows
SET default_table_access_method = columnar;
SET jit = off;
CREATE TABLE vx (id int, i int, b bigint, n numeric, f float8, d date, t text, c char(8), u uuid,
	v interval, few int, big text);
INSERT INTO vx SELECT i, NULLIF((i * 7919::bigint) % 20011, 7)::int, (i * 104729::bigint) % 25013 * 1000003,
	((i * 7919::bigint) % 19997)::numeric / (ARRAY[1, 10, 100, 1000])[1 + i % 4],
	CASE WHEN i % 9973 = 0 THEN 'NaN' WHEN i % 7 = 0 THEN (i % 3 - 1) * 0.0 ELSE (i % 20011) / 8.0 END,
	date '2000-01-01' + (i % 20011), 'key ' || (i * 31) % 19991, 'c' || i % 25013,
	md5((i % 22003)::text)::uuid, make_interval(hours => i % 18013), i % 5, NULL
FROM generate_series(1, 60000) i;
-- rows in row form, NULLs, another scale
INSERT INTO vx SELECT i, NULL, NULL, 1.50000, '-0', NULL, NULL, NULL, NULL, '1 day', NULL, 'x'
FROM generate_series(60001, 60100) i;
DELETE FROM vx WHERE id % 1009 = 0;
SET default_statistics_target = 1000;
ANALYZE vx;

-- what a query gives, in any order, as one number
CREATE FUNCTION sum_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT count(*) || '' '' || coalesce(sum((''x'' || left(md5(s::text), 8))::bit(32)::bigint), 0) FROM (%s) s', query)
		INTO result;
	RETURN result;
END $$;

-- by one process, and by several
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	alone text;
	together text;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', '0', true);
	alone := sum_of(query);
	PERFORM set_config('max_parallel_workers_per_gather', '2', true);
	together := sum_of(query);
	RETURN CASE WHEN alone = together THEN alone ELSE 'alone ' || alone || ', together ' || together END;
END $$;

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0.01;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE vx SET (parallel_workers = 2);

-- columnar only
EXPLAIN (COSTS OFF) SELECT i, count(*) FROM vx GROUP BY i;
EXPLAIN (COSTS OFF) SELECT t, count(*), sum(b) FROM vx GROUP BY t HAVING count(*) > 2 ORDER BY 2 DESC, 1 LIMIT 3;
EXPLAIN (COSTS OFF) SELECT few, count(DISTINCT t) FROM vx GROUP BY few;
EXPLAIN (COSTS OFF) SELECT count(DISTINCT b), count(i), sum(few), min(d), bool_and(few < 5) FROM vx;
EXPLAIN (COSTS OFF) SELECT DISTINCT i, d FROM vx;
-- end

-- keys of each kind
SELECT same('SELECT i, count(*), sum(b), min(id) FROM vx GROUP BY i');
SELECT same('SELECT b, max(t), avg(i) FROM vx GROUP BY b');
SELECT same('SELECT n, count(*) FROM (SELECT trim_scale(n) AS n, id FROM vx) s GROUP BY n');
SELECT same('SELECT n + 0.00000, count(*), sum(id) FROM vx GROUP BY n');
SELECT same('SELECT f + 0, count(*), sum(id) FROM vx GROUP BY f');
SELECT same('SELECT d, sum(n), variance(i) FROM vx GROUP BY d');
SELECT same('SELECT t, count(i), min(c), max(u::text) FROM vx GROUP BY t');
SELECT same('SELECT c, count(*) FROM vx GROUP BY c');
SELECT same('SELECT u, count(*), stddev(b) FROM vx GROUP BY u');
SELECT same('SELECT extract(epoch FROM v), count(*), sum(id) FROM vx GROUP BY v');
SELECT same('SELECT i, t, d, count(*), bool_or(few > 2), bit_xor(id) FROM vx GROUP BY 1, 2, 3');
SELECT same('SELECT i % 20011, length(t), sum(b + 1), sum(few + 3) FROM vx GROUP BY 1, 2');

-- DISTINCT within groups, and without groups
SELECT same('SELECT few, count(DISTINCT t), count(DISTINCT i), count(*) FROM vx GROUP BY few');
SELECT same('SELECT i, count(DISTINCT few) FROM vx WHERE id > 1000 GROUP BY i');
SELECT same('SELECT count(DISTINCT t), count(*), sum(few), max(i), min(d), bool_and(few < 4), avg(few) FROM vx');
SELECT same('SELECT count(DISTINCT n) FROM vx WHERE few <> 1 HAVING count(*) > 5');
SELECT same('SELECT count(DISTINCT i) FROM vx HAVING count(DISTINCT i) < 5');
SELECT same('SELECT count(DISTINCT i) FILTER (WHERE few = 1), count(DISTINCT i) FROM vx');
SELECT same('SELECT count(DISTINCT i), count(DISTINCT d) FROM vx');
SELECT same('SELECT count(DISTINCT u) FROM vx WHERE id < 0');
SELECT same('SELECT DISTINCT i, d FROM vx');

-- filters, conditions, the best groups
SELECT same('SELECT i, count(*) FILTER (WHERE few = 2), sum(b) FILTER (WHERE t LIKE ''%9'') FROM vx GROUP BY i');
SELECT same('SELECT t, sum(i) FROM vx GROUP BY t HAVING sum(i) % 3 = 1 AND min(few) < 3');
SELECT t, count(*), sum(i) FROM vx GROUP BY t ORDER BY 2 DESC NULLS LAST, t LIMIT 4;
SELECT i, max(id) FROM vx GROUP BY i ORDER BY i NULLS FIRST LIMIT 3 OFFSET 1;
SELECT same('SELECT i, count(*) FROM vx GROUP BY i ORDER BY 2 DESC, i LIMIT 100');

\set SHOW_CONTEXT never
-- errors are core's, wherever they come
SELECT i, sum(1 / (id - 45000)) FROM vx GROUP BY i;
SELECT count(*) FROM (SELECT i FROM vx GROUP BY i HAVING 1 / (count(*) - count(*)) > 0) s;

-- little memory: partitions are spilled again
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT same('SELECT i, b, t, count(*), count(DISTINCT d) FROM vx GROUP BY 1, 2, 3');
SELECT same('SELECT count(DISTINCT t) FROM vx');
RESET work_mem;
RESET hash_mem_multiplier;

-- without workers, without a leader, with a row limit, repeatedly
SET max_parallel_workers = 0;
SELECT same('SELECT i, count(*), sum(b), min(id) FROM vx GROUP BY i');
SELECT same('SELECT count(DISTINCT t), count(*) FROM vx');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT same('SELECT i, count(*), sum(b), min(id) FROM vx GROUP BY i');
SELECT same('SELECT count(DISTINCT t), count(*) FROM vx');
RESET parallel_leader_participation;
BEGIN;
DECLARE whole CURSOR FOR SELECT count(*) OVER (), x.* FROM (SELECT i, count(*) FROM vx GROUP BY i) x ORDER BY i;
FETCH 2 FROM whole;
FETCH 2 FROM whole;
DECLARE parts CURSOR FOR SELECT t, count(*) FROM vx GROUP BY t;
MOVE 10 IN parts;
MOVE 19981 IN parts;
MOVE 10 IN parts;
COMMIT;
SELECT count(*) FROM (SELECT i, count(*) FROM vx GROUP BY i OFFSET 3 LIMIT 5) s;

SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT k, count(*), sum(s) FROM generate_series(1, 3) k
LEFT JOIN (SELECT i, sum(id) AS s FROM vx GROUP BY i) g ON g.i % 4 = k GROUP BY k ORDER BY k;
SELECT k, (SELECT count(*) FROM (SELECT i FROM vx WHERE few > k GROUP BY i) g) FROM generate_series(1, 3) k;
RESET enable_material;
RESET enable_hashjoin;
RESET enable_mergejoin;

-- nothing is left behind
SELECT count(*) FROM pg_ls_tmpdir();

-- values that take much room
UPDATE vx SET big = repeat(md5(id::text), 100000) WHERE id IN (60001, 60002, 7);
SELECT same('SELECT i, count(*), max(length(big)) FROM vx GROUP BY i');
SELECT same('SELECT t, max(big) FROM vx GROUP BY t');
DROP TABLE vx;
DROP FUNCTION same, sum_of;
