--
-- VACUUM and the mover: rows change their form, not their value or their TID
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

-- an empty table, and one too small to be worth a segment
CREATE TABLE mover_small (id int PRIMARY KEY, note text)
	WITH (autovacuum_enabled = false);
VACUUM mover_small;
SELECT columnar_compact('mover_small');
INSERT INTO mover_small SELECT g, 'note ' || g FROM generate_series(1, 100) g;
VACUUM mover_small;
SELECT columnar_compact('mover_small');
SELECT count(*), sum(id) FROM mover_small;
SELECT * FROM columnar_verify('mover_small');

-- many small transactions fill row pages, which VACUUM turns into columns
CREATE TABLE mover_rows (id int, tag text, n numeric, at timestamptz, tags text[])
	WITH (autovacuum_enabled = false);
CREATE TABLE mover_rows_heap (LIKE mover_rows) USING heap;
CREATE INDEX mover_rows_id ON mover_rows (id);
CREATE PROCEDURE mover_fill(first int, last int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last LOOP
		INSERT INTO mover_rows
		SELECT g, CASE WHEN g % 7 > 0 THEN 'tag ' || g % 100 END, g / 8.0,
		       '2020-01-01 UTC'::timestamptz + g * interval '1 min',
		       ARRAY['a', g::text, NULL]
		  FROM generate_series(i * 10, i * 10 + 9) g;
		COMMIT;
	END LOOP;
END $$;
CALL mover_fill(1, 500);
INSERT INTO mover_rows_heap SELECT * FROM mover_rows;
CREATE TABLE mover_tids AS SELECT id, ctid AS tid FROM mover_rows;
VACUUM mover_rows;
SELECT columnar_compact('mover_rows');	-- nothing is left to do
(TABLE mover_rows EXCEPT ALL TABLE mover_rows_heap)
UNION ALL (TABLE mover_rows_heap EXCEPT ALL TABLE mover_rows);
SELECT count(*) FROM mover_rows r JOIN mover_tids t ON r.id = t.id AND r.ctid = t.tid;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT tag FROM mover_rows WHERE id = 1234;
SELECT id, tag, n, tags FROM mover_rows WHERE id IN (10, 1234, 5009) ORDER BY id;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- more rows: the new segment joins its neighbour
CALL mover_fill(501, 1000);
SELECT columnar_compact('mover_rows') > 9000;
SELECT columnar_compact('mover_rows');
SELECT count(*), count(DISTINCT id), sum(id), count(tag), sum(n) FROM mover_rows;
SELECT * FROM columnar_verify('mover_rows');

-- columns that came and went between the two forms
CREATE TEMP TABLE mover_columns (a int, b text, c int)
	WITH (autovacuum_enabled = false);
INSERT INTO mover_columns SELECT g, 'b' || g, g FROM generate_series(1, 3000) g;
SELECT columnar_compact('mover_columns') > 0;
ALTER TABLE mover_columns DROP b, ADD d int DEFAULT 7, ADD e text;
INSERT INTO mover_columns SELECT g, g, g, 'e' || g FROM generate_series(3001, 6000) g;
SELECT columnar_compact('mover_columns') > 0;
SELECT count(*), sum(a), sum(c), sum(d), count(e), max(e) FROM mover_columns;
SELECT * FROM columnar_verify('mover_columns');

-- wide values: kept whole in column form, removed from the TOAST table
CREATE TEMP TABLE mover_wide (id int, t text)
	WITH (autovacuum_enabled = false);
ALTER TABLE mover_wide ALTER t SET STORAGE EXTERNAL;
SELECT reltoastrelid::regclass AS toast FROM pg_class WHERE oid = 'mover_wide'::regclass \gset
INSERT INTO mover_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(1, 900) g;
INSERT INTO mover_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(901, 1800) g;
SELECT count(DISTINCT chunk_id) FROM :toast;
VACUUM mover_wide;
SELECT count(DISTINCT chunk_id) FROM :toast;
SELECT count(*), sum(length(t)) FROM mover_wide WHERE t = repeat(md5(id::text), 100);
VACUUM mover_wide;
SELECT * FROM columnar_verify('mover_wide');

-- the same by hand in a transaction that rolls back: the values stay for now
INSERT INTO mover_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(2001, 2900) g;
INSERT INTO mover_wide SELECT g, repeat(md5(g::text), 100) FROM generate_series(2901, 3800) g;
BEGIN;
SELECT columnar_compact('mover_wide') > 0;
ROLLBACK;
SELECT count(DISTINCT chunk_id) FROM :toast;
SELECT count(*), sum(length(t)) FROM mover_wide WHERE t = repeat(md5(id::text), 100);
VACUUM mover_wide;
SELECT count(DISTINCT chunk_id) FROM :toast;
SELECT * FROM columnar_verify('mover_wide');

-- rolled back rows: index entries go first, then their pages
CREATE TABLE mover_undo (id int PRIMARY KEY, t text)
	WITH (autovacuum_enabled = false);
INSERT INTO mover_undo SELECT g, 'kept' FROM generate_series(1, 5) g;
BEGIN;
INSERT INTO mover_undo SELECT g, 'lost' || g FROM generate_series(10, 2000) g;
ROLLBACK;
BEGIN;
INSERT INTO mover_undo SELECT g, md5(g::text) FROM generate_series(2001, 150000) g;
ROLLBACK;
SELECT * FROM columnar_verify('mover_undo');
SELECT pg_relation_size('mover_undo') AS size_before \gset
VACUUM (INDEX_CLEANUP off) mover_undo;
SELECT * FROM columnar_verify('mover_undo');
VACUUM (TRUNCATE off) mover_undo;
SELECT * FROM columnar_verify('mover_undo');
-- what once could be read is free when an xid has been used since
SELECT txid_current() IS NOT NULL;
VACUUM mover_undo;
BEGIN;
INSERT INTO mover_undo SELECT g, md5(g::text) FROM generate_series(2001, 150000) g;
ROLLBACK;
SELECT pg_relation_size('mover_undo') < :size_before * 1.2 AS reused;
VACUUM mover_undo;
INSERT INTO mover_undo SELECT g, 'again' FROM generate_series(6, 150000) g;
SELECT t, count(*), min(id), max(id) FROM mover_undo GROUP BY t ORDER BY t;
SELECT * FROM columnar_verify('mover_undo');

-- a free tail is cut off
CREATE TABLE mover_tail (id int, t text) WITH (autovacuum_enabled = false);
INSERT INTO mover_tail VALUES (1, 'kept');
BEGIN;
INSERT INTO mover_tail SELECT g, md5(g::text) FROM generate_series(1, 60000) g;
SELECT count(*) FROM mover_tail;	-- has them written
ROLLBACK;
SELECT pg_relation_size('mover_tail') AS size_before \gset
VACUUM (TRUNCATE off) mover_tail;
SELECT txid_current() IS NOT NULL;
VACUUM (TRUNCATE off) mover_tail;
SELECT pg_relation_size('mover_tail') >= :size_before AS whole;
VACUUM mover_tail;
SELECT pg_relation_size('mover_tail') < :size_before / 4 AS cut;
INSERT INTO mover_tail SELECT g, 'again' FROM generate_series(2, 20000) g;
SELECT count(*), sum(id) FROM mover_tail;
SELECT * FROM columnar_verify('mover_tail');

-- freezing: the table's oldest xid advances past all of its rows
SELECT relfrozenxid AS old_frozenxid FROM pg_class WHERE relname = 'mover_rows' \gset
VACUUM (FREEZE) mover_rows;
SELECT relfrozenxid::text::int8 > :old_frozenxid AS advanced, relpages > 0 AS has_pages, reltuples
  FROM pg_class WHERE relname = 'mover_rows';
VACUUM (FREEZE) mover_small;
SELECT * FROM columnar_verify('mover_small');
SELECT count(*) FROM mover_small;

-- every option is accepted; rows are counted before VACUUM counts them anew
SELECT pg_stat_force_next_flush();
VACUUM (FULL off, FREEZE off, VERBOSE off, ANALYZE, DISABLE_PAGE_SKIPPING, SKIP_LOCKED, INDEX_CLEANUP on, PROCESS_TOAST off, TRUNCATE, PARALLEL 2) mover_rows;
SELECT * FROM columnar_verify('mover_rows');

-- the statistics system hears of it
SELECT n_live_tup, n_dead_tup, vacuum_count > 0 AS vacuumed
  FROM pg_stat_user_tables WHERE relname = 'mover_rows';

-- temporary and unlogged tables
CREATE TEMP TABLE mover_temp (id int, t text);
INSERT INTO mover_temp SELECT g, 't' || g FROM generate_series(1, 5000) g;
VACUUM mover_temp;
INSERT INTO mover_temp SELECT g, 't' || g FROM generate_series(5001, 10000) g;
SELECT columnar_compact('mover_temp') > 0;
SELECT count(*), sum(id) FROM mover_temp;
SELECT * FROM columnar_verify('mover_temp');
CREATE UNLOGGED TABLE mover_unlogged (id int, t text);
INSERT INTO mover_unlogged SELECT g, 't' || g FROM generate_series(1, 5000) g;
VACUUM mover_unlogged;
SELECT count(*), sum(id) FROM mover_unlogged;
SELECT * FROM columnar_verify('mover_unlogged');

-- cancelled in the middle: nothing has happened, and nothing is lost
CREATE TEMP TABLE mover_cancel (id int, t text) WITH (autovacuum_enabled = false);
CREATE PROCEDURE mover_batches(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..n LOOP
		INSERT INTO mover_cancel SELECT g, md5(g::text) FROM generate_series(i * 1000, i * 1000 + 999) g;
	END LOOP;
END $$;
CALL mover_batches(60);
SET statement_timeout = '5ms';
SELECT columnar_compact('mover_cancel');
VACUUM mover_cancel;
RESET statement_timeout;
SELECT count(*), sum(id), count(DISTINCT t) FROM mover_cancel;
SELECT * FROM columnar_verify('mover_cancel');
VACUUM mover_cancel;
SELECT count(*), sum(id), count(DISTINCT t) FROM mover_cancel;
SELECT * FROM columnar_verify('mover_cancel');

-- columnar_compact: whose tables, and which
CREATE ROLE regress_columnar_mover;
SET ROLE regress_columnar_mover;
SELECT columnar_compact('mover_rows');
RESET ROLE;
DROP ROLE regress_columnar_mover;
SELECT columnar_compact('mover_rows_heap');
BEGIN READ ONLY;
SELECT columnar_compact('mover_rows');
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM mover_temp;
FETCH 1 FROM c;
SELECT columnar_compact('mover_temp');
ROLLBACK;

DROP TABLE mover_small, mover_rows, mover_rows_heap, mover_tids, mover_columns,
           mover_wide, mover_undo, mover_tail,
           mover_temp, mover_unlogged, mover_cancel;
DROP PROCEDURE mover_fill, mover_batches;

-- holes that are each too small for a segment hold it together
CREATE TABLE mover_holes (id int, t text) WITH (autovacuum_enabled = false);
BEGIN;
INSERT INTO mover_holes SELECT g, md5(g::text) FROM generate_series(1, 20000) g;
ROLLBACK;
INSERT INTO mover_holes SELECT g, md5(g::text) FROM generate_series(1, 10000) g;
BEGIN;
INSERT INTO mover_holes SELECT g, md5(g::text) FROM generate_series(1, 20000) g;
ROLLBACK;
INSERT INTO mover_holes SELECT g, md5(g::text) FROM generate_series(10001, 20000) g;
BEGIN;
INSERT INTO mover_holes SELECT g, md5(g::text) FROM generate_series(1, 20000) g;
ROLLBACK;
INSERT INTO mover_holes SELECT g, md5(g::text) FROM generate_series(20001, 30000) g;
VACUUM (TRUNCATE off) mover_holes;
SELECT txid_current() IS NOT NULL;
VACUUM (TRUNCATE off) mover_holes;
SELECT pg_relation_size('mover_holes') AS size_before \gset
INSERT INTO mover_holes SELECT g, md5(g::text) FROM generate_series(30001, 48000) g;
SELECT pg_relation_size('mover_holes') < :size_before * 1.05 AS reused;
SELECT count(*), sum(id), count(DISTINCT t) FROM mover_holes WHERE t = md5(id::text);
SELECT * FROM columnar_verify('mover_holes');
-- and is put together again when the file shrinks
DELETE FROM mover_holes WHERE id <= 30000;
SELECT txid_current() IS NOT NULL;
VACUUM mover_holes;
SELECT txid_current() IS NOT NULL;
VACUUM mover_holes;
SELECT pg_relation_size('mover_holes') < :size_before * 0.8 AS cut;
SELECT count(*), sum(id), count(DISTINCT t) FROM mover_holes WHERE t = md5(id::text);
SELECT * FROM columnar_verify('mover_holes');
