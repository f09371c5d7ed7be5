--
-- Updates, deletes and locks: what becomes of a row, whatever its form
--
SET default_table_access_method = columnar;

-- rows 1 to 1000 are in row form, those behind in column form
CREATE TABLE cg_t (id integer PRIMARY KEY, v integer, t text);
INSERT INTO cg_t SELECT i, i, 'text ' || i FROM generate_series(1, 12000) i;
CREATE VIEW cg_sum AS SELECT count(*), sum(id) AS ids, sum(v) AS vs, count(DISTINCT t) AS ts FROM cg_t;

-- RETURNING shows the row as it has become
UPDATE cg_t SET v = -v WHERE id IN (5, 5000) RETURNING id, v, xmin = pg_current_xact_id()::xid AS new, xmax = 0 AS free;
DELETE FROM cg_t WHERE id IN (6, 6000) RETURNING id, v, xmax = pg_current_xact_id()::xid AS deleted;
UPDATE cg_t SET id = -id WHERE id IN (7, 7000) RETURNING id;
SELECT * FROM cg_sum;

-- an update does not meet its own rows, one by an index neither
UPDATE cg_t SET v = v + 1 WHERE v BETWEEN 100 AND 3000;
SET enable_seqscan = off;
UPDATE cg_t SET id = id + 100000 WHERE id BETWEEN 900 AND 1100;
UPDATE cg_t SET id = id - 100000 WHERE id > 100000;
RESET enable_seqscan;
SELECT * FROM cg_sum;

-- no two rows of one key, in either order of changes
UPDATE cg_t SET id = 10 WHERE id IN (20, 2000);
UPDATE cg_t SET id = id + 1 WHERE id = 12000;
INSERT INTO cg_t VALUES (12000, 0, 'again');
DELETE FROM cg_t WHERE id = 12000;
INSERT INTO cg_t VALUES (12000, 0, 'again');

-- a row that is changed again and again, also in its own command's triggers
BEGIN;
UPDATE cg_t SET v = 1 WHERE id IN (1, 1001);
SAVEPOINT a;
UPDATE cg_t SET v = 2 WHERE id IN (1, 1001);
DELETE FROM cg_t WHERE id IN (1, 1001);
SELECT count(*) FROM cg_t WHERE id IN (1, 1001);
ROLLBACK TO a;
UPDATE cg_t SET v = v + 10 WHERE id IN (1, 1001) RETURNING id, v;
SAVEPOINT b;
SELECT id, v FROM cg_t WHERE id IN (1, 1001) FOR UPDATE;
RELEASE b;
UPDATE cg_t SET v = v + 10 WHERE id IN (1, 1001) RETURNING id, v;
COMMIT;
SELECT id, v FROM cg_t WHERE id IN (1, 1001);
BEGIN;
SELECT id FROM cg_t WHERE id IN (2, 1002) FOR UPDATE;
SAVEPOINT a;
UPDATE cg_t SET v = 0 WHERE id IN (2, 1002);
ROLLBACK TO a;
DELETE FROM cg_t WHERE id IN (2, 1002);
ROLLBACK;
SELECT id, v FROM cg_t WHERE id IN (2, 1002);

-- joined twice to one row; a cursor on it
UPDATE cg_t SET v = x FROM (VALUES (3, 1), (3, 2), (1003, 3)) s(i, x) WHERE id = i AND x <> 2 RETURNING id, v;
DELETE FROM cg_t USING (VALUES (4), (4), (1004)) s(i) WHERE id = i;
BEGIN;
DECLARE c CURSOR FOR SELECT id, v FROM cg_t WHERE id BETWEEN 998 AND 1002 ORDER BY id FOR UPDATE;
FETCH 2 FROM c;
UPDATE cg_t SET v = 0 WHERE CURRENT OF c RETURNING id, v;
FETCH 2 FROM c;
DELETE FROM cg_t WHERE CURRENT OF c RETURNING id, v;
COMMIT;
SELECT * FROM cg_sum;

-- upserts, of old rows and of new ones, and xmax, which tells them apart
INSERT INTO cg_t VALUES (8, 0, 'x'), (8000, 0, 'x'), (20000, 0, 'x')
	ON CONFLICT (id) DO UPDATE SET v = -1, t = cg_t.t || '!' RETURNING id, v, t, xmax = 0 AS inserted;
