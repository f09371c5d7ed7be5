--
-- Index-only scans: VACUUM spares them the table, changes bring it back
--
SET default_table_access_method = columnar;
SET columnar.row_form_rows = 0;
SET enable_seqscan = off;
SET enable_bitmapscan = off;

-- Rows of the table that an index-only scan visits, all loops together.
CREATE FUNCTION visits(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, FORMAT json) ' || query INTO plan;
	RETURN (jsonb_path_query_first(plan::jsonb, '$.**."Heap Fetches"'))::bigint;
END $$;

-- Wait until no automatic ANALYZE keeps VACUUM from what follows.
CREATE PROCEDURE settle() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..600 LOOP
		EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_xmin IS NOT NULL);
		PERFORM pg_stat_clear_snapshot(), pg_sleep(0.05);
	END LOOP;
END $$;

CREATE TABLE io_t (k int, g int, t text) WITH (autovacuum_enabled = off);
INSERT INTO io_t SELECT i, i % 10, 'text ' || i FROM generate_series(1, 20000) i;
CREATE INDEX io_k ON io_t (k);
SELECT visits('SELECT k FROM io_t WHERE k <= 1000') AS before_vacuum;
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k <= 1000');
SELECT count(k), sum(k) FROM io_t WHERE k <= 1000;
SELECT relallvisible > 0 AS counted FROM pg_class WHERE relname = 'io_t';

-- new rows
INSERT INTO io_t SELECT i, 0, 'new' FROM generate_series(20001, 20010) i;
SELECT visits('SELECT k FROM io_t WHERE k > 20000');
SELECT visits('SELECT k FROM io_t WHERE k <= 1000');
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k > 20000');

-- a deletion, undone, and then done: first by nobody's leave, then for all
BEGIN;
DELETE FROM io_t WHERE k = 500;
SELECT count(k) FROM io_t WHERE k BETWEEN 490 AND 510;
ROLLBACK;
SELECT count(k) FROM io_t WHERE k BETWEEN 490 AND 510;
SELECT visits('SELECT k FROM io_t WHERE k BETWEEN 490 AND 510') > 0 AS visited;
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k BETWEEN 490 AND 510');
DELETE FROM io_t WHERE k IN (500, 7000, 20005);
SELECT count(k), sum(k) FROM io_t WHERE k > 0;
SELECT visits('SELECT k FROM io_t WHERE k BETWEEN 490 AND 510') > 0 AS visited;
SELECT visits('SELECT k FROM io_t WHERE k BETWEEN 10000 AND 10100');
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k > 0');
SELECT count(k), sum(k) FROM io_t WHERE k > 0;

-- only locked
BEGIN;
SELECT k FROM io_t WHERE k = 3000 FOR UPDATE;
SELECT count(k) FROM io_t WHERE k BETWEEN 2990 AND 3010;
COMMIT;
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k BETWEEN 2990 AND 3010');

-- updates of the key and of other columns; ten new versions may stay row form
UPDATE io_t SET k = -k WHERE k BETWEEN 100 AND 104;
UPDATE io_t SET t = 'other' WHERE k BETWEEN 200 AND 204;
SELECT k FROM io_t WHERE k < 0 ORDER BY k;
SELECT count(k) FROM io_t WHERE k BETWEEN 95 AND 210;
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k BETWEEN 95 AND 210') <= 10 AS few;
SELECT count(k) FROM io_t WHERE k BETWEEN 95 AND 210;
SELECT k FROM io_t WHERE k < 0 ORDER BY k;

-- subtransactions see their own deletions
BEGIN;
SAVEPOINT a;
DELETE FROM io_t WHERE k BETWEEN 4001 AND 4005;
SELECT count(k) FROM io_t WHERE k BETWEEN 4000 AND 4010;
ROLLBACK TO a;
SELECT count(k) FROM io_t WHERE k BETWEEN 4000 AND 4010;
DELETE FROM io_t WHERE k BETWEEN 4001 AND 4002;
COMMIT;
SELECT count(k) FROM io_t WHERE k BETWEEN 4000 AND 4010;

-- a cursor keeps seeing what it saw
CALL settle();
VACUUM io_t;
BEGIN;
DECLARE c CURSOR FOR SELECT k FROM io_t WHERE k BETWEEN 5000 AND 5006 ORDER BY k;
FETCH 2 FROM c;
DELETE FROM io_t WHERE k BETWEEN 5003 AND 5004;
FETCH ALL FROM c;
SELECT k FROM io_t WHERE k BETWEEN 5000 AND 5006 ORDER BY k;
COMMIT;

-- most rows go, the file becomes shorter, and the rest is still found
DELETE FROM io_t WHERE k < 19000;
CALL settle();
VACUUM io_t;
SELECT count(k), sum(k) FROM io_t WHERE k > -1000;
SELECT visits('SELECT k FROM io_t WHERE k > 0');

