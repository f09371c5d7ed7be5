--
-- Deleted, updated and locked rows, as every kind of scan sees them
--
SET default_table_access_method = columnar;

-- one group: a column-form segment, a row-form one, a column-form one
CREATE TABLE ch_t (id integer, k integer, t text);
SET columnar.row_form_rows = 0;
INSERT INTO ch_t SELECT i, i % 100, 'text ' || i FROM generate_series(1, 5000) i;
RESET columnar.row_form_rows;
INSERT INTO ch_t SELECT i, i % 100, 'text ' || i FROM generate_series(5001, 5800) i;
SET columnar.row_form_rows = 0;
INSERT INTO ch_t SELECT i, i % 100, 'text ' || i FROM generate_series(5801, 9000) i;
RESET columnar.row_form_rows;
CREATE INDEX ch_id ON ch_t (id);
CREATE INDEX ch_k ON ch_t (k);
ANALYZE ch_t;

-- what is to be seen, through each kind of scan; all answers must be the same
CREATE TABLE ch_settings (kind text, setting text, value text);
INSERT INTO ch_settings VALUES
	('seq', 'enable_indexscan', 'off'), ('seq', 'enable_bitmapscan', 'off'),
	('row', 'enable_indexscan', 'off'), ('row', 'enable_bitmapscan', 'off'),
	('index', 'enable_seqscan', 'off'), ('index', 'enable_bitmapscan', 'off'),
	('bitmap', 'enable_seqscan', 'off'), ('bitmap', 'enable_indexscan', 'off');
CREATE FUNCTION ch_see() RETURNS TABLE (n bigint, ids numeric, ks numeric, lo integer, hi integer, k7 bigint, texts text)
LANGUAGE plpgsql AS $$
DECLARE
	kind_now text;
	s ch_settings;
	result record;
	first_result record;
BEGIN
	FOREACH kind_now IN ARRAY ARRAY['seq', 'row', 'index', 'bitmap'] LOOP
		FOR s IN SELECT * FROM ch_settings x WHERE x.kind = kind_now LOOP
			PERFORM set_config(s.setting, s.value, true);
		END LOOP;
		PERFORM set_config('columnar.vector_scan', CASE kind_now WHEN 'row' THEN 'off' ELSE 'on' END, true);
		EXECUTE $q$SELECT count(*), sum(id)::numeric ids, sum(k)::numeric ks, min(id), max(id),
			(SELECT count(*) FROM ch_t WHERE k = 7) k7,
			(SELECT string_agg(t, ',' ORDER BY t, id) FROM ch_t WHERE id IN (1, 2, 3, 100, 5100, 5101, 8000, 9000, 10002)) t
			FROM ch_t WHERE id > 0$q$ INTO result;
		first_result := coalesce(first_result, result);
		IF result IS DISTINCT FROM first_result THEN
			RAISE WARNING '% scan sees %', kind_now, result;
		END IF;
		FOR s IN SELECT * FROM ch_settings x WHERE x.kind = kind_now LOOP
			PERFORM set_config(s.setting, 'on', true);
		END LOOP;
	END LOOP;
	RETURN QUERY SELECT first_result.count, first_result.ids, first_result.ks, first_result.min,
		first_result.max, first_result.k7, first_result.t;
END $$;
SELECT * FROM ch_see();

-- deletes of all forms; a rollback takes them back
BEGIN;
DELETE FROM ch_t WHERE id IN (1, 3, 5100, 8000, 9000);
SELECT * FROM ch_see();
ROLLBACK;
SELECT * FROM ch_see();
DELETE FROM ch_t WHERE id IN (1, 3, 5100, 8000, 9000);
SELECT * FROM ch_see();
DELETE FROM ch_t WHERE id IN (1, 3, 5100, 8000, 9000);
SELECT count(*), min(id), max(id) FROM ch_t;

-- updates, with and without a change of indexed columns, also of new versions
UPDATE ch_t SET t = t || '!' WHERE id IN (2, 100, 5101);
UPDATE ch_t SET k = k + 7 WHERE id % 100 = 0;
UPDATE ch_t SET id = id + 10000 WHERE id = 2;
UPDATE ch_t SET t = t || '?' WHERE id IN (100, 10002);
SELECT * FROM ch_see();

-- savepoints
BEGIN;
DELETE FROM ch_t WHERE id BETWEEN 4000 AND 4099;
SAVEPOINT a;
DELETE FROM ch_t WHERE id BETWEEN 4100 AND 4199;
UPDATE ch_t SET t = 'changed' WHERE id = 100;
SELECT * FROM ch_see();
ROLLBACK TO a;
SELECT * FROM ch_see();
UPDATE ch_t SET t = 'changed again' WHERE id = 100;
SAVEPOINT b;
DELETE FROM ch_t WHERE id = 100;
RELEASE b;
SELECT * FROM ch_see();
COMMIT;
SELECT * FROM ch_see();