INSERT INTO cg_t VALUES (8, 0, 'x'), (8000, 0, 'x'), (20001, 0, 'x') ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO cg_t VALUES (20002, 0, 'x'), (20002, 0, 'x') ON CONFLICT DO NOTHING RETURNING id;
INSERT INTO cg_t VALUES (20003, 0, 'x'), (20003, 0, 'x') ON CONFLICT (id) DO UPDATE SET v = 1;
INSERT INTO cg_t VALUES (9, 0, 'x') ON CONFLICT (id) DO UPDATE SET v = 1 WHERE cg_t.v > 100 RETURNING id;
MERGE INTO cg_t USING (VALUES (11), (1011), (30000)) s(i) ON id = i
	WHEN MATCHED AND i = 11 THEN UPDATE SET v = 0
	WHEN MATCHED THEN DELETE
	WHEN NOT MATCHED THEN INSERT VALUES (i, 0, 'merged');
SELECT * FROM cg_sum;

-- rows that the transaction has buffered
BEGIN;
INSERT INTO cg_t SELECT i, i, 'new' FROM generate_series(40001, 44000) i;
UPDATE cg_t SET v = 0 WHERE id = 43000 RETURNING t;
DELETE FROM cg_t WHERE id = 43001;
SELECT id FROM cg_t WHERE id = 43002 FOR UPDATE;
INSERT INTO cg_t VALUES (43003, 0, 'x') ON CONFLICT (id) DO UPDATE SET v = 7;
INSERT INTO cg_t SELECT i, i, 'new' FROM generate_series(50001, 54000) i;
WITH d AS (DELETE FROM cg_t WHERE id BETWEEN 53000 AND 53010 RETURNING id),
	i AS (INSERT INTO cg_t SELECT id + 10000, 0, 'moved' FROM d RETURNING id)
SELECT count(*), sum(id) FROM i;
SELECT * FROM cg_sum;
COMMIT;
SELECT * FROM cg_sum;

-- values outside the row: shared by versions, removed with the last one
CREATE TABLE cg_wide (id integer, a text, b text);
ALTER TABLE cg_wide ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
INSERT INTO cg_wide SELECT i, repeat(chr(64 + i), 5000), repeat(chr(96 + i), 5000) FROM generate_series(1, 5) i;
UPDATE cg_wide SET id = id + 100;
UPDATE cg_wide SET a = repeat('z', 6000) WHERE id = 101;
UPDATE cg_wide SET b = NULL WHERE id = 102;
UPDATE cg_wide SET a = 'short', b = 'short' WHERE id = 103;
BEGIN;
UPDATE cg_wide SET a = 'gone', b = 'gone';
DELETE FROM cg_wide WHERE id = 101;
ROLLBACK;
DELETE FROM cg_wide WHERE id = 105;
UPDATE cg_wide x SET a = y.b FROM cg_wide y WHERE x.id = 103 AND y.id = 104;
VACUUM cg_wide;
UPDATE cg_wide SET id = -id;
SELECT id, left(a, 2), length(a), left(b, 2), length(b) FROM cg_wide ORDER BY id;
UPDATE cg_wide SET a = repeat(md5(id::text), 100000) WHERE id = -101;
SELECT id, length(a), length(b) FROM cg_wide ORDER BY id;

-- the relation changes between updates of one transaction
BEGIN;
UPDATE cg_wide SET b = 'x' WHERE id = -101;
ALTER TABLE cg_wide ADD COLUMN k integer DEFAULT 5, ADD UNIQUE (id);
UPDATE cg_wide SET k = k + 1 WHERE id = -101;
UPDATE cg_wide SET id = id WHERE id = -102;
ALTER TABLE cg_wide DROP COLUMN a;
UPDATE cg_wide SET k = k + 1 WHERE id <= -101;
TRUNCATE cg_wide;
INSERT INTO cg_wide VALUES (1, 'b', 1);
UPDATE cg_wide SET k = k + 1 RETURNING *;
COMMIT;

