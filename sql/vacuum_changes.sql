--
-- VACUUM, VACUUM FULL and CLUSTER of deleted, updated and locked rows
--
SET default_table_access_method = columnar;

CREATE TABLE vc (id integer PRIMARY KEY, n integer, t text) WITH (autovacuum_enabled = off);
CREATE TABLE vc_child (id integer REFERENCES vc);
CREATE VIEW vc_sum AS
	SELECT count(*) AS rows, count(DISTINCT id) AS ids, sum(id) AS id, sum(n) AS n, sum(length(t)) AS length FROM vc;
CREATE VIEW vc_frozen AS
	SELECT age(relfrozenxid) < 10 AS young, mxid_age(relminmxid) < 10 AS young_multi
	  FROM pg_class WHERE relname = 'vc';
INSERT INTO vc SELECT i, 0, md5(i::text) FROM generate_series(1, 70000) i;

-- deleted and updated rows go, whatever form they are in
DELETE FROM vc WHERE id % 10 = 1;
UPDATE vc SET n = 1 WHERE id % 10 = 2;
UPDATE vc SET n = n + 1 WHERE id % 20 = 2;
UPDATE vc SET id = -id WHERE id = 70000;
VACUUM vc;
SELECT * FROM vc_sum;
SET enable_seqscan = off;
SELECT id, n FROM vc WHERE id IN (1, 2, 11, 12, 21, 22, 42, 69991, 69992, 70000, -70000) ORDER BY id;
RESET enable_seqscan;
SELECT reltuples FROM pg_class WHERE relname = 'vc';
-- columnar only
SELECT * FROM columnar_verify('vc');
-- end
INSERT INTO vc SELECT i, 0, 'again' FROM generate_series(1, 70000, 10) i;
SELECT * FROM vc_sum;

-- what aborted or only locked leaves nothing behind
BEGIN;
DELETE FROM vc WHERE id % 3 = 0;
UPDATE vc SET t = 'lost' WHERE id % 3 = 1;
ROLLBACK;
INSERT INTO vc_child VALUES (4), (1000), (60000);
BEGIN;
SELECT count(*) FROM (SELECT FROM vc WHERE id % 1000 = 0 FOR UPDATE) s;
SAVEPOINT a;
SELECT count(*) FROM (SELECT FROM vc WHERE id % 2000 = 0 FOR KEY SHARE) s;
UPDATE vc SET n = 5 WHERE id % 4000 = 0;
ROLLBACK TO a;
COMMIT;
VACUUM (FREEZE) vc;
SELECT * FROM vc_frozen;
SELECT * FROM vc_sum;
-- columnar only
SELECT * FROM columnar_verify('vc');
-- end

-- index entries of dead rows may be left to another time
DELETE FROM vc WHERE id BETWEEN 30001 AND 31000 AND id % 10 <> 1;
VACUUM (INDEX_CLEANUP off) vc;
SELECT * FROM vc_sum;
INSERT INTO vc SELECT i, 0, 'anew' FROM generate_series(30002, 30010) i;
VACUUM (INDEX_CLEANUP on) vc;
SET enable_seqscan = off;
SELECT id, t FROM vc WHERE id BETWEEN 30001 AND 30021 ORDER BY id;
RESET enable_seqscan;

-- most rows deleted: the space comes back, the others stay
DELETE FROM vc WHERE id % 100 <> 4 AND NOT EXISTS (SELECT FROM vc_child c WHERE c.id = vc.id);
SELECT pg_relation_size('vc') AS before \gset
VACUUM vc;
SELECT txid_current() IS NOT NULL;
VACUUM vc;
SELECT * FROM vc_sum;
-- columnar only
SELECT pg_relation_size('vc') < :before / 2 AS smaller;
SELECT * FROM columnar_verify('vc');
-- end

