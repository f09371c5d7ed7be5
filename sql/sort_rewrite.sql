--
-- Sort keys: VACUUM FULL sorts the whole table, CLUSTER by its index
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

CREATE TABLE sort_full (id int, gone text, k int, t text, v float8);
-- columnar only
SELECT columnar_set_options('sort_full', sort_key => 'k DESC, id');
-- end
INSERT INTO sort_full
SELECT g, 'gone' || g, g * 37 % 1000, CASE WHEN g % 7 > 0 THEN 'text ' || g % 100 END, g / 3.0
  FROM generate_series(1, 150000) g;
INSERT INTO sort_full SELECT 200000 + g, NULL, g, repeat(md5(g::text), 300), NULL FROM generate_series(1, 50) g;
INSERT INTO sort_full
SELECT 300000 + g, 'x', 500, (SELECT string_agg(md5((g * i)::text), '') FROM generate_series(1, 150) i), g
  FROM generate_series(1, 20) g;
ALTER TABLE sort_full DROP COLUMN gone;
ALTER TABLE sort_full ADD COLUMN added int DEFAULT 5;
DELETE FROM sort_full WHERE id % 10 = 0;
UPDATE sort_full SET v = -1, added = id WHERE id % 1000 = 1;
CREATE INDEX sort_full_id ON sort_full (id);
CREATE INDEX sort_full_expr ON sort_full ((v + id));
CREATE VIEW sort_sums AS
SELECT count(*), sum(id) AS id, sum(k) AS k, count(t) AS t, sum(length(t)) AS length,
       sum(('x' || left(md5(t), 8))::bit(32)::integer::bigint * id) AS hash,
       round(sum(v)) AS v, sum(added) AS added FROM sort_full;
SELECT * FROM sort_sums;
SET maintenance_work_mem = '1MB';
VACUUM FULL sort_full;
SELECT * FROM sort_sums;
SET enable_seqscan = off;
SELECT id, k, length(t), v FROM sort_full WHERE id IN (1, 3, 150000, 200007, 300008) ORDER BY id;
RESET enable_seqscan;
-- columnar only
SELECT attribute, vectors, sorted, depth < 2 AS shallow, segments FROM columnar_sortedness('sort_full', 'k');
SELECT count(*) FROM (SELECT k, id, lag(k) OVER w AS k_before, lag(id) OVER w AS id_before
	  FROM sort_full WINDOW w AS (ORDER BY ctid)) r
 WHERE k > k_before OR k = k_before AND id < id_before;
CREATE FUNCTION sort_counter(query text, name text) RETURNS bigint LANGUAGE plpgsql AS
$$DECLARE plan json; BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || query INTO plan;
	RETURN (SELECT sum(x[1]::bigint) FROM regexp_matches(plan::text, '"' || name || '": (\d+)', 'g') x);
END$$;
SELECT sort_counter('SELECT sum(v) FROM sort_full WHERE k BETWEEN 100 AND 110', 'Columnar Groups Skipped') AS groups,
       sort_counter('SELECT sum(v) FROM sort_full WHERE k BETWEEN 100 AND 110', 'Columnar Vectors Skipped') AS vectors;
DROP FUNCTION sort_counter;
-- end

-- an index comes first
CLUSTER sort_full USING sort_full_id;
SELECT * FROM sort_sums;
SELECT count(*) FROM (SELECT id, lag(id) OVER () AS before FROM sort_full) r WHERE id < before;
-- columnar only
SELECT sorted, depth, segment_depth FROM columnar_sortedness('sort_full', 'id');
SELECT sorted < 0.1 AS unsorted FROM columnar_sortedness('sort_full');
-- end

-- rows that others may not see, or still see, keep their headers
VACUUM FULL sort_full;
BEGIN;
INSERT INTO sort_full SELECT -g, g % 1000, 'new' FROM generate_series(1, 5000) g;
UPDATE sort_full SET t = 'changed' WHERE id BETWEEN 1 AND 2000;
DELETE FROM sort_full WHERE id BETWEEN 2001 AND 2500;
CLUSTER sort_full USING sort_full_expr;
UPDATE sort_full SET t = 'changed again' WHERE id BETWEEN 1 AND 100;
SELECT * FROM sort_sums;
COMMIT;
VACUUM FULL sort_full;
SELECT * FROM sort_sums;
-- columnar only
SELECT sorted FROM columnar_sortedness('sort_full', 'k');
-- end

