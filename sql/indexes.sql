--
-- Indexes of every method: built before and after the rows, and scanned
--
SET default_table_access_method = columnar;

CREATE TABLE ix_t (id integer, k integer, t text, ia integer[], b box, p point, r int4range, ip inet);
CREATE INDEX ix_early ON ix_t (k, id);
CREATE INDEX ix_early_hash ON ix_t USING hash (t);
CREATE INDEX ix_early_gin ON ix_t USING gin (ia);
INSERT INTO ix_t
SELECT i, i % 1000, 't' || i % 5000, ARRAY[i % 100, i % 77], box(point(i, i), point(i + 5, i + 5)),
	point(i % 500, i % 300), int4range(i, i + 20), '10.0.0.0'::inet + i
FROM generate_series(1, 70000) i;
INSERT INTO ix_t (id, k) SELECT -i, NULL FROM generate_series(1, 50) i;
CREATE UNIQUE INDEX ix_id ON ix_t (id) INCLUDE (k);
CREATE INDEX ix_expr ON ix_t (lower(t), (k + 1));
CREATE INDEX ix_part ON ix_t (t) WHERE k = 7;
CREATE INDEX ix_hash ON ix_t USING hash (id);
CREATE INDEX ix_gist ON ix_t USING gist (b);
CREATE INDEX ix_gist_p ON ix_t USING gist (p);
CREATE INDEX ix_spgist ON ix_t USING spgist (p);
CREATE INDEX ix_spgist_r ON ix_t USING spgist (r) WHERE id <= 5000;
CREATE INDEX ix_inet ON ix_t USING gist (ip inet_ops);
CREATE INDEX CONCURRENTLY ix_conc ON ix_t (t, k);
REINDEX INDEX ix_early;
REINDEX INDEX CONCURRENTLY ix_expr;
SELECT indexrelid::regclass AS index, indisvalid, indisready FROM pg_index WHERE indrelid = 'ix_t'::regclass ORDER BY 1;

-- the same questions by index scan, bitmap scan and sequential scan
CREATE FUNCTION ix_ask() RETURNS TABLE (question text, answer text) LANGUAGE sql AS $$
	SELECT 'k', count(*) || ' ' || sum(id) FROM ix_t WHERE k = 7
	UNION ALL SELECT 'k range', count(*) || ' ' || sum(id) FROM ix_t WHERE k BETWEEN 10 AND 12
	UNION ALL SELECT 'k null', count(*) || ' ' || sum(id) FROM ix_t WHERE k IS NULL
	UNION ALL SELECT 'id', count(*) || ' ' || min(t) FROM ix_t WHERE id = 65537
	UNION ALL SELECT 'ids', count(*) || ' ' || sum(k) FROM ix_t WHERE id IN (1, 1024, 1025, 65536, 70000, 70001)
	UNION ALL SELECT 't', count(*) || ' ' || sum(id) FROM ix_t WHERE t = 't4999'
	UNION ALL SELECT 'expr', count(*) || ' ' || sum(id) FROM ix_t WHERE lower(t) = 't17' AND k + 1 = 18
	UNION ALL SELECT 'part', count(*) || ' ' || min(t) || ' ' || max(t) FROM ix_t WHERE k = 7 AND t > 't2'
	UNION ALL SELECT 'gin', count(*) || ' ' || sum(id) FROM ix_t WHERE ia @> ARRAY[5, 70]
	UNION ALL SELECT 'gist', count(*) || ' ' || sum(id) FROM ix_t WHERE b && box(point(100, 100), point(110, 110))
	UNION ALL SELECT 'point', count(*) || ' ' || sum(id) FROM ix_t WHERE p <@ box(point(10, 10), point(12, 12))
	UNION ALL SELECT 'range', count(*) || ' ' || sum(id) FROM ix_t WHERE r @> 3000 AND id <= 5000
	UNION ALL SELECT 'inet', count(*) || ' ' || sum(id) FROM ix_t WHERE ip <<= '10.0.1.0/24'
	UNION ALL SELECT 'and or', count(*) || ' ' || sum(id) FROM ix_t WHERE (k = 5 AND t = 't5') OR id = 3 OR (k = 8 AND t = 't1008')
$$;
SELECT * FROM ix_ask() ORDER BY question;
SET enable_seqscan = off;
CREATE TEMPORARY TABLE ix_answers USING heap AS SELECT 'index' AS way, * FROM ix_ask();
SET enable_indexscan = off; SET enable_indexonlyscan = off;
INSERT INTO ix_answers SELECT 'bitmap', * FROM ix_ask();
SET enable_bitmapscan = off; RESET enable_seqscan;
INSERT INTO ix_answers SELECT 'seq', * FROM ix_ask();
SELECT question, count(DISTINCT answer) AS answers, count(*) AS ways FROM ix_answers
GROUP BY question HAVING count(DISTINCT answer) <> 1;
RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan;

-- order, limits, both directions, nearest neighbours, nested loops
SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off;
SELECT id, k FROM ix_t ORDER BY id LIMIT 3;
SELECT id, k FROM ix_t ORDER BY id DESC LIMIT 3;
SELECT id, k FROM ix_t WHERE k > 998 ORDER BY k DESC, id DESC LIMIT 2;
SELECT min(id), max(id) FROM ix_t;
SELECT id FROM ix_t WHERE p IS NOT NULL ORDER BY p <-> point(3, 3), id LIMIT 1;
SELECT count(*), sum(b.id) FROM generate_series(1, 70000, 700) a JOIN ix_t b ON b.id = a;
RESET enable_seqscan; RESET enable_sort; RESET enable_bitmapscan;

-- rows after the index, in both forms, and rolled back ones
INSERT INTO ix_t (id, k, t) VALUES (80001, 7, 'small');
INSERT INTO ix_t (id, k, t) SELECT i, 7, 'large' FROM generate_series(90001, 105000) i;
BEGIN;
INSERT INTO ix_t (id, k, t) SELECT i, 7, 'rolled back' FROM generate_series(110001, 125000) i;
SELECT count(*) FROM ix_t WHERE k = 7 AND t = 'rolled back';
ROLLBACK;
SET enable_seqscan = off;
SELECT t, count(*) FROM ix_t WHERE k = 7 AND t IN ('small', 'large', 'rolled back') GROUP BY t ORDER BY t;
SELECT count(*) FROM ix_t WHERE id > 80000;
RESET enable_seqscan;

-- in the order of an index
CREATE TABLE ix_cluster AS SELECT * FROM ix_t WHERE id % 10 = 7;
CREATE INDEX ix_cluster_k ON ix_cluster (k, id);
CREATE INDEX ix_cluster_t ON ix_cluster USING hash (t);
CLUSTER ix_cluster USING ix_cluster_k;
SELECT count(*), sum(id), count(k), count(DISTINCT t) FROM ix_cluster;
SET enable_seqscan = off;
SELECT count(*), sum(id) FROM ix_cluster WHERE k = 7;
SELECT count(*), sum(id) FROM ix_cluster WHERE t = 't17';
RESET enable_seqscan;

-- columnar only
CREATE INDEX ix_brin ON ix_t USING brin (id);
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname IN ('ix_t', 'ix_cluster');
-- end
DROP TABLE ix_t, ix_cluster;
DROP FUNCTION ix_ask;
