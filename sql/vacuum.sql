--
-- VACUUM and the mover: rows change their form, not their value or their TID
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

-- an empty table, and one too small to be worth a segment
CREATE TABLE vacuum_small (id int PRIMARY KEY, note text)
	WITH (autovacuum_enabled = false);
VACUUM vacuum_small;
SELECT columnar_compact('vacuum_small');
INSERT INTO vacuum_small SELECT g, 'note ' || g FROM generate_series(1, 100) g;
VACUUM vacuum_small;
SELECT columnar_compact('vacuum_small');
SELECT count(*), sum(id) FROM vacuum_small;
SELECT * FROM columnar_verify('vacuum_small');

-- many small transactions fill row pages, which VACUUM turns into columns
CREATE TABLE vacuum_rows (id int, tag text, n numeric, at timestamptz, tags text[])
	WITH (autovacuum_enabled = false);
CREATE TABLE vacuum_rows_heap (LIKE vacuum_rows) USING heap;
CREATE INDEX vacuum_rows_id ON vacuum_rows (id);
CREATE PROCEDURE vacuum_fill(first int, last int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last LOOP
		INSERT INTO vacuum_rows
		SELECT g, CASE WHEN g % 7 > 0 THEN 'tag ' || g % 100 END, g / 8.0,
		       '2020-01-01 UTC'::timestamptz + g * interval '1 min',
		       ARRAY['a', g::text, NULL]
		  FROM generate_series(i * 10, i * 10 + 9) g;
		COMMIT;
	END LOOP;
END $$;
CALL vacuum_fill(1, 500);
INSERT INTO vacuum_rows_heap SELECT * FROM vacuum_rows;
CREATE TABLE vacuum_tids AS SELECT id, ctid AS tid FROM vacuum_rows;
VACUUM vacuum_rows;
SELECT columnar_compact('vacuum_rows');	-- nothing is left to do
(TABLE vacuum_rows EXCEPT ALL TABLE vacuum_rows_heap)
UNION ALL (TABLE vacuum_rows_heap EXCEPT ALL TABLE vacuum_rows);
SELECT count(*) FROM vacuum_rows r JOIN vacuum_tids t ON r.id = t.id AND r.ctid = t.tid;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT tag FROM vacuum_rows WHERE id = 1234;
SELECT id, tag, n, tags FROM vacuum_rows WHERE id IN (10, 1234, 5009) ORDER BY id;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- more rows: the new segment joins its neighbour
CALL vacuum_fill(501, 1000);
SELECT columnar_compact('vacuum_rows') > 9000;
SELECT columnar_compact('vacuum_rows');
SELECT count(*), count(DISTINCT id), sum(id), count(tag), sum(n) FROM vacuum_rows;
SELECT * FROM columnar_verify('vacuum_rows');

-- columns that came and went between the two forms
CREATE TABLE vacuum_columns (a int, b text, c int)
	WITH (autovacuum_enabled = false);
INSERT INTO vacuum_columns SELECT g, 'b' || g, g FROM generate_series(1, 3000) g;
SELECT columnar_compact('vacuum_columns') > 0;
ALTER TABLE vacuum_columns DROP b, ADD d int DEFAULT 7, ADD e text;
INSERT INTO vacuum_columns SELECT g, g, g, 'e' || g FROM generate_series(3001, 6000) g;
SELECT columnar_compact('vacuum_columns') > 0;
SELECT count(*), sum(a), sum(c), sum(d), count(e), max(e) FROM vacuum_columns;
SELECT * FROM columnar_verify('vacuum_columns');

-- wide values: kept whole in column form, removed from the TOAST table
CREATE TABLE vacuum_wide (id int, t text)
	WITH (autovacuum_enabled = false);
ALTER TABLE vacuum_wide ALTER t SET STORAGE EXTERNAL;
SELECT reltoastrelid::regclass AS toast FROM pg_class WHERE relname = 'vacuum_wide' \gset
INSERT INTO vacuum_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(1, 900) g;
INSERT INTO vacuum_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(901, 1800) g;
SELECT count(DISTINCT chunk_id) FROM :toast;
VACUUM vacuum_wide;
SELECT count(DISTINCT chunk_id) FROM :toast;
SELECT count(*), sum(length(t)) FROM vacuum_wide WHERE t = repeat(md5(id::text), 100);
VACUUM vacuum_wide;
SELECT * FROM columnar_verify('vacuum_wide');

-- the same by hand in a transaction that rolls back: the values stay for now
INSERT INTO vacuum_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(2001, 2900) g;
INSERT INTO vacuum_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(2901, 3800) g;
BEGIN;
SELECT columnar_compact('vacuum_wide') > 0;
ROLLBACK;
SELECT count(DISTINCT chunk_id) FROM :toast;
SELECT count(*), sum(length(t)) FROM vacuum_wide WHERE t = repeat(md5(id::text), 100);
VACUUM vacuum_wide;
SELECT count(DISTINCT chunk_id) FROM :toast;
SELECT * FROM columnar_verify('vacuum_wide');

-- rolled back rows: index entries go first, then their pages
CREATE TABLE vacuum_undo (id int PRIMARY KEY, t text)
	WITH (autovacuum_enabled = false);
INSERT INTO vacuum_undo SELECT g, 'kept' FROM generate_series(1, 5) g;
BEGIN;
INSERT INTO vacuum_undo SELECT g, 'lost' || g FROM generate_series(10, 2000) g;
ROLLBACK;
BEGIN;
INSERT INTO vacuum_undo SELECT g, md5(g::text) FROM generate_series(2001, 150000) g;
ROLLBACK;
SELECT * FROM columnar_verify('vacuum_undo');
SELECT pg_relation_size('vacuum_undo') AS size_before \gset
VACUUM (INDEX_CLEANUP off) vacuum_undo;
SELECT * FROM columnar_verify('vacuum_undo');
VACUUM (TRUNCATE off) vacuum_undo;
SELECT * FROM columnar_verify('vacuum_undo');
-- what once could be read is free when an xid has been used since
SELECT txid_current() IS NOT NULL;
VACUUM vacuum_undo;
BEGIN;
INSERT INTO vacuum_undo SELECT g, md5(g::text) FROM generate_series(2001, 150000) g;
ROLLBACK;
SELECT pg_relation_size('vacuum_undo') < :size_before * 1.2 AS reused;
VACUUM vacuum_undo;
INSERT INTO vacuum_undo SELECT g, 'again' FROM generate_series(6, 150000) g;
SELECT t, count(*), min(id), max(id) FROM vacuum_undo GROUP BY t ORDER BY t;
SELECT * FROM columnar_verify('vacuum_undo');

-- a free tail is cut off
CREATE TABLE vacuum_tail (id int, t text) WITH (autovacuum_enabled = false);
INSERT INTO vacuum_tail VALUES (1, 'kept');
BEGIN;
INSERT INTO vacuum_tail SELECT g, md5(g::text) FROM generate_series(1, 60000) g;
SELECT count(*) FROM vacuum_tail;	-- has them written
ROLLBACK;
SELECT pg_relation_size('vacuum_tail') AS size_before \gset
VACUUM (TRUNCATE off) vacuum_tail;
SELECT txid_current() IS NOT NULL;
VACUUM (TRUNCATE off) vacuum_tail;
SELECT pg_relation_size('vacuum_tail') = :size_before AS whole;
VACUUM vacuum_tail;
SELECT pg_relation_size('vacuum_tail') < :size_before / 4 AS cut;
INSERT INTO vacuum_tail SELECT g, 'again' FROM generate_series(2, 20000) g;
SELECT count(*), sum(id) FROM vacuum_tail;
SELECT * FROM columnar_verify('vacuum_tail');

-- freezing: the table's oldest xid advances past all of its rows
SELECT relfrozenxid AS old_frozenxid FROM pg_class WHERE relname = 'vacuum_rows' \gset
VACUUM (FREEZE) vacuum_rows;
SELECT relfrozenxid::text::int8 > :old_frozenxid AS advanced, relpages > 0 AS has_pages, reltuples
  FROM pg_class WHERE relname = 'vacuum_rows';
VACUUM (FREEZE) vacuum_small;
SELECT * FROM columnar_verify('vacuum_small');
SELECT count(*) FROM vacuum_small;

-- every option is accepted
VACUUM (FULL off, FREEZE off, VERBOSE off, ANALYZE, DISABLE_PAGE_SKIPPING, SKIP_LOCKED, INDEX_CLEANUP on, PROCESS_TOAST off, TRUNCATE, PARALLEL 2) vacuum_rows;
SELECT * FROM columnar_verify('vacuum_rows');

-- the statistics system hears of it
SELECT n_live_tup, n_dead_tup, vacuum_count > 0 AS vacuumed
  FROM pg_stat_user_tables WHERE relname = 'vacuum_rows';

-- temporary and unlogged tables
CREATE TEMP TABLE vacuum_temp (id int, t text);
INSERT INTO vacuum_temp SELECT g, 't' || g FROM generate_series(1, 5000) g;
VACUUM vacuum_temp;
INSERT INTO vacuum_temp SELECT g, 't' || g FROM generate_series(5001, 10000) g;
SELECT columnar_compact('vacuum_temp') > 0;
SELECT count(*), sum(id) FROM vacuum_temp;
SELECT * FROM columnar_verify('vacuum_temp');
CREATE UNLOGGED TABLE vacuum_unlogged (id int, t text);
INSERT INTO vacuum_unlogged SELECT g, 't' || g FROM generate_series(1, 5000) g;
VACUUM vacuum_unlogged;
SELECT count(*), sum(id) FROM vacuum_unlogged;
SELECT * FROM columnar_verify('vacuum_unlogged');

-- columnar_compact: whose tables, and which
CREATE ROLE regress_columnar_vacuum;
SET ROLE regress_columnar_vacuum;
SELECT columnar_compact('vacuum_rows');
RESET ROLE;
DROP ROLE regress_columnar_vacuum;
SELECT columnar_compact('vacuum_rows_heap');
BEGIN READ ONLY;
SELECT columnar_compact('vacuum_rows');
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM vacuum_temp;
FETCH 1 FROM c;
SELECT columnar_compact('vacuum_temp');
ROLLBACK;

DROP TABLE vacuum_small, vacuum_rows, vacuum_rows_heap, vacuum_tids, vacuum_columns,
           vacuum_wide, vacuum_undo, vacuum_tail,
           vacuum_temp, vacuum_unlogged;
DROP PROCEDURE vacuum_fill;