-- a small table is sorted as rows, its versions with it
CREATE TABLE sort_small (k int, t text);
-- columnar only
SELECT columnar_set_options('sort_small', sort_key => 'k');
-- end
INSERT INTO sort_small SELECT (g * 7 + 3) % 20, 't' || g FROM generate_series(1, 20) g;
UPDATE sort_small SET t = upper(t) WHERE k % 3 = 0;
DELETE FROM sort_small WHERE k % 5 = 0;
VACUUM FULL sort_small;
SELECT * FROM sort_small ORDER BY k;
-- columnar only
SELECT k FROM sort_small;
-- end
UPDATE sort_small SET k = k + 100 WHERE k < 3;
SELECT * FROM sort_small WHERE k > 15 ORDER BY k;

-- other rewrites are loads: each group is sorted
DROP VIEW sort_sums;
DROP INDEX sort_full_expr;
ALTER TABLE sort_full ALTER v TYPE numeric USING round(v::numeric, 2);
SELECT count(*), sum(id), sum(k), round(sum(v)), sum(length(t)) FROM sort_full;
ALTER TABLE sort_full ALTER k TYPE bigint;
SELECT count(*), sum(k) FROM sort_full;
VACUUM FULL sort_full;
-- columnar only
SELECT attribute, vectors, sorted, depth < 2 AS shallow FROM columnar_sortedness('sort_full', 'k');
-- end
CREATE MATERIALIZED VIEW sort_view AS SELECT id, k, t FROM sort_full;
-- columnar only
SELECT columnar_set_options('sort_view', sort_key => 't');
-- end
REFRESH MATERIALIZED VIEW sort_view;
SELECT count(*), sum(id), count(t) FROM sort_view;
TRUNCATE sort_full;
INSERT INTO sort_full (id, k) SELECT g, g * 37 % 1000 FROM generate_series(1, 20000) g;
-- columnar only
SELECT attribute, sorted FROM columnar_sortedness('sort_full', 'k');

-- how sorted a table is may know who may read it
CREATE ROLE sort_reader;
SET ROLE sort_reader;
SELECT * FROM columnar_sortedness('sort_full');
SELECT * FROM columnar_sortedness('sort_full', 'k');
RESET ROLE;
GRANT SELECT (k) ON sort_full TO sort_reader;
SET ROLE sort_reader;
SELECT attribute FROM columnar_sortedness('sort_full');
SELECT * FROM columnar_sortedness('sort_full', 'id');
RESET ROLE;
ALTER TABLE sort_full ENABLE ROW LEVEL SECURITY;
SET ROLE sort_reader;
SELECT * FROM columnar_sortedness('sort_full');
RESET ROLE;
DROP OWNED BY sort_reader;
DROP ROLE sort_reader;
SELECT * FROM columnar_sortedness('sort_full', 'none');
SELECT * FROM columnar_sortedness('sort_full', 'ctid');
SELECT * FROM columnar_sortedness('pg_class');
SELECT * FROM columnar_sortedness(NULL);

-- ranges of all kinds, and none
CREATE TABLE sort_ranges (b bool, i int2, o oid, f float4, n numeric, t text, j jsonb, a int[], nothing int);
SELECT * FROM columnar_sortedness('sort_ranges');
SET columnar.row_form_rows = 0;
INSERT INTO sort_ranges
SELECT g > 2048, g - 3000, g + 4294960000, CASE WHEN g > 4096 THEN 'NaN' ELSE g - 100.5 END, g / 4.0,
       'http://www.example.com/a/long/prefix/' || lpad(g::text, 8, '0'), '{}', ARRAY[g], NULL
  FROM generate_series(1, 5000) g;
SELECT * FROM columnar_sortedness('sort_ranges');
RESET columnar.row_form_rows;
CREATE TABLE sort_heap (a int) USING heap;
SELECT * FROM columnar_sortedness('sort_heap');

SELECT c.relname, v.* FROM pg_class c JOIN pg_am a ON a.oid = c.relam,
       LATERAL columnar_verify(c.oid) v
 WHERE a.amname = 'columnar';
DROP TABLE sort_ranges, sort_heap;
-- end

DROP MATERIALIZED VIEW sort_view;
DROP TABLE sort_full, sort_small;