-- new files
CREATE INDEX io_g ON io_t (g);
CLUSTER io_t USING io_g;
SELECT visits('SELECT k FROM io_t WHERE k > 0') > 0 AS after_cluster;
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k > 0');
CALL settle();
VACUUM FULL io_t;
SELECT count(k), sum(k) FROM io_t WHERE k > 0;
CALL settle();
VACUUM io_t;
SELECT visits('SELECT k FROM io_t WHERE k > 0');
TRUNCATE io_t;
INSERT INTO io_t SELECT i, i % 10, 'text ' || i FROM generate_series(1, 3000) i;
SELECT visits('SELECT k FROM io_t WHERE k <= 10');
SELECT count(k) FROM io_t WHERE k > 0;
DROP TABLE io_t;

-- rolled back rows leave no trace
CREATE TABLE io_r (k int) WITH (autovacuum_enabled = off);
CREATE INDEX ON io_r (k);
INSERT INTO io_r SELECT generate_series(1, 5000);
BEGIN;
INSERT INTO io_r SELECT generate_series(1, 5000);
ROLLBACK;
INSERT INTO io_r SELECT generate_series(5001, 10000);
SELECT count(k), sum(k) FROM io_r WHERE k > 0;
CALL settle();
VACUUM io_r;
SELECT count(k), sum(k) FROM io_r WHERE k > 0;
SELECT visits('SELECT k FROM io_r WHERE k > 0');
-- columnar only
SELECT * FROM columnar_verify('io_r');
-- end

-- without index cleanup dead rows keep their entries, and their visits
DELETE FROM io_r WHERE k % 1000 = 0;
CALL settle();
VACUUM (INDEX_CLEANUP off) io_r;
SELECT count(k), sum(k) FROM io_r WHERE k > 0;
SELECT visits('SELECT k FROM io_r WHERE k BETWEEN 995 AND 1005') > 0 AS visited;
CALL settle();
VACUUM io_r;
SELECT visits('SELECT k FROM io_r WHERE k > 0');
SELECT count(k), sum(k) FROM io_r WHERE k > 0;
-- columnar only
SELECT * FROM columnar_verify('io_r');
-- end

-- other indexes that can do without the table
CREATE TABLE io_o (k int, p point, t text, x int) WITH (autovacuum_enabled = off);
INSERT INTO io_o SELECT i, point(i, -i), 'a' || i, i * 2 FROM generate_series(1, 3000) i;
CREATE INDEX ON io_o USING gist (p);
CREATE INDEX ON io_o USING spgist (t);
CREATE INDEX ON io_o (k) INCLUDE (x);
CREATE INDEX ON io_o (x) WHERE k % 2 = 0;
DELETE FROM io_o WHERE k % 100 = 7;
CALL settle();
VACUUM io_o;
SELECT visits('SELECT p FROM io_o WHERE p <@ box(point(1, -100), point(100, -1))') AS gist,
	visits('SELECT t FROM io_o WHERE t ^@ ''a29''') AS spgist,
	visits('SELECT k, x FROM io_o WHERE k BETWEEN 1 AND 50') AS covering,
	visits('SELECT x FROM io_o WHERE k % 2 = 0 AND x < 200') AS partial;
UPDATE io_o SET x = x + 1, p = point(k, k) WHERE k % 100 = 8;
SELECT count(p) FROM io_o WHERE p <@ box(point(1, -100), point(100, -1));
SELECT count(t) FROM io_o WHERE t ^@ 'a29';
SELECT count(k), sum(x) FROM io_o WHERE k BETWEEN 1 AND 50;
SELECT count(x) FROM io_o WHERE k % 2 = 0 AND x < 200;
CALL settle();
VACUUM io_o;
SELECT count(p) FROM io_o WHERE p <@ box(point(1, -100), point(100, -1));
SELECT visits('SELECT k, x FROM io_o WHERE k BETWEEN 1 AND 50') <= 1 AS few;
-- columnar only
SELECT * FROM columnar_verify('io_o');
-- end

-- a bitmap's rows are looked up, whatever the map says
RESET enable_bitmapscan;
SET enable_indexonlyscan = off;
SET enable_indexscan = off;
SELECT count(*) FROM io_o WHERE k BETWEEN 1 AND 1000;
DELETE FROM io_o WHERE k BETWEEN 500 AND 600;
SELECT count(*) FROM io_o WHERE k BETWEEN 1 AND 1000;
CALL settle();
VACUUM io_o;
SELECT count(*) FROM io_o WHERE k BETWEEN 1 AND 1000;

DROP TABLE io_r, io_o;
DROP FUNCTION visits;
DROP PROCEDURE settle;
