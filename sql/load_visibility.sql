--
-- Who sees the rows of a load: by command, savepoint, cursor and function
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

CREATE TABLE vis (k int, v text);
CREATE FUNCTION vis_load(first int, n int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO vis SELECT g, 'v' || g FROM generate_series(first, first + n - 1) g;
	RETURN n;
END $$;
CREATE FUNCTION vis_count() RETURNS bigint VOLATILE LANGUAGE sql AS 'SELECT count(*) FROM vis';
CREATE FUNCTION vis_count_stable() RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM vis';

-- later commands of a transaction see earlier ones
BEGIN;
SELECT vis_load(1, 3000);
SELECT count(*), sum(k) FROM vis;
SELECT vis_load(3001, 20000);
SELECT count(*), sum(k) FROM vis;
COMMIT;

-- a command does not see itself; what it calls may
INSERT INTO vis SELECT k + 100000, v FROM vis;
SELECT count(*) FROM vis;
CREATE TABLE vis_seen (n int, volatile_count bigint, stable_count bigint);
INSERT INTO vis_seen SELECT g, vis_count(), vis_count_stable()
  FROM generate_series(1, 3) g;
SELECT volatile_count, stable_count FROM vis_seen ORDER BY n;
TRUNCATE vis;
WITH loaded AS (
	INSERT INTO vis SELECT g, CASE WHEN g % 2500 = 0 THEN vis_count()::text || '/' || vis_count_stable() END
	FROM generate_series(1, 10000) g RETURNING k, v)
SELECT k, v, (SELECT count(*) FROM vis) FROM loaded WHERE v IS NOT NULL ORDER BY k;
SELECT count(*) FROM vis;

-- a function that writes the table that its caller writes
TRUNCATE vis;
INSERT INTO vis SELECT g, vis_load(g * 100000, 3)::text FROM generate_series(1, 1500) g;
SELECT count(*), count(*) FILTER (WHERE v = '3'), sum(k) FROM vis;

-- triggers after each row and after the statement
TRUNCATE vis;
CREATE TABLE vis_log (what text, k int, n bigint);
CREATE FUNCTION vis_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_LEVEL = 'ROW' THEN
		INSERT INTO vis_log SELECT 'row ' || NEW.v, NEW.k, count(*) FROM vis;
	ELSE
		INSERT INTO vis_log SELECT 'statement', count(*), (SELECT count(*) FROM vis) FROM added;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER vis_row AFTER INSERT ON vis FOR EACH ROW
	WHEN (NEW.k % 4000 = 1) EXECUTE FUNCTION vis_trigger();
CREATE TRIGGER vis_statement AFTER INSERT ON vis REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION vis_trigger();
SELECT vis_load(1, 12000);
SELECT * FROM vis_log ORDER BY what, k;
DROP TRIGGER vis_row ON vis;
DROP TRIGGER vis_statement ON vis;

-- cursors keep what they saw
TRUNCATE vis;
BEGIN;
SELECT vis_load(1, 5000);
DECLARE before CURSOR FOR SELECT count(*) FROM vis;
DECLARE held CURSOR WITH HOLD FOR SELECT count(*), max(k) FROM vis;
SELECT vis_load(5001, 5000);
FETCH before;
DECLARE after CURSOR FOR SELECT count(*) FROM vis;
FETCH after;
COMMIT;
FETCH held;
CLOSE held;

-- savepoints
TRUNCATE vis;
BEGIN;
SELECT vis_load(1, 2000);
SAVEPOINT a;
SELECT vis_load(2001, 4000);
SAVEPOINT b;
SELECT vis_load(6001, 8000);
RELEASE b;
SELECT count(*) FROM vis;
ROLLBACK TO a;
SELECT count(*) FROM vis;
SELECT vis_load(2001, 20000);
SAVEPOINT c;
SELECT vis_load(22001, 20000);
RELEASE c;
SAVEPOINT d;
SELECT vis_load(50001, 20000);
ROLLBACK TO d;
COMMIT;
SELECT count(*), sum(k) FROM vis;

-- a block that fails in a loop of blocks
DO $$
BEGIN
	FOR i IN 1..20 LOOP
		BEGIN
			PERFORM vis_load(i * 100000, 1500);
			IF i % 3 = 0 THEN
				RAISE division_by_zero;
			END IF;
		EXCEPTION WHEN division_by_zero THEN NULL;
		END;
	END LOOP;
END $$;
SELECT count(*), count(DISTINCT k / 100000) FROM vis;

-- the table comes back with the savepoint
BEGIN;
SELECT vis_load(-5000, 5000);
SAVEPOINT s;
DROP TABLE vis;
ROLLBACK TO s;
SELECT count(*) FROM vis WHERE k < 0;
SELECT vis_load(-20000, 10000);
SAVEPOINT s;
TRUNCATE vis;
SELECT vis_load(1, 7000);
SELECT count(*) FROM vis;
ROLLBACK TO s;
COMMIT;
SELECT count(*) FROM vis WHERE k < 0;

-- INSERT, TRUNCATE, INSERT, also in a table of this transaction
BEGIN;
SELECT vis_load(1, 7000);
TRUNCATE vis;
SELECT vis_load(1, 3000);
COMMIT;
SELECT count(*) FROM vis;
BEGIN;
CREATE TABLE vis_new (a int);
INSERT INTO vis_new SELECT generate_series(1, 30000);
TRUNCATE vis_new;
INSERT INTO vis_new SELECT generate_series(1, 3000);
TRUNCATE vis_new;
INSERT INTO vis_new SELECT generate_series(1, 4000);
COMMIT;
SELECT count(*), sum(a) FROM vis_new;

-- frozen by COPY
BEGIN;
TRUNCATE vis_new;
COPY vis_new FROM PROGRAM 'seq 30000' (FREEZE);
COMMIT;
SELECT count(*), sum(a) FROM vis_new;

-- columnar only
SELECT c.relname, v.* FROM pg_class c JOIN pg_am a ON a.oid = c.relam,
       LATERAL columnar_verify(c.oid) v
 WHERE a.amname = 'columnar';
-- end
DROP FUNCTION vis_load, vis_count, vis_count_stable, vis_trigger CASCADE;
DROP TABLE vis, vis_new, vis_seen, vis_log;
