--
-- VACUUM FULL and CLUSTER: all rows into a new file
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

CREATE TABLE rewrite (a int, b text, d int);
INSERT INTO rewrite SELECT (g * 7919) % 100003, repeat('x', g % 100), g FROM generate_series(1, 100000) g;
INSERT INTO rewrite VALUES (-1, repeat('abcdef', 100000), 0);
INSERT INTO rewrite
SELECT g, (SELECT string_agg(md5((g * k)::text), '') FROM generate_series(1, 200) k), -g
  FROM generate_series(1, 1500) g;
CREATE VIEW rewrite_sums AS
SELECT count(*), sum(a) AS a, sum(length(b)) AS length, sum(('x' || left(md5(b), 8))::bit(32)::integer::bigint) AS hash FROM rewrite;
SELECT * FROM rewrite_sums;

-- a rolled back load leaves nothing, nor do dropped columns
BEGIN;
INSERT INTO rewrite SELECT g, 'x', g FROM generate_series(1, 20000) g;
ROLLBACK;
ALTER TABLE rewrite DROP COLUMN d;
CREATE INDEX rewrite_a ON rewrite (a);
CREATE INDEX rewrite_part ON rewrite (a, b) WHERE a > 50000;
CREATE INDEX rewrite_expr ON rewrite (a, length(b));
VACUUM FULL rewrite;
SELECT * FROM rewrite_sums;

-- in the order of an index
CLUSTER rewrite USING rewrite_a;
SELECT * FROM rewrite_sums;
SELECT count(*) FROM (SELECT a, lag(a) OVER () AS before FROM rewrite) r WHERE a < before;

-- rows of the same transaction keep their xmin and cmin
BEGIN;
INSERT INTO rewrite SELECT -g, repeat('in', g % 300) FROM generate_series(1, 12000) g;
CLUSTER rewrite USING rewrite_a;
INSERT INTO rewrite SELECT -g, 'after' FROM generate_series(1, 12000) g;
SELECT * FROM rewrite_sums;
ROLLBACK;
SELECT * FROM rewrite_sums;
BEGIN;
INSERT INTO rewrite SELECT -g, repeat('in', g % 300) FROM generate_series(1, 12000) g;
SAVEPOINT s;
CLUSTER rewrite USING rewrite_a;
ROLLBACK TO s;
INSERT INTO rewrite SELECT -g, repeat('in', g % 300) FROM generate_series(12001, 14000) g;
CLUSTER rewrite USING rewrite_a;
COMMIT;
SET enable_seqscan = off;
SELECT * FROM rewrite_sums;
SELECT a, length(b) FROM rewrite WHERE a BETWEEN 100 AND 102 ORDER BY 1, 2;
RESET enable_seqscan;

-- an index that cannot be sorted by
CREATE TABLE rewrite_points (p point, t text);
INSERT INTO rewrite_points SELECT point(g % 100, g), 'p' || g FROM generate_series(1, 20000) g;
CREATE INDEX rewrite_points_p ON rewrite_points USING gist (p);
CLUSTER rewrite_points USING rewrite_points_p;
SELECT count(*), sum(p[0]), min(t) FROM rewrite_points;

-- definitions that rewrite
ALTER TABLE rewrite_points ALTER t TYPE varchar;
DROP INDEX rewrite_points_p;
ALTER TABLE rewrite_points ALTER p TYPE text USING p::text;
ALTER TABLE rewrite_points SET UNLOGGED;
ALTER TABLE rewrite_points SET ACCESS METHOD heap;
ALTER TABLE rewrite_points SET LOGGED;
ALTER TABLE rewrite_points SET ACCESS METHOD columnar;
ALTER TABLE rewrite_points ADD COLUMN v float8 DEFAULT random();
SELECT count(*), min(p), min(t), count(v) FROM rewrite_points;

-- columnar only
SELECT c.relname, v.* FROM pg_class c JOIN pg_am a ON a.oid = c.relam,
       LATERAL columnar_verify(c.oid) v
 WHERE a.amname = 'columnar';
-- end

DROP VIEW rewrite_sums;
DROP TABLE rewrite, rewrite_points;