-- commands do not see their own changes, nor do cursors see later ones
BEGIN;
DECLARE before SCROLL CURSOR FOR SELECT id, k, t FROM ch_t WHERE id BETWEEN 4990 AND 5010 ORDER BY id;
DECLARE before_too CURSOR FOR SELECT count(*), sum(id) FROM ch_t;
FETCH 3 FROM before;
UPDATE ch_t SET t = 'later' WHERE id BETWEEN 4990 AND 5010;
DELETE FROM ch_t WHERE id > 5000;
FETCH 2 FROM before;
FETCH BACKWARD 3 FROM before;
FETCH LAST FROM before;
FETCH FROM before_too;
SELECT count(*), sum(id), count(*) FILTER (WHERE t = 'later') FROM ch_t;
ROLLBACK;
SET enable_seqscan = off;
UPDATE ch_t SET k = k + 1 WHERE k >= 0;
RESET enable_seqscan;
SELECT * FROM ch_see();
WITH gone AS (DELETE FROM ch_t WHERE id % 50 = 1 RETURNING id)
	SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM ch_t);
CREATE FUNCTION ch_count(id_now integer) RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM ch_t WHERE id <= id_now';
CREATE FUNCTION ch_count_now(id_now integer) RETURNS bigint VOLATILE LANGUAGE sql AS 'SELECT count(*) FROM ch_t WHERE id <= id_now';
DELETE FROM ch_t WHERE id BETWEEN 2002 AND 2006 RETURNING id, ch_count(id), ch_count_now(2010) - ch_count(2010) AS later;

-- cursors: scrolling over changed rows, and changing where they are
BEGIN;
DECLARE walk SCROLL CURSOR FOR SELECT id FROM ch_t WHERE id % 200 IN (0, 1, 99);
MOVE FORWARD ALL IN walk;
CREATE TEMP TABLE ch_walk (id integer) USING heap;
DO $$
DECLARE
	walk refcursor := 'walk';
	n integer := 0;
	total bigint := 0;
	id integer;
BEGIN
	LOOP
		FETCH PRIOR FROM walk INTO id;
		EXIT WHEN NOT FOUND;
		n := n + 1; total := total + id;
	END LOOP;
	RAISE NOTICE 'backward: % rows, sum %', n, total;
END $$;
SELECT count(*), sum(id) FROM ch_t WHERE id % 200 IN (0, 1, 99);
DECLARE here CURSOR FOR SELECT id FROM ch_t WHERE id IN (10, 20, 5200, 8500) FOR UPDATE;
FETCH here;
UPDATE ch_t SET t = 'here' WHERE CURRENT OF here;
FETCH here;
DELETE FROM ch_t WHERE CURRENT OF here;
FETCH here;
UPDATE ch_t SET t = 'here' WHERE CURRENT OF here;
FETCH here;
DELETE FROM ch_t WHERE CURRENT OF here;
DELETE FROM ch_t WHERE CURRENT OF here;
SELECT id, t FROM ch_t WHERE id IN (10, 20, 5200, 8500) ORDER BY id;
COMMIT;

-- by TID, also of a row whose number is known from before
CREATE TEMP TABLE ch_tids USING heap AS SELECT id, ctid AS tid FROM ch_t WHERE id IN (30, 31, 5300, 5302, 8600, 8602);
DELETE FROM ch_t WHERE id IN (30, 5300, 8600);
SELECT id, (SELECT k FROM ch_t WHERE ctid = tid) FROM ch_tids ORDER BY id;
SELECT count(*) FROM ch_t JOIN ch_tids ON ch_t.ctid = tid;
SELECT count(*), sum(id) FROM ch_t WHERE ctid = ANY (ARRAY(SELECT tid FROM ch_tids));
SELECT count(*) = (SELECT count(*) FROM ch_t) FROM ch_t WHERE ctid >= '(0,0)' AND ctid < '(4294967294,0)';

-- samples
SELECT count(*) = (SELECT count(*) FROM ch_t) FROM ch_t TABLESAMPLE SYSTEM (100);
SELECT count(*) = (SELECT count(*) FROM ch_t), sum(id) = (SELECT sum(id) FROM ch_t) FROM ch_t TABLESAMPLE BERNOULLI (100);

