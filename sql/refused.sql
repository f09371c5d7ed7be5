--
-- What columnar tables refuse, each before anything has changed
--
SET default_table_access_method TO columnar;
CREATE TABLE re_t (id integer PRIMARY KEY, t text);
INSERT INTO re_t SELECT i, 't' || i FROM generate_series(1, 20000) i;

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

-- nothing has changed
SELECT count(*), sum(id), count(DISTINCT t) FROM re_t;
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname = 're_t';
DROP TABLE re_t, re_heap;
