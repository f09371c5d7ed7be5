--
-- Indexes of every method while rows are updated and deleted
--
SET default_table_access_method = columnar;
CREATE EXTENSION amcheck;

CREATE TABLE ic_t (id integer, k integer, t text, ia integer[], b box, p point, r int4range)
	WITH (autovacuum_enabled = off);
INSERT INTO ic_t
SELECT i, i % 100, 't' || i % 500, ARRAY[i % 100, i % 77], box(point(i, i), point(i + 5, i + 5)),
	point(i % 50, i % 30), int4range(i, i + 20)
FROM generate_series(1, 12000) i;
CREATE UNIQUE INDEX ic_id ON ic_t (id) INCLUDE (k);
CREATE INDEX ic_k ON ic_t (k, id);
CREATE INDEX ic_hash ON ic_t USING hash (t);
CREATE INDEX ic_gin ON ic_t USING gin (ia);
CREATE INDEX ic_gist ON ic_t USING gist (b);
CREATE INDEX ic_gist_r ON ic_t USING gist (r);
CREATE INDEX ic_spgist ON ic_t USING spgist (p);
CREATE INDEX ic_expr ON ic_t (lower(t), (k + 1));
CREATE INDEX ic_part ON ic_t (t) WHERE k = 7;

CREATE FUNCTION ic_ask() RETURNS TABLE (question text, answer text) LANGUAGE sql AS $$
	SELECT 'k', count(*) || ' ' || sum(id) FROM ic_t WHERE k = 7
	UNION ALL SELECT 'k range', count(*) || ' ' || sum(id) FROM ic_t WHERE k BETWEEN 10 AND 12
	UNION ALL SELECT 'ids', count(*) || ' ' || sum(k) FROM ic_t WHERE id IN (1, 256, 1024, 1025, 5000, 5001, 12000, 20001)
	UNION ALL SELECT 'id range', count(id) || ' ' || sum(id) FROM ic_t WHERE id BETWEEN 2000 AND 2100
	UNION ALL SELECT 'hash', count(*) || ' ' || sum(id) FROM ic_t WHERE t = 't49'
	UNION ALL SELECT 'expr', count(*) || ' ' || sum(id) FROM ic_t WHERE lower(t) = 't17' AND k + 1 = 18
	UNION ALL SELECT 'part', count(*) || ' ' || min(t) || ' ' || max(t) FROM ic_t WHERE k = 7 AND t > 't2'
	UNION ALL SELECT 'gin', count(*) || ' ' || sum(id) FROM ic_t WHERE ia @> ARRAY[5, 70]
	UNION ALL SELECT 'gist', count(*) || ' ' || sum(id) FROM ic_t WHERE b && box(point(100, 100), point(210, 210))
	UNION ALL SELECT 'spgist', count(*) || ' ' || sum(id) FROM ic_t WHERE p <@ box(point(10, 10), point(12, 12))
	UNION ALL SELECT 'range', count(*) || ' ' || sum(id) FROM ic_t WHERE r @> 3000
	UNION ALL SELECT 'and or', count(*) || ' ' || sum(id) FROM ic_t WHERE (k = 5 AND t = 't5') OR id = 3 OR (k = 8 AND t = 't108')
$$;

-- Answers of an index scan; then who differs from them, by way.
CREATE PROCEDURE ic_check(step text) LANGUAGE plpgsql AS $$
DECLARE
	line record;
BEGIN
	CREATE TEMPORARY TABLE ic_answers (way text, question text, answer text) USING heap;
	SET enable_seqscan = off; SET enable_bitmapscan = off;
	INSERT INTO ic_answers SELECT 'index', * FROM ic_ask();
	SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = on;
	INSERT INTO ic_answers SELECT 'bitmap', * FROM ic_ask();
	SET enable_bitmapscan = off; SET enable_seqscan = on;
	INSERT INTO ic_answers SELECT 'seq', * FROM ic_ask();
	RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan; RESET enable_seqscan;
	FOR line IN
		SELECT question, string_agg(DISTINCT answer, ' or ') AS answers
		FROM ic_answers GROUP BY question ORDER BY question
	LOOP
		RAISE NOTICE '%: %: %', step, line.question, line.answers;
	END LOOP;
	DROP TABLE ic_answers;
END $$;
CREATE FUNCTION ic_sound() RETURNS TABLE (index regclass) LANGUAGE sql AS $$
	SELECT c.oid::regclass FROM pg_class c JOIN pg_am a ON a.oid = c.relam, LATERAL (SELECT bt_index_check(c.oid, true)) x
	WHERE a.amname = 'btree' AND c.relname LIKE 'ic\_%' AND c.relkind = 'i' ORDER BY c.relname
$$;

CALL ic_check('loaded');
UPDATE ic_t SET k = k + 100 WHERE id % 10 = 7;
CALL ic_check('key updated');
UPDATE ic_t SET t = 't49', ia = ARRAY[5, 70], p = point(11, 11) WHERE id % 1000 = 17;
UPDATE ic_t SET b = box(point(150, 150), point(160, 160)), r = int4range(2990, 3010) WHERE id % 1000 = 18;
UPDATE ic_t SET id = id + 20000 WHERE id <= 10;
CALL ic_check('other columns updated');
DELETE FROM ic_t WHERE id % 20 = 5;
CALL ic_check('deleted');
BEGIN;
DELETE FROM ic_t WHERE k < 50;
UPDATE ic_t SET t = 'undone', r = NULL, p = NULL, ia = NULL;
CALL ic_check('before rollback');
ROLLBACK;
CALL ic_check('rolled back');
BEGIN;
SAVEPOINT a;
UPDATE ic_t SET k = 7 WHERE k = 9;
ROLLBACK TO a;
UPDATE ic_t SET k = 8 WHERE k = 9;
SAVEPOINT b;
DELETE FROM ic_t WHERE k = 8 AND id > 6000;
RELEASE b;
COMMIT;
CALL ic_check('subtransactions');
SELECT * FROM ic_sound();

