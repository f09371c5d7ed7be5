--
-- The server's own scan nodes: rows in order, both ways, by TID, by bitmap
--
SET default_table_access_method = columnar;
SET columnar.vector_scan = off;

-- row form, column form, row form, a hole where a load was rolled back
CREATE TABLE ps_t (id integer, k integer, t text, n numeric);
INSERT INTO ps_t SELECT i, i % 100, 'text ' || i, i / 4.0 FROM generate_series(1, 500) i;
BEGIN;
INSERT INTO ps_t SELECT i, i % 100, 'text ' || i, i / 4.0 FROM generate_series(1, 20000) i;
ROLLBACK;
INSERT INTO ps_t SELECT i, i % 100, nullif('text ' || i, 'text 700'), i / 4.0 FROM generate_series(501, 80000) i;
INSERT INTO ps_t SELECT i, i % 100, 'text ' || i, i / 4.0 FROM generate_series(80001, 80300) i;
CREATE TABLE ps_h (LIKE ps_t) USING heap;
INSERT INTO ps_h SELECT * FROM ps_t;
SELECT count(*) FROM (SELECT * FROM ps_t EXCEPT ALL SELECT * FROM ps_h) x;
SELECT count(*) FROM (SELECT * FROM ps_h EXCEPT ALL SELECT * FROM ps_t) x;

-- every order of steps gives the same rows: forward and backward are mirrors
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id FROM ps_t;
CREATE FUNCTION ps_walk(cur refcursor, how text) RETURNS TABLE (n bigint, total bigint, first integer, last integer)
LANGUAGE plpgsql AS $$
DECLARE
	id integer;
BEGIN
	n := 0; total := 0;
	LOOP
		IF how = 'forward' THEN FETCH NEXT FROM cur INTO id; ELSE FETCH PRIOR FROM cur INTO id; END IF;
		EXIT WHEN NOT FOUND;
		n := n + 1; total := total + id; first := coalesce(first, id); last := id;
	END LOOP;
	RETURN NEXT;
END $$;
SELECT * FROM ps_walk('c', 'forward') f, ps_walk('c', 'backward') b, ps_walk('c', 'forward') g;
FETCH LAST FROM c;
FETCH BACKWARD 2 FROM c;
FETCH FORWARD 3 FROM c;
FETCH PRIOR FROM c;
FETCH FIRST FROM c;
FETCH PRIOR FROM c;
FETCH NEXT FROM c;
MOVE 1022 IN c;
FETCH BACKWARD 1 FROM c;
COMMIT;

-- a row outlives the step, the scan and the transaction that it came from
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT * FROM ps_t WHERE id % 26000 = 1;
COMMIT;
FETCH ALL FROM h;
CLOSE h;
SELECT (SELECT x FROM (SELECT y AS x FROM ps_t y LIMIT 1 OFFSET 2) z);
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT count(*), sum(a.id - b.id) FROM ps_t a JOIN ps_h b USING (t) WHERE a.k = 7;
SELECT count(*), count(DISTINCT a.t) FROM ps_t a JOIN ps_t b USING (k) WHERE a.id <= 300 AND b.id > 79000;
RESET enable_hashjoin;
RESET enable_nestloop;

-- TIDs
SELECT count(*) = (SELECT count(*) FROM ps_t WHERE ctid < '(2,7)') + (SELECT count(*) FROM ps_t WHERE ctid >= '(2,7)') FROM ps_t;
SELECT count(*), min(id), max(id) FROM ps_t WHERE ctid > '(0,10)' AND ctid <= '(0,20)';
SELECT count(*) FROM ps_t WHERE ctid >= '(0,300)' AND ctid < '(1,1)';
SELECT count(*) FROM ps_t WHERE ctid > '(4294967295,65535)' OR ctid < '(0,0)';
SELECT count(*) FROM ps_t WHERE ctid IN ('(0,1)', '(0,0)', '(0,257)', '(4294967295,1)', '(77777,1)');
SELECT count(*) FROM ps_t a JOIN ps_t b ON a.ctid = b.ctid WHERE a.id % 1000 = 0;
BEGIN;
DECLARE r SCROLL CURSOR FOR SELECT id FROM ps_t WHERE ctid > '(0,254)' AND ctid < '(1,3)';
FETCH ALL FROM r;
FETCH BACKWARD ALL FROM r;
COMMIT;

-- bitmaps, exact and lossy
CREATE INDEX ps_k ON ps_t (k);
CREATE INDEX ps_id ON ps_t (id);
SET enable_seqscan = off;
SET enable_indexscan = off;
EXPLAIN (COSTS OFF) SELECT sum(id) FROM ps_t WHERE k = 5;
SELECT count(*), sum(id), min(t COLLATE "C"), sum(n) FROM ps_t WHERE k = 5;
SELECT count(*), sum(id), min(t COLLATE "C"), sum(n) FROM ps_t WHERE k = 5 AND id BETWEEN 400 AND 79000 OR id = 80300;
SET work_mem = '64kB';
SELECT count(*), sum(id), min(t COLLATE "C"), sum(n) FROM ps_t WHERE k <> 5;
SELECT count(*), sum(id), min(t COLLATE "C"), sum(n) FROM ps_t WHERE k > 5;
RESET work_mem;
RESET enable_seqscan;
RESET enable_indexscan;

-- samples
SELECT count(*), sum(id) FROM ps_t TABLESAMPLE system (100);
SELECT count(*), sum(id) FROM ps_t TABLESAMPLE bernoulli (100);
SELECT count(*) BETWEEN 7000 AND 9000 FROM ps_t TABLESAMPLE bernoulli (10) REPEATABLE (1);
SELECT count(*) BETWEEN 20000 AND 60000 FROM ps_t TABLESAMPLE system (50) REPEATABLE (1);
SELECT count(*) FROM ps_t TABLESAMPLE system (0);

-- system columns of every kind of row
BEGIN;
INSERT INTO ps_t (id) VALUES (-1) RETURNING tableoid::regclass, xmin::text = pg_current_xact_id()::text AS own, cmin, xmax;
INSERT INTO ps_t (id) SELECT -i FROM generate_series(2, 3000) i;
SELECT xmin::text = pg_current_xact_id()::text AS own, cmin, xmax, count(*) FROM ps_t WHERE id < 0 OR id > 80290
	GROUP BY 1, 2, 3 ORDER BY 1, cmin::text;
ROLLBACK;

-- old rows are read by the old row type
ALTER TABLE ps_t ALTER k TYPE smallint, ALTER n TYPE text USING n || '!', ADD z integer DEFAULT 3;
SELECT pg_typeof(k), n, z, count(*) OVER () FROM ps_t ORDER BY id LIMIT 1;
SELECT count(*) FROM (SELECT id, k, t FROM ps_t EXCEPT ALL SELECT id, k, t FROM ps_h) x;
SELECT columnar_verify('ps_t');