-- in parallel; workers know the combo command ids
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*), sum(id), min(k), max(t) FROM ch_t;
BEGIN;
INSERT INTO ch_t SELECT i, 0, 'new' FROM generate_series(20001, 20100) i;
DELETE FROM ch_t WHERE id % 2 = 0;
SELECT count(*), sum(id), min(k), max(t) FROM ch_t;
ROLLBACK;
SELECT count(*), sum(id), min(k), max(t) FROM ch_t;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- system columns, of changed and of locked rows
CREATE TABLE ch_xid (xid text) USING heap;
CREATE TABLE ch_sys (id integer, v integer);
SET columnar.row_form_rows = 0;
BEGIN;
INSERT INTO ch_xid SELECT pg_current_xact_id()::xid::text;
INSERT INTO ch_sys SELECT i, 0 FROM generate_series(1, 4) i;
COMMIT;
RESET columnar.row_form_rows;
SELECT id, s.xmin::text = xid AS xmin, s.xmax, s.cmin, s.cmax, s.tableoid::regclass FROM ch_sys s, ch_xid ORDER BY id;
BEGIN;
SELECT id FROM ch_sys WHERE id = 1 FOR UPDATE;
SELECT id FROM ch_sys WHERE id = 2 FOR KEY SHARE;
UPDATE ch_sys SET v = 1 WHERE id = 3;
SELECT id, s.xmin::text = xid AS xmin, s.xmax = pg_current_xact_id()::xid AS xmax, s.cmin, s.cmax FROM ch_sys s, ch_xid ORDER BY id;
SAVEPOINT a;
DELETE FROM ch_sys WHERE id = 4;
ROLLBACK TO a;
SELECT id, s.xmin::text = xid AS xmin, s.xmax::text = '0' AS unlocked FROM ch_sys s, ch_xid ORDER BY id;
CREATE INDEX ch_sys_id ON ch_sys (id);
SET enable_seqscan = off;
SELECT id, s.xmin::text = xid AS xmin, s.xmax::text = '0' AS unlocked FROM ch_sys s, ch_xid WHERE id > 0 ORDER BY id;
RESET enable_seqscan;
COMMIT;
SELECT id, v, cmin FROM ch_sys ORDER BY id;
BEGIN;
DELETE FROM ch_sys WHERE id = 1;
DECLARE gone CURSOR FOR SELECT id, cmin, cmax FROM ch_sys WHERE id <= 2 ORDER BY id;
DELETE FROM ch_sys WHERE id = 2;
FETCH ALL FROM gone;
ROLLBACK;

-- indexes made after the changes, and while old snapshots are about
CREATE INDEX ch_late ON ch_t (id, t);
SET enable_seqscan = off;
SELECT count(*), sum(id) FROM ch_t WHERE id > 0;
RESET enable_seqscan;
BEGIN;
DELETE FROM ch_t WHERE id BETWEEN 3000 AND 3099;
UPDATE ch_t SET t = 'updated' WHERE id BETWEEN 3100 AND 3199;
CREATE UNIQUE INDEX ch_own ON ch_t (id) WHERE id < 10000;
SET LOCAL enable_seqscan = off;
SELECT count(*), sum(id), count(*) FILTER (WHERE t = 'updated') FROM ch_t WHERE id < 10000;
ROLLBACK;
CREATE TABLE ch_dup (id integer);
SET columnar.row_form_rows = 0;
INSERT INTO ch_dup SELECT i FROM generate_series(1, 10) i;
RESET columnar.row_form_rows;
INSERT INTO ch_dup VALUES (2);
CREATE UNIQUE INDEX ch_dup_id ON ch_dup (id);
DELETE FROM ch_dup WHERE ctid IN (SELECT min(ctid) FROM ch_dup GROUP BY id HAVING count(*) > 1);
CREATE UNIQUE INDEX ch_dup_id ON ch_dup (id);
INSERT INTO ch_dup VALUES (2);
DELETE FROM ch_dup WHERE id = 2;
INSERT INTO ch_dup VALUES (2);
SELECT count(*), sum(id) FROM ch_dup;

-- whole vectors and a whole group
DELETE FROM ch_t WHERE id BETWEEN 1025 AND 3500;
SELECT * FROM ch_see();
DELETE FROM ch_t;
SELECT * FROM ch_see();
INSERT INTO ch_t VALUES (1, 1, 'one');
SELECT * FROM ch_see();

-- columnar only
-- only the group with deleted rows is dearer: the others' vectors are skipped
SET columnar.row_form_rows = 0;
CREATE TABLE ch_big (id integer, v integer);
INSERT INTO ch_big SELECT i, i % 10 FROM generate_series(1, 200000) i;
DELETE FROM ch_big WHERE id IN (5, 70000, 199999);
SELECT count(*), sum(id), sum(v), min(id), max(id) FROM ch_big;
CREATE FUNCTION ch_counters(query text) RETURNS TABLE (counter text, n bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || query INTO plan;
	RETURN QUERY SELECT x[1], x[2]::bigint FROM regexp_matches(plan::text,
		'"(Columnar \w+ Skipped|Rows Removed by Vector Filter)": (\d+)', 'g') x;
END $$;
SELECT * FROM ch_counters('SELECT * FROM ch_big WHERE id < 1000');
SELECT * FROM ch_counters('SELECT * FROM ch_big WHERE id > 199000 AND v = 9');
DROP FUNCTION ch_counters;
SELECT count(*) FROM ch_big WHERE id < 1000;
SELECT count(*) FROM ch_big WHERE id > 199000 AND v = 9;
ANALYZE ch_big;
SELECT reltuples FROM pg_class WHERE relname = 'ch_big';
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname IN ('ch_t', 'ch_sys', 'ch_dup', 'ch_big');
DROP TABLE ch_big;
-- end

DROP TABLE ch_t, ch_settings, ch_xid, ch_sys, ch_dup;
DROP FUNCTION ch_see, ch_count, ch_count_now;
