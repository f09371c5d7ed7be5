--
-- Row headers: few and many rows of column-form segments deleted and locked
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

CREATE TABLE headed (id int, g int, note text);
CREATE INDEX headed_id ON headed (id);
INSERT INTO headed SELECT i, i % 100, 'row ' || i FROM generate_series(1, 200000) i;
VACUUM headed;
CREATE VIEW headed_sum AS SELECT count(*), sum(id), count(DISTINCT g) AS groups FROM headed;
CREATE TABLE size_before AS SELECT pg_relation_size('headed') AS bytes;

-- one row, seen as before by whoever rolls back
BEGIN;
DELETE FROM headed WHERE id = 70000;
SELECT * FROM headed_sum;
ROLLBACK;
SELECT * FROM headed_sum;
DELETE FROM headed WHERE id = 70000;
SELECT * FROM headed_sum;
SELECT id FROM headed WHERE id BETWEEN 69999 AND 70001 ORDER BY id;

-- nobody deletes it again
DELETE FROM headed WHERE id = 70000;
SELECT id FROM headed WHERE id BETWEEN 69999 AND 70001 ORDER BY id FOR UPDATE;

-- scattered rows share pages, which belong to the group or to part of it
DELETE FROM headed WHERE g = 7;
SELECT * FROM headed_sum;
-- columnar only
SELECT pg_relation_size('headed') - bytes <= 24 * 8192 AS small FROM size_before;
SELECT * FROM columnar_verify('headed');
-- end

-- rows that lie together, within a vector and across groups
DELETE FROM headed WHERE id BETWEEN 1500 AND 1520;
DELETE FROM headed WHERE id BETWEEN 60000 AND 72000;
SELECT * FROM headed_sum;
BEGIN;
SAVEPOINT s;
DELETE FROM headed WHERE id BETWEEN 100000 AND 110000;
SELECT * FROM headed_sum;
ROLLBACK TO s;
SELECT * FROM headed_sum;
SELECT count(*) FROM (SELECT FROM headed WHERE id BETWEEN 100000 AND 101000 FOR SHARE) l;
COMMIT;
-- columnar only
SELECT * FROM columnar_verify('headed');
-- end

-- many scattered rows: TID blocks get pages of their own
DELETE FROM headed WHERE g % 10 IN (3, 4, 5);
SELECT * FROM headed_sum;
SET enable_seqscan = off;
SELECT id FROM headed WHERE id BETWEEN 150000 AND 150020 ORDER BY id;
RESET enable_seqscan;
-- columnar only
SELECT * FROM columnar_verify('headed');
-- end

-- VACUUM removes the headers, and others come
VACUUM headed;
SELECT * FROM headed_sum;
DELETE FROM headed WHERE g IN (11, 12);
SELECT * FROM headed_sum;
-- columnar only
SELECT * FROM columnar_verify('headed');
-- end
VACUUM headed;
SELECT * FROM headed_sum;

-- locks leave headers that say nothing
BEGIN;
SELECT count(*) FROM (SELECT FROM headed WHERE g = 20 FOR KEY SHARE) l;
COMMIT;
SELECT * FROM headed_sum;
-- columnar only
SELECT * FROM columnar_verify('headed');
-- end
VACUUM headed;
SELECT * FROM headed_sum;

-- rows of this transaction
BEGIN;
INSERT INTO headed SELECT i, 200, 'mine' FROM generate_series(200001, 230000) i;
DELETE FROM headed WHERE g = 200 AND id % 3 = 0;
SELECT count(*) FROM headed WHERE g = 200;
ROLLBACK;
SELECT * FROM headed_sum;
-- columnar only
SELECT * FROM columnar_verify('headed');
-- end
VACUUM headed;

-- all rows
DELETE FROM headed;
SELECT * FROM headed_sum;
-- columnar only
SELECT * FROM columnar_verify('headed');
-- end
VACUUM headed;
SELECT * FROM headed_sum;
-- columnar only
SELECT * FROM columnar_verify('headed');
SELECT pg_relation_size('headed') <= bytes AS small FROM size_before;
-- end
INSERT INTO headed SELECT i, i % 100, 'new' FROM generate_series(1, 30000) i;
DELETE FROM headed WHERE id % 2 = 0;
SELECT * FROM headed_sum;

DROP VIEW headed_sum;
DROP TABLE headed, size_before;