-- all rows deleted
DELETE FROM vc_child;
DELETE FROM vc;
VACUUM vc;
SELECT txid_current() IS NOT NULL;
VACUUM vc;
SELECT pg_relation_size('vc') <= 10 * 8192 AS truncated, count(*) FROM vc;
-- columnar only
SELECT * FROM columnar_verify('vc');
-- end

-- space of rows that are replaced again and again is used again
INSERT INTO vc SELECT i, 0, md5(i::text) FROM generate_series(1, 20000) i;
VACUUM FULL vc;
SELECT pg_relation_size('vc') AS fresh \gset
CREATE PROCEDURE vc_replace(n integer) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..n LOOP
		UPDATE vc SET n = i WHERE id % 5 = i % 5;
		COMMIT;
	END LOOP;
END $$;
CALL vc_replace(2);
VACUUM vc;
CALL vc_replace(2);
VACUUM vc;
CALL vc_replace(2);
VACUUM vc;
SELECT pg_relation_size('vc') AS before \gset
CALL vc_replace(2);
VACUUM vc;
CALL vc_replace(2);
VACUUM vc;
SELECT pg_relation_size('vc') <= :before * 1.2 AS no_larger;
SELECT * FROM vc_sum;

-- wide values are removed with their rows, and not with an update's old version
ALTER TABLE vc ALTER t SET STORAGE EXTERNAL;
INSERT INTO vc SELECT i, 0, repeat(md5(i::text), 100) FROM generate_series(100001, 100020) i;
UPDATE vc SET n = 7 WHERE id IN (100002, 100003);
UPDATE vc SET t = 'short' WHERE id = 100004;
BEGIN;
UPDATE vc SET n = 8, t = repeat(md5(id::text), 99) WHERE id IN (100005, 100006);
ROLLBACK;
DELETE FROM vc WHERE id = 100007;
VACUUM vc;
VACUUM vc;
SELECT id, n, length(t) FROM vc WHERE id BETWEEN 100001 AND 100008 AND (t = 'short' OR t = repeat(md5(id::text), 100)) ORDER BY id;
-- columnar only
SELECT * FROM columnar_verify('vc');
-- end

-- VACUUM FULL and CLUSTER take rows along that this transaction has changed
BEGIN;
UPDATE vc SET n = 77 WHERE id = 10;
UPDATE vc SET n = 78 WHERE id = 10;
SAVEPOINT a;
UPDATE vc SET n = 79 WHERE id = 11;
ROLLBACK TO a;
DELETE FROM vc WHERE id = 12;
INSERT INTO vc VALUES (-1, 0, 'new');
SELECT id FROM vc WHERE id = 13 FOR UPDATE;
CLUSTER vc USING vc_pkey;
-- columnar only
SELECT * FROM columnar_verify('vc');
-- end
SELECT id, n FROM vc WHERE id IN (-1, 10, 11, 12, 13) ORDER BY id;
UPDATE vc SET n = 80 WHERE id IN (-1, 10, 11, 12, 13);
SELECT id, n FROM vc WHERE id IN (-1, 10, 11, 12, 13) ORDER BY id;
SELECT * FROM vc_sum;
ROLLBACK;
SELECT id, n FROM vc WHERE id IN (-1, 10, 11, 12, 13) ORDER BY id;
BEGIN;
UPDATE vc SET n = 77 WHERE id = 10;
UPDATE vc SET n = 78 WHERE id = 10;
DELETE FROM vc WHERE id = 12;
CLUSTER vc USING vc_pkey;
COMMIT;
SELECT id, n FROM vc WHERE id BETWEEN 9 AND 13 ORDER BY id;
VACUUM FULL vc;
VACUUM (FREEZE) vc;
SELECT * FROM vc_frozen;
SELECT * FROM vc_sum;
-- columnar only
SELECT * FROM columnar_verify('vc');
-- end

DROP VIEW vc_sum, vc_frozen;
DROP TABLE vc_child, vc;
DROP PROCEDURE vc_replace;
