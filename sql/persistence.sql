--
-- Temporary and unlogged tables; TRUNCATE and DROP
--
SET default_table_access_method = columnar;

-- temporary, with each ON COMMIT
CREATE TEMPORARY TABLE pe_keep (a integer, b text);
CREATE TEMPORARY TABLE pe_delete (a integer, b text) ON COMMIT DELETE ROWS;
INSERT INTO pe_keep SELECT i, 'k' || i FROM generate_series(1, 20000) i;
INSERT INTO pe_delete SELECT i, 'd' || i FROM generate_series(1, 20000) i;
SELECT (SELECT count(*) FROM pe_keep) AS keep, (SELECT count(*) FROM pe_delete) AS gone;
BEGIN;
CREATE TEMPORARY TABLE pe_drop ON COMMIT DROP AS SELECT i FROM generate_series(1, 20000) i;
INSERT INTO pe_delete SELECT i, 'd' || i FROM generate_series(1, 20000) i;
INSERT INTO pe_delete VALUES (0, 'one');
SELECT (SELECT count(*) FROM pe_drop) AS dropped, (SELECT count(*) FROM pe_delete) AS gone;
COMMIT;
SELECT to_regclass('pe_drop'), count(*) FROM pe_delete;
CREATE INDEX ON pe_keep (a);
INSERT INTO pe_keep SELECT i, 'more' FROM generate_series(20001, 20100) i;
SET enable_seqscan = off;
SELECT b FROM pe_keep WHERE a IN (17, 20050) ORDER BY a;
RESET enable_seqscan;
BEGIN;
TRUNCATE pe_keep;
INSERT INTO pe_keep VALUES (1, 'in');
ROLLBACK;
SELECT count(*), sum(a) FROM pe_keep;
VACUUM pe_keep;
ANALYZE pe_keep;
SELECT count(*), sum(a) FROM pe_keep;

-- unlogged
CREATE UNLOGGED TABLE pe_unlogged (a integer PRIMARY KEY, b text);
INSERT INTO pe_unlogged SELECT i, 'u' || i FROM generate_series(1, 20000) i;
INSERT INTO pe_unlogged VALUES (0, 'zero');
SELECT count(*), sum(a), max(b) FROM pe_unlogged;
SELECT pg_relation_size('pe_unlogged', 'init') = 0 AS empty_init_fork;

-- truncate
CREATE TABLE pe_t (a integer GENERATED ALWAYS AS IDENTITY, b text);
CREATE INDEX ON pe_t (b);
INSERT INTO pe_t (b) SELECT 'x' || i FROM generate_series(1, 20000) i;
TRUNCATE pe_t;
SELECT count(*), pg_relation_size('pe_t') = 0 AS empty FROM pe_t;
INSERT INTO pe_t (b) VALUES ('on');
TRUNCATE pe_t RESTART IDENTITY;
INSERT INTO pe_t (b) VALUES ('on') RETURNING a;
TRUNCATE pe_t, pe_unlogged CASCADE;
SELECT (SELECT count(*) FROM pe_t) + (SELECT count(*) FROM pe_unlogged) AS rows;

-- nothing is left behind
SELECT pg_relation_filepath('pe_t') AS path \gset
DROP TABLE pe_t;
CHECKPOINT;
SELECT coalesce((pg_stat_file(:'path', true)).size, 0) AS left_over;
CREATE SCHEMA pe_schema
	CREATE TABLE t1 (a integer) CREATE VIEW v AS SELECT * FROM t1;
INSERT INTO pe_schema.t1 SELECT generate_series(1, 10000);
SELECT count(*) FROM pe_schema.v;
SET client_min_messages = warning;
DROP SCHEMA pe_schema CASCADE;
RESET client_min_messages;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v
WHERE relname LIKE 'pe\_%' AND relkind = 'r';
-- end
DROP TABLE pe_keep, pe_delete, pe_unlogged;
