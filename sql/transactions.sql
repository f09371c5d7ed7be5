--
-- Who sees what: commands, subtransactions, cursors, functions
--
SET default_table_access_method = columnar;

CREATE TABLE tx_t (id integer, note text);

-- rollback of few and of many rows
BEGIN;
INSERT INTO tx_t VALUES (1, 'gone');
INSERT INTO tx_t SELECT i, 'gone' FROM generate_series(2, 20000) i;
SELECT count(*) FROM tx_t;
ROLLBACK;
SELECT count(*) FROM tx_t;

-- savepoints
BEGIN;
INSERT INTO tx_t SELECT i, 'outer' FROM generate_series(1, 10000) i;
SAVEPOINT a;
INSERT INTO tx_t SELECT i, 'a' FROM generate_series(10001, 30000) i;
SAVEPOINT b;
INSERT INTO tx_t SELECT i, 'b' FROM generate_series(30001, 50000) i;
SELECT note, count(*) FROM tx_t GROUP BY note ORDER BY note;
ROLLBACK TO b;
INSERT INTO tx_t SELECT i, 'b2' FROM generate_series(30001, 40000) i;
RELEASE a;
SAVEPOINT c;
INSERT INTO tx_t VALUES (0, 'c');
ROLLBACK TO c;
SELECT note, count(*), min(id), max(id) FROM tx_t GROUP BY note ORDER BY note;
COMMIT;
SELECT note, count(*), min(id), max(id) FROM tx_t GROUP BY note ORDER BY note;

-- exception blocks are subtransactions
DO $$
BEGIN
	FOR i IN 1..20 LOOP
		BEGIN
			INSERT INTO tx_t SELECT j, 'block ' || i % 2 FROM generate_series(1, 500) j;
			IF i % 2 = 0 THEN
				PERFORM 1 / 0;
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT note, count(*) FROM tx_t WHERE note LIKE 'block%' GROUP BY note;

-- a command does not see its own rows, the next one does
TRUNCATE tx_t;
INSERT INTO tx_t SELECT i, 'first' FROM generate_series(1, 12000) i;
INSERT INTO tx_t SELECT id + 12000, 'second' FROM tx_t;
BEGIN;
INSERT INTO tx_t SELECT id + 24000, 'third' FROM tx_t;
INSERT INTO tx_t SELECT id + 48000, 'fourth' FROM tx_t;
SELECT note, count(*), sum(id) FROM tx_t GROUP BY note ORDER BY note;
COMMIT;

-- volatile functions see the rows of the command that calls them; stable ones do not
CREATE FUNCTION tx_count_volatile() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT count(*) FROM tx_t';
CREATE FUNCTION tx_count_stable() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM tx_t';
TRUNCATE tx_t;
INSERT INTO tx_t SELECT i, tx_count_stable()::text FROM generate_series(1, 3000) i;
SELECT min(note), max(note), count(*) FROM tx_t;
CREATE FUNCTION tx_insert(n integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO tx_t VALUES (n, 'nested');
	RETURN (SELECT count(*) FROM tx_t);
END $$;
SELECT i, tx_insert(i), tx_count_volatile() FROM generate_series(1, 3) i;
INSERT INTO tx_t SELECT tx_insert(i), 'outer' FROM generate_series(1, 3) i;
SELECT note, count(*), sum(id) FROM tx_t WHERE note IN ('nested', 'outer') GROUP BY note ORDER BY note;

-- cursors keep what they saw
BEGIN;
DECLARE before CURSOR FOR SELECT count(*) OVER (), id FROM tx_t ORDER BY id DESC;
DECLARE held CURSOR WITH HOLD FOR SELECT count(*) FROM tx_t;
INSERT INTO tx_t SELECT i, 'after' FROM generate_series(1000001, 1010000) i;
FETCH 1 FROM before;
DECLARE scroller SCROLL CURSOR FOR SELECT id FROM tx_t WHERE note = 'after' ORDER BY id;
FETCH LAST FROM scroller;
FETCH PRIOR FROM scroller;
FETCH ABSOLUTE 2 FROM scroller;
FETCH BACKWARD 2 FROM scroller;
FETCH FIRST FROM scroller;
COMMIT;
FETCH held;
CLOSE held;
BEGIN;
DECLARE plain SCROLL CURSOR FOR SELECT note FROM tx_t WHERE id = 1000005;
FETCH 2 FROM plain;
FETCH BACKWARD 2 FROM plain;
MOVE FORWARD ALL FROM plain;
COMMIT;

-- truncation and creation in one transaction with loads
BEGIN;
INSERT INTO tx_t VALUES (1, 'lost');
TRUNCATE tx_t;
INSERT INTO tx_t SELECT i, 'kept' FROM generate_series(1, 9000) i;
SAVEPOINT s;
TRUNCATE tx_t;
INSERT INTO tx_t VALUES (1, 'lost');
ROLLBACK TO s;
INSERT INTO tx_t VALUES (2, 'kept');
COMMIT;
SELECT note, count(*) FROM tx_t GROUP BY note;
BEGIN;
CREATE TABLE tx_new (a integer);
INSERT INTO tx_new SELECT generate_series(1, 10000);
SAVEPOINT s;
INSERT INTO tx_new SELECT generate_series(1, 10000);
ROLLBACK TO s;
ALTER TABLE tx_new ADD COLUMN b integer DEFAULT 7;
INSERT INTO tx_new VALUES (0, 8);
COMMIT;
SELECT b, count(*), sum(a) FROM tx_new GROUP BY b ORDER BY b;
BEGIN;
CREATE TABLE tx_never AS SELECT i FROM generate_series(1, 10000) i;
ROLLBACK;

-- repeatable read within a session, read only
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM tx_new;
INSERT INTO tx_new VALUES (1, 1);
SELECT count(*) FROM tx_new;
ROLLBACK;
BEGIN READ ONLY;
INSERT INTO tx_new VALUES (1, 1);
ROLLBACK;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname IN ('tx_t', 'tx_new');
-- end
DROP TABLE tx_t, tx_new;
DROP FUNCTION tx_count_volatile, tx_count_stable, tx_insert;
