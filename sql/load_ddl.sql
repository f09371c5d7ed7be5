--
-- Loads and definition changes in one transaction
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;
SET allow_in_place_tablespaces = true;
CREATE TABLESPACE regress_columnar_space LOCATION '';
SET max_parallel_maintenance_workers = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;

-- each statement after an INSERT needs rows that wait in memory until then
CREATE TABLE load_ddl (a int, b text);
CREATE PROCEDURE load_more(first int, last int) LANGUAGE sql AS
	$$ INSERT INTO load_ddl SELECT g, 'x' || g FROM generate_series(first, last) g $$;
CALL load_more(1, 100000);
BEGIN;
CALL load_more(100001, 130000);
CREATE INDEX load_ddl_a ON load_ddl (a);
CALL load_more(130001, 160000);
SELECT count(*) FROM load_ddl;
CALL load_more(160001, 190000);
SET LOCAL enable_seqscan = off;
SELECT count(*) FROM load_ddl WHERE a > 150000;
RESET enable_seqscan;
CALL load_more(190001, 220000);
ALTER TABLE load_ddl SET TABLESPACE regress_columnar_space;
CALL load_more(220001, 250000);
REINDEX TABLE load_ddl;
SELECT count(*), sum(a) FROM load_ddl;
CALL load_more(250001, 280000);
ALTER TABLE load_ddl ADD CHECK (a > 0);
CALL load_more(280001, 300000);
CREATE UNIQUE INDEX ON load_ddl (a);
CALL load_more(300001, 310000);
CREATE TABLE load_ddl_even AS SELECT * FROM load_ddl WHERE a % 2 = 0;
INSERT INTO load_ddl SELECT a + 1000000, b FROM load_ddl;
SAVEPOINT s;
ALTER TABLE load_ddl SET TABLESPACE pg_default;
CALL load_more(310001, 320000);
ROLLBACK TO s;
SELECT count(*), sum(a) FROM load_ddl;
CALL load_more(320001, 325000);
ALTER TABLE load_ddl SET ACCESS METHOD heap;
CALL load_more(325001, 327000);
ALTER TABLE load_ddl ALTER b TYPE varchar(20);
COMMIT;
SELECT count(*), sum(a), count(DISTINCT b), (SELECT count(*) FROM load_ddl_even) FROM load_ddl;

-- the last row of a load filled the memory, so nothing is buffered any more
SET columnar.load_buffer_size = '1MB';
CREATE TABLE load_ddl_gone AS
SELECT g, CASE WHEN g = 1100 THEN repeat('x', 2000000) END AS wide FROM generate_series(1, 1100) g;
BEGIN;
INSERT INTO load_ddl_gone SELECT * FROM load_ddl_gone ORDER BY g;
TRUNCATE load_ddl_gone;
INSERT INTO load_ddl_gone SELECT g, CASE WHEN g = 1100 THEN repeat('x', 2000000) END FROM generate_series(1, 1100) g;
COMMIT;
SELECT count(*), sum(length(wide)) FROM load_ddl_gone;
BEGIN;
INSERT INTO load_ddl_gone SELECT * FROM load_ddl_gone ORDER BY g;
DROP TABLE load_ddl_gone;
COMMIT;
RESET columnar.load_buffer_size;

-- columnar only
SELECT c.relname, v.* FROM pg_class c JOIN pg_am a ON a.oid = c.relam,
       LATERAL columnar_verify(c.oid) v
 WHERE a.amname = 'columnar';
-- end

DROP PROCEDURE load_more;
DROP TABLE load_ddl, load_ddl_even;
DROP TABLESPACE regress_columnar_space;

-- rows of a transaction that was rolled back have the columns that it added
CREATE TABLE ddl_undone (a int, b text);
INSERT INTO ddl_undone VALUES (1, 'x');
BEGIN;
ALTER TABLE ddl_undone DROP b, ADD c int, ADD d text;
INSERT INTO ddl_undone SELECT i, -i, 'd' FROM generate_series(1, 20) i;
INSERT INTO ddl_undone SELECT i, -i, 'd' FROM generate_series(1, 3000) i;
ROLLBACK;
SELECT * FROM ddl_undone;
-- columnar only
SELECT * FROM columnar_verify('ddl_undone');
-- end
ALTER TABLE ddl_undone ADD c text;
INSERT INTO ddl_undone VALUES (2, 'y', 'c');
SELECT * FROM ddl_undone ORDER BY a;
-- columnar only
SELECT * FROM columnar_verify('ddl_undone');
-- end
VACUUM ddl_undone;
SELECT * FROM ddl_undone ORDER BY a;
-- columnar only
SELECT * FROM columnar_verify('ddl_undone');
-- end
DROP TABLE ddl_undone;
