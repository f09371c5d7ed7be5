--
-- What columnar tables refuse, each before anything has changed
--
SET default_table_access_method TO columnar;
CREATE TABLE re_t (id integer PRIMARY KEY, t text);
INSERT INTO re_t SELECT i, 't' || i FROM generate_series(1, 20000) i;

DELETE FROM re_t WHERE id = 1;
UPDATE re_t SET t = 'x' WHERE id = 1;
SELECT * FROM re_t WHERE id = 1 FOR UPDATE;
SELECT * FROM re_t WHERE id = 1 FOR KEY SHARE;
INSERT INTO re_t VALUES (1, 'x') ON CONFLICT DO NOTHING;
INSERT INTO re_t VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET t = 'x';
INSERT INTO re_t VALUES (30000, 'x') ON CONFLICT DO NOTHING;
MERGE INTO re_t USING (VALUES (1)) s(id) ON re_t.id = s.id WHEN MATCHED THEN DELETE;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM re_t;
FETCH 1 FROM c;
DELETE FROM re_t WHERE CURRENT OF c;
ROLLBACK;

-- a key that heap rows refer to has to be locked
CREATE TABLE re_child (id integer REFERENCES re_t) USING heap;
INSERT INTO re_child VALUES (1);

-- BRIN, however it comes
CREATE INDEX ON re_t USING brin (id);
CREATE INDEX CONCURRENTLY re_conc ON re_t USING brin (id);
DROP INDEX IF EXISTS re_conc;
CREATE TABLE re_heap (id integer) USING heap;
CREATE INDEX ON re_heap USING brin (id);
INSERT INTO re_heap SELECT generate_series(1, 100);
ALTER TABLE re_heap SET ACCESS METHOD columnar;
SELECT amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE relname = 're_heap';
SELECT count(*) FROM re_heap;

-- a concurrent refresh deletes rows
CREATE MATERIALIZED VIEW re_mv AS SELECT 1 AS one, count(*) FROM re_t;
CREATE UNIQUE INDEX ON re_mv (one);
INSERT INTO re_t VALUES (0, 'new');
\set SHOW_CONTEXT never
REFRESH MATERIALIZED VIEW CONCURRENTLY re_mv;
\set SHOW_CONTEXT errors

-- nothing has changed
SELECT count(*), sum(id), count(DISTINCT t) FROM re_t;
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname IN ('re_t', 're_mv');
DROP MATERIALIZED VIEW re_mv;
DROP TABLE re_child, re_t, re_heap;
