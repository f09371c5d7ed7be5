-- ORDER BY ... LIMIT over rows by vectors
SET default_table_access_method = columnar;
CREATE TABLE tn (id int, i int, b bigint, f float8, r real, n numeric, d date, ts timestamptz,
	t text, c char(5), u uuid, a int[]);
INSERT INTO tn SELECT i, (i * 7919::bigint) % 1009, (i * 104729::bigint) % 100003 - 50000,
	CASE WHEN i % 997 = 0 THEN 'NaN' WHEN i % 991 = 0 THEN '-Infinity' ELSE (i % 1013) / 8.0 END,
	(i % 503) / 4.0, CASE WHEN i % 499 = 0 THEN 'NaN' ELSE (i % 2003) / 100.0 END,
	date '2020-01-01' + i % 400, timestamptz '2020-01-01 UTC' + i * interval '1 minute',
	CASE i % 5 WHEN 0 THEN '' ELSE chr(97 + i % 26) || i % 37 END, chr(65 + i % 7),
	md5(i::text)::uuid, ARRAY[i % 3, i % 11]
FROM generate_series(1, 70000) i;
INSERT INTO tn (id) SELECT i FROM generate_series(70001, 70020) i;
INSERT INTO tn SELECT i, NULL, 5, 1.5, 2.5, 3.50, 'infinity', 'infinity', 'zz', 'zz', NULL, '{}'
FROM generate_series(70021, 70030) i;
ANALYZE tn;

-- columnar only
EXPLAIN (COSTS OFF) SELECT * FROM tn ORDER BY ts DESC LIMIT 3;
EXPLAIN (COSTS OFF) SELECT id FROM tn WHERE i < 100 ORDER BY t, n DESC NULLS LAST LIMIT 3 OFFSET 2;
-- end

-- each type, both ways; the last key leaves no ties
SELECT id, i FROM tn ORDER BY i, id LIMIT 4;
SELECT id, i FROM tn ORDER BY i DESC, id LIMIT 13 OFFSET 28;
SELECT id, i FROM tn ORDER BY i NULLS FIRST, id LIMIT 3;
SELECT id, i FROM tn ORDER BY i DESC NULLS LAST, id LIMIT 3;
SELECT id, b FROM tn ORDER BY b, id DESC LIMIT 4;
SELECT id, b FROM tn ORDER BY b DESC NULLS LAST, id DESC LIMIT 4;
SELECT id, f FROM tn ORDER BY f, id LIMIT 4;
SELECT id, f FROM tn ORDER BY f DESC NULLS LAST, id LIMIT 75 OFFSET 65;
SELECT id, r FROM tn ORDER BY r DESC NULLS LAST, id LIMIT 3;
SELECT id, n FROM tn ORDER BY n DESC NULLS LAST, id LIMIT 3 OFFSET 138;
SELECT id, n FROM tn ORDER BY n, id LIMIT 3;
SELECT id, d FROM tn ORDER BY d DESC NULLS LAST, id LIMIT 12;
SELECT id, ts FROM tn ORDER BY ts DESC NULLS LAST, id DESC LIMIT 12;
SELECT id, ts FROM tn WHERE i = 5 ORDER BY ts DESC NULLS LAST LIMIT 3;
SELECT id, t FROM tn ORDER BY t, id LIMIT 3;
SELECT id, t FROM tn ORDER BY t DESC NULLS LAST, id LIMIT 13;
SELECT id, c FROM tn ORDER BY c, id LIMIT 3;
SELECT id, u FROM tn ORDER BY u, id LIMIT 3;
SELECT id, a FROM tn ORDER BY a DESC NULLS LAST, id LIMIT 3;

-- zone maps of vectors: the best rows come first, last and in between, beside
-- values outside of ranges
CREATE TABLE tz (id int, n numeric, f float8, r real, i int);
INSERT INTO tz SELECT i, (v % 1000) / 8.0 + v / 1000000, v / 7.0, v / 4.0, v
FROM (SELECT i, (i * 7919::bigint) % 70001 - abs(35000 - i) * 3 AS v FROM generate_series(1, 70000) i) s;
INSERT INTO tz SELECT id + 70000, n + 0.00000000000000000001, f, r, NULL FROM tz WHERE id < 40000;
INSERT INTO tz SELECT 110000 + id, n, f, r, i FROM tz WHERE id < 70000;
INSERT INTO tz SELECT 300000 + i, CASE i % 3 WHEN 0 THEN 'NaN' ELSE i END,
	CASE i % 3 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' ELSE 'Infinity' END, 'NaN', 2147483647
