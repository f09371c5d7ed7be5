-- Definitions that change while rows of the transaction wait in a buffer.

-- columns that the buffered rows do not have, in row form and in column form
CREATE TABLE ld_t (a int, b text) USING columnar;
CREATE INDEX ON ld_t (a);
BEGIN;
INSERT INTO ld_t SELECT g, 'x' || g FROM generate_series(1, 3000) g;
ALTER TABLE ld_t ADD COLUMN c int DEFAULT 7, ADD COLUMN d text;
SELECT count(*), sum(c), count(d) FROM ld_t;
INSERT INTO ld_t SELECT g, 'y' || g, 8, 'd' FROM generate_series(3001, 15000) g;
ALTER TABLE ld_t ADD COLUMN e numeric DEFAULT 0.5;
ALTER TABLE ld_t DROP COLUMN b;
SELECT count(*), sum(c), count(d), sum(e) FROM ld_t;
COMMIT;
SELECT count(*), sum(c), count(d), sum(e) FROM ld_t;

-- and found by an index
BEGIN;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL columnar.vector_scan = off;
INSERT INTO ld_t SELECT g, 9, 'f' FROM generate_series(20001, 23000) g;
ALTER TABLE ld_t ADD COLUMN f text DEFAULT 'new';
SELECT * FROM ld_t WHERE a = 22999;
COMMIT;
SELECT * FROM columnar_verify('ld_t');
DROP TABLE ld_t;

-- a file that is cut to nothing and keeps its number has a directory no more:
-- each aborted load leaves a group open, so these make many groups
CREATE TEMP TABLE ld_temp (a int) USING columnar ON COMMIT DELETE ROWS;
CREATE PROCEDURE ld_fill(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..n LOOP
		BEGIN
			INSERT INTO ld_temp SELECT g FROM generate_series(1, 1002) g;
			RAISE EXCEPTION 'undo';
		EXCEPTION WHEN raise_exception THEN
		END;
	END LOOP;
	INSERT INTO ld_temp SELECT g FROM generate_series(1, 1002) g;
END $$;
BEGIN;
CALL ld_fill(520);
SELECT count(*) FROM ld_temp;
COMMIT;
BEGIN;
CALL ld_fill(520);
SELECT count(*) FROM ld_temp;
COMMIT;
DROP PROCEDURE ld_fill;