VACUUM ic_t;
CALL ic_check('vacuumed');
UPDATE ic_t SET k = k - 100 WHERE k >= 100;
UPDATE ic_t SET t = upper(t) WHERE id BETWEEN 2000 AND 2050;
CALL ic_check('updated again');
REINDEX TABLE ic_t;
CALL ic_check('reindexed');
DROP INDEX ic_k, ic_gist, ic_hash;
CREATE INDEX CONCURRENTLY ic_k ON ic_t (k, id);
CREATE INDEX CONCURRENTLY ic_gist ON ic_t USING gist (b);
CREATE INDEX CONCURRENTLY ic_hash ON ic_t USING hash (t);
REINDEX INDEX CONCURRENTLY ic_part;
CALL ic_check('built concurrently');
VACUUM (FREEZE) ic_t;
DELETE FROM ic_t WHERE id > 11000;
VACUUM ic_t;
INSERT INTO ic_t SELECT i, i % 100, 't' || i % 500, ARRAY[5, 70], box(point(i, i), point(i, i)),
	point(11, 11), int4range(3000, i)
FROM generate_series(12001, 12100) i;
CALL ic_check('filled again');
SELECT * FROM ic_sound();
-- columnar only
SELECT * FROM columnar_verify('ic_t');
-- end

-- a unique index through swaps, a deferrable one and what it refuses
CREATE TABLE ic_u (id integer PRIMARY KEY, n integer, CONSTRAINT ic_n UNIQUE (n) DEFERRABLE INITIALLY IMMEDIATE)
	WITH (autovacuum_enabled = off);
INSERT INTO ic_u SELECT i, i FROM generate_series(1, 3000) i;
UPDATE ic_u SET n = n + 1;
UPDATE ic_u SET id = id + 1 WHERE id = 3000;
UPDATE ic_u SET id = id + 1 WHERE id = 5;
UPDATE ic_u SET n = 5 WHERE id = 6;
BEGIN;
SET CONSTRAINTS ic_n DEFERRED;
UPDATE ic_u SET n = 10 WHERE id = 20;
UPDATE ic_u SET n = 21 WHERE id = 9;
COMMIT;
BEGIN;
SET CONSTRAINTS ic_n DEFERRED;
UPDATE ic_u SET n = 11 WHERE id = 30;
COMMIT;
DELETE FROM ic_u WHERE id = 100;
INSERT INTO ic_u VALUES (100, 101);
INSERT INTO ic_u VALUES (101, 5000);
INSERT INTO ic_u VALUES (100, 0) ON CONFLICT (id) DO UPDATE SET n = ic_u.n + 10000;
INSERT INTO ic_u SELECT i, -i FROM generate_series(2990, 3010) i ON CONFLICT (id) DO NOTHING;
SELECT count(*), sum(id), sum(n), min(n), max(n) FROM ic_u;
BEGIN;
DELETE FROM ic_u;
INSERT INTO ic_u SELECT i, i FROM generate_series(1, 10) i;
ROLLBACK;
SELECT count(*), sum(id), sum(n) FROM ic_u;
VACUUM ic_u;
UPDATE ic_u SET n = -n;
UPDATE ic_u SET id = id + 10000;
UPDATE ic_u SET id = id - 10000 WHERE id % 2 = 0;
SELECT count(*), sum(id), sum(n) FROM ic_u;
SELECT * FROM ic_sound();
-- columnar only
SELECT * FROM columnar_verify('ic_u');
-- end

-- exclusion constraints
CREATE TABLE ic_x (id integer, r int4range, note text, EXCLUDE USING gist (r WITH &&),
	EXCLUDE USING btree (lower(note) WITH =) WHERE (id > 0) DEFERRABLE);
INSERT INTO ic_x SELECT i, int4range(i * 10, i * 10 + 10), 'n' || i FROM generate_series(1, 200) i;
INSERT INTO ic_x VALUES (300, '[15,16)', 'new');
UPDATE ic_x SET r = int4range(lower(r) + 1, upper(r) + 1) WHERE id = 5;
UPDATE ic_x SET r = int4range(lower(r) + 5000, upper(r) + 5000) WHERE id <= 100;
UPDATE ic_x SET r = '[15,16)' WHERE id = 1;
UPDATE ic_x SET note = 'N7' WHERE id = 8;
UPDATE ic_x SET id = -8, note = 'N7' WHERE id = 8;
UPDATE ic_x SET id = 8 WHERE id = -8;
BEGIN;
SET CONSTRAINTS ALL DEFERRED;
UPDATE ic_x SET note = 'n10' WHERE id = 9;
UPDATE ic_x SET note = 'n9' WHERE id = 10;
COMMIT;
DELETE FROM ic_x WHERE id = 150;
INSERT INTO ic_x VALUES (150, '[1500,1510)', 'N150');
SELECT count(*), sum(id), sum(upper(r)) FROM ic_x;
SELECT id, r, note FROM ic_x WHERE id IN (1, 9, 10, 150, -8) ORDER BY id;

DROP TABLE ic_t, ic_u, ic_x;
DROP PROCEDURE ic_check;
DROP FUNCTION ic_ask, ic_sound;
DROP EXTENSION amcheck;