FROM generate_series(1, 12) i;
VACUUM ANALYZE tz;
SELECT id, n FROM tz ORDER BY n DESC, id LIMIT 8;
SELECT id, n FROM tz ORDER BY n, id LIMIT 8;
SELECT id, n FROM tz WHERE n < 'NaN' ORDER BY n DESC, id LIMIT 11;
SELECT n FROM tz WHERE id < 300000 ORDER BY n DESC LIMIT 6;
SELECT id, f FROM tz ORDER BY f DESC, id LIMIT 12;
SELECT id, f FROM tz ORDER BY f, id LIMIT 7;
SELECT f FROM tz WHERE id < 300000 ORDER BY f LIMIT 5;
SELECT id, r FROM tz WHERE id % 7 = 0 ORDER BY r DESC, id LIMIT 5;
SELECT id, r FROM tz WHERE id % 7 = 0 ORDER BY r, id LIMIT 5;
SELECT id, i FROM tz ORDER BY i DESC, id LIMIT 5;
SELECT id, i FROM tz WHERE id % 5 = 0 ORDER BY i NULLS FIRST, id DESC LIMIT 5;
SELECT id, i FROM tz ORDER BY i, id LIMIT 5;
DROP TABLE tz;

-- expressions, filters, whole rows
SELECT upper(t), i + 1 FROM tn WHERE t LIKE '%1%' ORDER BY length(t) DESC, i % 10, id LIMIT 3;
SELECT tn FROM tn ORDER BY b DESC NULLS LAST, id LIMIT 1;
SELECT * FROM tn WHERE id > 70025 ORDER BY id DESC LIMIT 2;
SELECT id FROM tn WHERE false ORDER BY i LIMIT 2;
SELECT count(*) FROM (SELECT id FROM tn ORDER BY i, id LIMIT 0) s;
SELECT id FROM tn ORDER BY i / 0 LIMIT 1;

-- rows that are deleted, updated, inserted in the same transaction
BEGIN;
DELETE FROM tn WHERE id BETWEEN 69990 AND 70010;
UPDATE tn SET ts = ts - interval '100 years' WHERE id = 70;
INSERT INTO tn (id, ts) VALUES (-1, '-infinity');
SELECT id FROM tn ORDER BY ts, id LIMIT 3;
SELECT id FROM tn WHERE id < 70020 ORDER BY id DESC LIMIT 12;
ROLLBACK;

-- rescans, parameters, cursors
SELECT g, l.id FROM generate_series(1, 4) g,
	LATERAL (SELECT id FROM tn WHERE i = g ORDER BY ts DESC LIMIT 2) l ORDER BY 1, 2;
PREPARE first_rows(int) AS SELECT id FROM tn WHERE i > $1 ORDER BY i, id LIMIT 2;
EXECUTE first_rows(10);
EXECUTE first_rows(1007);
SET plan_cache_mode = force_generic_plan;
EXECUTE first_rows(500);
RESET plan_cache_mode;
BEGIN;
DECLARE winners SCROLL CURSOR FOR SELECT id FROM tn ORDER BY i, id LIMIT 5;
FETCH 2 FROM winners;
FETCH PRIOR FROM winners;
FETCH LAST FROM winners;
COMMIT;

-- not taken, and right
SELECT id, i FROM tn WHERE id < 100 ORDER BY i FETCH FIRST 2 ROWS WITH TIES;
SELECT id FROM tn ORDER BY id LIMIT 2 FOR UPDATE;
SELECT id, generate_series(1, 2) FROM tn ORDER BY id LIMIT 3;

-- conditions with an effect are run for every row, also of segments behind
CREATE SEQUENCE tn_calls;
SELECT id FROM tn WHERE nextval('tn_calls') > 0 ORDER BY id LIMIT 2;
SELECT last_value = (SELECT count(*) FROM tn) AS for_each FROM tn_calls;
DROP SEQUENCE tn_calls;

-- few values: segments that tie, and such with NULLs
SELECT id / 70000 AS same FROM tn WHERE id BETWEEN 2 AND 69999 ORDER BY d LIMIT 2;
SELECT i, count(*) FROM (SELECT i FROM tn WHERE i IS NOT NULL ORDER BY i LIMIT 80 OFFSET 65) s
GROUP BY i ORDER BY i;

-- in parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER TABLE tn SET (parallel_workers = 2);
-- columnar only
EXPLAIN (COSTS OFF) SELECT id FROM tn ORDER BY i, id LIMIT 3;
-- end
SELECT id, i FROM tn ORDER BY i, id LIMIT 3;
SELECT id, ts FROM tn ORDER BY ts DESC NULLS LAST, id LIMIT 3;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;

-- a type that orders the same bytes otherwise
CREATE TABLE tn_class (i int);
INSERT INTO tn_class SELECT (g - 70000) % 65000 FROM generate_series(1, 140000) g;
ALTER TABLE tn_class ALTER i TYPE oid;
SELECT i FROM tn_class ORDER BY i DESC LIMIT 2;
SELECT i FROM tn_class ORDER BY i LIMIT 2;
SELECT min(i), max(i) FROM tn_class;
DROP TABLE tn_class;

-- columnar only
SELECT v::text AS finding FROM columnar_verify('tn') v;
-- end
DROP TABLE tn;