-- foreign keys, from both sides
CREATE TABLE cg_parent (id integer PRIMARY KEY, note text);
CREATE TABLE cg_child (parent integer REFERENCES cg_parent ON DELETE CASCADE ON UPDATE CASCADE,
	other integer REFERENCES cg_parent DEFERRABLE INITIALLY DEFERRED);
INSERT INTO cg_parent SELECT i, 'p' FROM generate_series(1, 3000) i;
INSERT INTO cg_child SELECT i, i + 1 FROM generate_series(1, 2990) i;
UPDATE cg_parent SET note = 'q' WHERE id % 2 = 0;
UPDATE cg_parent SET id = 10000 WHERE id = 1;
DELETE FROM cg_parent WHERE id = 2;
DELETE FROM cg_parent WHERE id IN (10000, 2999);
UPDATE cg_child SET other = 0 WHERE parent = 2000;
SELECT count(*), sum(parent), sum(other) FROM cg_child;

-- triggers see and change what they should
CREATE TABLE cg_log (id serial, what text);
CREATE FUNCTION cg_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO cg_log (what) VALUES (concat_ws(' ', TG_WHEN, TG_OP, OLD.id, OLD.v, NEW.id, NEW.v));
	IF TG_WHEN = 'BEFORE' AND TG_OP = 'UPDATE' THEN
		NEW.v := NEW.v * 2;
	END IF;
	RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER cg_before BEFORE INSERT OR UPDATE OR DELETE ON cg_t FOR EACH ROW EXECUTE FUNCTION cg_trigger();
CREATE TRIGGER cg_after AFTER INSERT OR UPDATE OR DELETE ON cg_t FOR EACH ROW EXECUTE FUNCTION cg_trigger();
UPDATE cg_t SET v = v + 1 WHERE id IN (15, 1500);
DELETE FROM cg_t WHERE id IN (15, 1500);
INSERT INTO cg_t VALUES (16, 3, 'x') ON CONFLICT (id) DO UPDATE SET v = excluded.v;
SELECT what FROM cg_log ORDER BY what;
DROP TRIGGER cg_before ON cg_t;
DROP TRIGGER cg_after ON cg_t;

-- temporary and unlogged tables; partitions
CREATE TEMP TABLE cg_temp AS SELECT i AS id, i AS v FROM generate_series(1, 2000) i;
UPDATE cg_temp SET v = 0 WHERE id % 2 = 0;
DELETE FROM cg_temp WHERE id % 3 = 0;
SELECT count(*), sum(v) FROM cg_temp;
CREATE UNLOGGED TABLE cg_unlogged AS SELECT * FROM cg_temp;
UPDATE cg_unlogged SET v = v + 1;
SELECT count(*), sum(v) FROM cg_unlogged;
CREATE TABLE cg_part (id integer, v integer) PARTITION BY RANGE (v);
CREATE TABLE cg_part_low PARTITION OF cg_part FOR VALUES FROM (0) TO (100);
CREATE TABLE cg_part_high PARTITION OF cg_part FOR VALUES FROM (100) TO (1000) USING heap;
INSERT INTO cg_part SELECT i, i % 200 FROM generate_series(1, 4000) i;
UPDATE cg_part SET v = v + 50;
UPDATE cg_part SET v = v - 50 WHERE id % 2 = 0;
SELECT tableoid::regclass, count(*), sum(v) FROM cg_part GROUP BY 1 ORDER BY 1;

-- old snapshots
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM cg_sum;
UPDATE cg_t SET v = 0 WHERE id < 3000;
DELETE FROM cg_t WHERE id > 11000;
SELECT * FROM cg_sum;
ROLLBACK;
VACUUM cg_t;
SELECT * FROM cg_sum;
UPDATE cg_t SET v = 0 WHERE id < 3000;
DELETE FROM cg_t WHERE id > 11000;
VACUUM FULL cg_t;
SELECT * FROM cg_sum;

-- columnar only
SELECT c.relname, v.* FROM pg_class c JOIN pg_am a ON a.oid = c.relam,
       LATERAL columnar_verify(c.oid) v
 WHERE a.amname = 'columnar';
-- end
DROP VIEW cg_sum;
DROP TABLE cg_t, cg_wide, cg_child, cg_parent, cg_log, cg_temp, cg_unlogged, cg_part;
DROP FUNCTION cg_trigger;
