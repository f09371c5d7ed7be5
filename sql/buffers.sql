--
-- A scan reads the pages of the columns that it needs, each of them once
--
CREATE FUNCTION bu_pages(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint +
		(plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END $$;

-- 100 columns of like size
\set ECHO none
SELECT format('CREATE TABLE bu_t (%s) USING columnar', string_agg('c' || i || ' integer', ', ' ORDER BY i))
FROM generate_series(1, 100) i \gexec
SELECT format('INSERT INTO bu_t SELECT %s FROM generate_series(1, 65536) g',
	string_agg(format('hashint8(g::bigint * %s)', i), ', ' ORDER BY i))
FROM generate_series(1, 100) i \gexec
\set ECHO all
-- one more column is a hundredth of the table more; the first thousand rows
-- of a load, in row form, are read by every scan
SET max_parallel_workers_per_gather = 0;
SELECT bu_pages('SELECT sum(c50) FROM bu_t') AS one,
	bu_pages('SELECT sum(c1), sum(c100) FROM bu_t') AS two,
	bu_pages('SELECT count(bu_t) FROM bu_t') AS all,
	pg_relation_size('bu_t') / 8192 AS pages \gset
SELECT :one < :pages / 30.0 AS one_column, :two - :one < :pages / 90.0 AS one_more, :all < :pages * 1.1 AS each_page_once;

-- without the vectorised scan too
SET columnar.vector_scan = off;
SELECT bu_pages('SELECT sum(c50) FROM bu_t') < :pages / 30.0 AS one_column;

-- a fetch by key does not read the table
CREATE INDEX bu_key ON bu_t (c1);
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT c1 AS key FROM bu_t LIMIT 1 OFFSET 40000 \gset
SELECT bu_pages('SELECT c2, c3 FROM bu_t WHERE c1 = ' || :key) < 50 AS few;
RESET enable_seqscan; RESET enable_bitmapscan;

-- zone maps: one group of ten
RESET columnar.vector_scan;
CREATE TABLE bu_zone (id integer, t text) USING columnar;
INSERT INTO bu_zone SELECT i, md5(i::text) FROM generate_series(1, 655360) i;
SELECT bu_pages('SELECT max(t || '''') FROM bu_zone WHERE id = 300000')
	< bu_pages('SELECT max(t || '''') FROM bu_zone WHERE id > 0') / 5 AS skipped;

SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname IN ('bu_t', 'bu_zone');
DROP TABLE bu_t, bu_zone;
DROP FUNCTION bu_pages;
