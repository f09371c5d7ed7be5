--
-- Loads: row form first, then buffers by column, flushed when somebody looks
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

-- numbers of rows around the places where something changes
CREATE TABLE load_sizes (batch int, id int, note text);
INSERT INTO load_sizes SELECT 1, g, 'note ' || g FROM generate_series(1, 1) g;
INSERT INTO load_sizes SELECT 2, g, 'note ' || g FROM generate_series(1, 1000) g;
INSERT INTO load_sizes SELECT 3, g, 'note ' || g FROM generate_series(1, 1001) g;
INSERT INTO load_sizes SELECT 4, g, 'note ' || g FROM generate_series(1, 2025) g;
INSERT INTO load_sizes SELECT 5, g, 'note ' || g FROM generate_series(1, 9191) g;
INSERT INTO load_sizes SELECT 6, g, 'note ' || g FROM generate_series(1, 9192) g;
INSERT INTO load_sizes SELECT 7, g, 'note ' || g FROM generate_series(1, 66536) g;
INSERT INTO load_sizes SELECT 8, g, 'note ' || g FROM generate_series(1, 140000) g;
SELECT batch, count(*), count(DISTINCT id), sum(id), max(note COLLATE "C")
  FROM load_sizes GROUP BY batch ORDER BY batch;

-- every kind of value and NULL
CREATE TABLE load_types (
	id int, flag bool, c "char", small int2, big int8, r float4, d float8,
	n numeric, t text, v varchar(20), f char(6), b bytea, u uuid, day date,
	ts timestamp, tz timestamptz, i interval, name name, arr int[], j jsonb,
	bits bit varying, addr inet, p point, o oid);
INSERT INTO load_types
SELECT g, g % 3 = 0, chr(65 + g % 26)::"char", g % 300, g * 10000000000,
       g / 64.0, g / 128.0, g / 100.0, repeat('x', g % 50), 'v' || g % 10,
       'f' || g % 10, decode(md5(g::text), 'hex'), md5(g::text)::uuid,
       '2020-01-01'::date + g % 1000, '2020-01-01'::timestamp + g * '1 s'::interval,
       '2020-01-01'::timestamptz + g * '1 min'::interval, g * '1 hour'::interval,
       'name' || g % 7, ARRAY[g, NULL, -g], jsonb_build_object('a', g),
       (g % 8)::bit(3), '10.0.0.1'::inet + g % 200, point(g, -g), g
  FROM generate_series(1, 12000) g;
INSERT INTO load_types (id) SELECT g FROM generate_series(12001, 14000) g;
SELECT count(*), count(flag), count(n), count(p), sum(small), sum(big), sum(r::float8),
       sum(d), sum(n), sum(length(t)), max(day), max(ts), sum(i), sum(o::int8)
  FROM load_types;
SELECT id, flag, c, n, t, v, f, u, i, name, arr, j, bits, addr, p
  FROM load_types WHERE id IN (5, 999, 1001, 11999, 13000) ORDER BY id;

-- wide values, compressed and stored outside on their way here
CREATE TABLE load_source (id int, t text);
ALTER TABLE load_source ALTER t SET STORAGE EXTERNAL;
INSERT INTO load_source
SELECT g, (SELECT string_agg(md5((g * k)::text), '') FROM generate_series(1, 200) k)
  FROM generate_series(1, 1500) g;
CREATE TABLE load_wide (id int, t text);
INSERT INTO load_wide SELECT * FROM load_source;
INSERT INTO load_wide SELECT id + 10000, repeat('ab', 20000) FROM load_source;
SELECT count(*), sum(length(t)) FROM load_wide;
SELECT count(*) FROM load_wide w JOIN load_source s USING (id) WHERE w.t = s.t;

-- dropped and added columns between loads of one transaction
CREATE TABLE load_columns (a int, b text, c int);
INSERT INTO load_columns SELECT g, 'b' || g, -g FROM generate_series(1, 20000) g;
BEGIN;
INSERT INTO load_columns SELECT g, 'b' || g, -g FROM generate_series(20001, 40000) g;
ALTER TABLE load_columns DROP COLUMN b;
INSERT INTO load_columns SELECT g, -g FROM generate_series(40001, 60000) g;
ALTER TABLE load_columns ADD COLUMN d int DEFAULT 7;
INSERT INTO load_columns SELECT g, -g, 8 FROM generate_series(60001, 80000) g;
COMMIT;
SELECT count(*), sum(a), sum(c), sum(d) FROM load_columns;

-- COPY, CREATE TABLE AS, materialized views, partitions
COPY load_sizes (id, note) FROM PROGRAM 'seq -f "%.0f,copied" 20000' (FORMAT csv);
SELECT count(*), sum(id) FROM load_sizes WHERE batch IS NULL;
CREATE TABLE load_as AS SELECT batch, id FROM load_sizes;
SELECT count(*), sum(id) FROM load_as;
CREATE MATERIALIZED VIEW load_view AS SELECT * FROM load_as WHERE batch = 7;
REFRESH MATERIALIZED VIEW load_view;
SELECT count(*), sum(id) FROM load_view;
CREATE TABLE load_parts (k int, v int) PARTITION BY HASH (k);
SELECT format('CREATE TABLE load_part_%s PARTITION OF load_parts FOR VALUES WITH (MODULUS 50, REMAINDER %s)', g, g)
  FROM generate_series(0, 49) g \gexec
INSERT INTO load_parts SELECT g, g FROM generate_series(1, 200000) g;
COPY load_parts FROM PROGRAM 'seq -f "%.0f,1" 200000' (FORMAT csv);
SELECT count(*), sum(v) FROM load_parts;

-- little memory: the largest buffer is written first
SET columnar.load_buffer_size = '1MB';
INSERT INTO load_parts SELECT g, g FROM generate_series(1, 200000) g;
RESET columnar.load_buffer_size;
SELECT count(*), sum(v) FROM load_parts;

-- rows that are gone with their transaction
BEGIN;
INSERT INTO load_as SELECT 9, g FROM generate_series(1, 50000) g;
ROLLBACK;
INSERT INTO load_as SELECT 9, 1 / (20000 - g) FROM generate_series(1, 50000) g;
SELECT count(*) FROM load_as WHERE batch = 9;

-- unlogged and temporary tables
CREATE UNLOGGED TABLE load_unlogged AS SELECT * FROM load_as;
CREATE TEMP TABLE load_temp AS SELECT * FROM load_as;
CREATE TEMP TABLE load_temp_rows (a int) ON COMMIT DELETE ROWS;
BEGIN;
INSERT INTO load_temp_rows SELECT generate_series(1, 20000);
SELECT count(*) FROM load_temp_rows;
INSERT INTO load_temp_rows SELECT generate_series(1, 20000);
COMMIT;
SELECT (SELECT count(*) FROM load_unlogged), (SELECT count(*) FROM load_temp),
       (SELECT count(*) FROM load_temp_rows);

-- counters as heap's
SELECT pg_stat_force_next_flush();
SELECT relname, n_tup_ins FROM pg_stat_user_tables
 WHERE relname IN ('load_sizes', 'load_as', 'load_wide') ORDER BY 1;

-- columnar only
SELECT c.relname, v.* FROM pg_class c JOIN pg_am a ON a.oid = c.relam,
       LATERAL columnar_verify(c.oid) v
 WHERE a.amname = 'columnar';
-- end
DROP TABLE load_sizes, load_types, load_source, load_wide, load_columns, load_parts, load_unlogged;
DROP MATERIALIZED VIEW load_view;
DROP TABLE load_as;
