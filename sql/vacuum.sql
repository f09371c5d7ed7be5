--
-- VACUUM: rows into column form, space found again, freezing
--
SET default_table_access_method = columnar;

-- many small transactions, then VACUUM: smaller than before, the same rows
CREATE TABLE va_small (id integer PRIMARY KEY, t text, n numeric) WITH (autovacuum_enabled = off);
CREATE PROCEDURE va_insert(first integer, last integer) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last LOOP
		INSERT INTO va_small VALUES (i, 'text ' || i % 100, i / 4.0);
		COMMIT;
	END LOOP;
END $$;
CALL va_insert(1, 10000);
SELECT pg_relation_size('va_small') AS before \gset
SELECT count(*), sum(id), sum(n), count(DISTINCT t) FROM va_small;
VACUUM va_small;
-- columnar only
SELECT pg_relation_size('va_small') < :before / 2 AS smaller;
-- end
SELECT count(*), sum(id), sum(n), count(DISTINCT t) FROM va_small;
SET enable_seqscan = off;
SELECT * FROM va_small WHERE id = 5000;
RESET enable_seqscan;
CALL va_insert(10001, 11000);
VACUUM va_small;
INSERT INTO va_small VALUES (11000, 'dup', 0);
SELECT count(*), sum(id), sum(n) FROM va_small;

-- space of rolled back rows is used again
CREATE TABLE va_t (id integer, t text) WITH (autovacuum_enabled = off);
CREATE INDEX ON va_t (id);
INSERT INTO va_t SELECT i, md5(i::text) FROM generate_series(1, 50000) i;
BEGIN;
INSERT INTO va_t SELECT i, md5(i::text) FROM generate_series(50001, 100000) i;
ROLLBACK;
VACUUM va_t;
INSERT INTO va_t SELECT i, md5(i::text) FROM generate_series(50001, 95000) i;
SELECT count(*), sum(id) FROM va_t;
VACUUM va_t;
BEGIN;
INSERT INTO va_t SELECT i, md5(i::text) FROM generate_series(95001, 140000) i;
ROLLBACK;
VACUUM va_t;
SELECT pg_relation_size('va_t') AS before \gset
BEGIN;
INSERT INTO va_t SELECT i, md5(i::text) FROM generate_series(95001, 140000) i;
ROLLBACK;
VACUUM va_t;
SELECT pg_relation_size('va_t') <= :before AS no_larger;
SELECT count(*), sum(id), count(DISTINCT t) FROM va_t;
SET enable_seqscan = off;
SELECT count(*) FROM va_t WHERE id > 90000;
RESET enable_seqscan;

-- a table whose rows were all rolled back gives its space to the system
CREATE TABLE va_none (id integer) WITH (autovacuum_enabled = off);
BEGIN;
INSERT INTO va_none SELECT generate_series(1, 100000);
ROLLBACK;
VACUUM va_none;
SELECT pg_relation_size('va_none') <= 8 * 8192 AS truncated, count(*) FROM va_none;
INSERT INTO va_none SELECT generate_series(1, 10000);
SELECT count(*), sum(id) FROM va_none;

-- freezing
VACUUM FREEZE va_t;
VACUUM FREEZE va_small;
SELECT relname, age(relfrozenxid) < 100 AS new, mxid_age(relminmxid) < 100 AS new_multi
FROM pg_class WHERE relname IN ('va_t', 'va_small') ORDER BY 1;
SELECT count(*), sum(id) FROM va_t;

-- options; VACUUM FULL; inside a snapshot of its own
VACUUM (ANALYZE, VERBOSE FALSE, INDEX_CLEANUP OFF, TRUNCATE FALSE) va_t;
VACUUM (DISABLE_PAGE_SKIPPING) va_t;
VACUUM (PARALLEL 2) va_t;
VACUUM FULL va_t;
SELECT count(*), sum(id), count(DISTINCT t) FROM va_t;
SET enable_seqscan = off;
SELECT t = md5('77777') AS found FROM va_t WHERE id = 77777;
RESET enable_seqscan;
SELECT relpages > 0 AS pages, reltuples FROM pg_class WHERE relname = 'va_t';
SELECT vacuum_count > 0 AS counted FROM pg_stat_user_tables WHERE relname = 'va_t';

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname LIKE 'va\_%' AND relkind = 'r';
-- end
DROP TABLE va_small, va_t, va_none;
DROP PROCEDURE va_insert;

-- few rows in row form do not hold up the end of a file
CREATE TABLE va_far (id integer PRIMARY KEY, t text) WITH (autovacuum_enabled = off);
INSERT INTO va_far SELECT i, 'text ' || i FROM generate_series(1, 5000) i;
INSERT INTO va_far SELECT i, 'text ' || i FROM generate_series(5001, 10000) i;
VACUUM (TRUNCATE off) va_far;
UPDATE va_far SET t = t || ' changed' WHERE id % 20 = 0;
INSERT INTO va_far SELECT i, 'text ' || i FROM generate_series(10001, 10050) i;
VACUUM va_far;
-- columnar only
SELECT pg_relation_size('va_far') <= 24 * 8192 AS small;
-- end
SELECT count(*), sum(id), count(DISTINCT t), count(*) FILTER (WHERE t LIKE '%changed') FROM va_far;

-- nor does the list of free blocks
CREATE TABLE va_list (id integer PRIMARY KEY, n integer, t text) WITH (autovacuum_enabled = off);
INSERT INTO va_list SELECT i, 0, md5(i::text) FROM generate_series(1, 300000) i;
SELECT pg_relation_size('va_list') AS fresh \gset
UPDATE va_list SET n = 1 WHERE id % 10 = 1;
UPDATE va_list SET n = 2 WHERE id % 10 = 2;
VACUUM va_list;
UPDATE va_list SET n = 3 WHERE id % 10 = 3;
VACUUM va_list;
-- columnar only
SELECT pg_relation_size('va_list') < :fresh * 1.5 AS small;
SELECT * FROM columnar_verify('va_far') UNION ALL SELECT * FROM columnar_verify('va_list');
-- end
SELECT n, count(*), sum(id), count(DISTINCT t) FROM va_list GROUP BY n ORDER BY n;
