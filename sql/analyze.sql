--
-- Statistics: ANALYZE, the planner's estimates, the counters
--
SET default_table_access_method = columnar;

CREATE TABLE an_t (id integer, g integer, t text, allnull integer) WITH (autovacuum_enabled = off);
INSERT INTO an_t SELECT i, i % 20, 'text ' || i % 10, NULL FROM generate_series(1, 100000) i;

-- the planner knows the number of rows before ANALYZE
CREATE FUNCTION an_rows(query text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' -> 'Plan Rows';
END $$;
SELECT an_rows('SELECT * FROM an_t') BETWEEN 50000 AND 200000 AS about_right;
CREATE TABLE an_empty (a integer);
SELECT an_rows('SELECT * FROM an_empty') > 0 AS some;
ANALYZE an_empty;
SELECT reltuples FROM pg_class WHERE relname = 'an_empty';

SELECT pg_stat_force_next_flush();
ANALYZE an_t;
SELECT reltuples BETWEEN 99000 AND 101000 AS about_right, relpages = pg_relation_size('an_t') / 8192 AS pages
FROM pg_class WHERE relname = 'an_t';
SELECT attname, null_frac, CASE WHEN n_distinct > 0 THEN round(n_distinct) WHEN n_distinct < -0.95 THEN -1 END AS n_distinct,
	array_length(histogram_bounds::text::text[], 1) AS bounds,
	correlation > 0.9 AS ordered
FROM pg_stats WHERE tablename = 'an_t' ORDER BY attname;
SELECT an_rows('SELECT * FROM an_t WHERE g = 3') BETWEEN 4000 AND 6000 AS about_right,
	an_rows('SELECT * FROM an_t WHERE id < 50000') BETWEEN 45000 AND 55000 AS half,
	an_rows('SELECT * FROM an_t WHERE t = ''text 3''') BETWEEN 8000 AND 12000 AS tenth;

-- the sample comes from the whole table, in both forms
CREATE TABLE an_parts (part integer, v integer) WITH (autovacuum_enabled = off);
INSERT INTO an_parts SELECT 1, i FROM generate_series(1, 50000) i;
INSERT INTO an_parts SELECT 2, i FROM generate_series(1, 50000) i;
INSERT INTO an_parts SELECT 3, i FROM generate_series(1, 900) i;
BEGIN;
INSERT INTO an_parts SELECT 4, i FROM generate_series(1, 50000) i;
ROLLBACK;
ANALYZE an_parts;
SELECT reltuples BETWEEN 98000 AND 104000 AS about_right FROM pg_class WHERE relname = 'an_parts';
SELECT most_common_vals::text::integer[] && '{4}' AS rolled_back, most_common_vals::text::integer[] @> '{1,2}' AS both
FROM pg_stats WHERE tablename = 'an_parts' AND attname = 'part';
ANALYZE an_parts (v);
CREATE STATISTICS an_s ON part, v FROM an_parts;
ANALYZE an_parts;

-- counters
SELECT pg_stat_force_next_flush();
SELECT n_tup_ins, n_live_tup BETWEEN 90000 AND 110000 AS live, n_tup_upd, n_tup_del, n_mod_since_analyze, analyze_count
FROM pg_stat_user_tables WHERE relname = 'an_t';
SELECT n_tup_ins, n_dead_tup > 0 AS some_dead FROM pg_stat_user_tables WHERE relname = 'an_parts';
SELECT count(*) FROM an_t WHERE id > 0;
SELECT pg_stat_force_next_flush();
SELECT seq_scan > 0 AS scanned, seq_tup_read > 0 AS read FROM pg_stat_user_tables WHERE relname = 'an_t';

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname LIKE 'an\_%' AND relkind = 'r';
-- end
DROP TABLE an_t, an_empty, an_parts;
DROP FUNCTION an_rows;
