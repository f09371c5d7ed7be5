--
-- Changes of a table's definition
--
SET default_table_access_method = columnar;

CREATE TABLE al_t (id integer PRIMARY KEY, a integer, b text);
INSERT INTO al_t SELECT i, i % 10, 'b' || i FROM generate_series(1, 20000) i;

-- columns added: without and with a default, volatile, generated, identity, not null
ALTER TABLE al_t ADD COLUMN c integer;
ALTER TABLE al_t ADD COLUMN d text DEFAULT 'dee';
ALTER TABLE al_t ADD COLUMN e integer NOT NULL DEFAULT 5, ADD COLUMN f numeric DEFAULT 1.50;
INSERT INTO al_t (id, a, c) SELECT i, i % 10, i FROM generate_series(20001, 40000) i;
SELECT count(*), count(c), sum(c), count(d), sum(e), sum(f) FROM al_t;
SELECT * FROM al_t WHERE id IN (1, 20000, 20001) ORDER BY id;
ALTER TABLE al_t ALTER COLUMN d SET DEFAULT 'new', ALTER COLUMN e DROP DEFAULT;
INSERT INTO al_t (id, e) VALUES (40001, 6);
SELECT d, count(*) FROM al_t GROUP BY d ORDER BY d;
SELECT count(*) FROM al_t WHERE e = 5;
SELECT count(*) FROM al_t WHERE c IS NULL;
CREATE SEQUENCE al_seq;
ALTER TABLE al_t ADD COLUMN g bigint DEFAULT nextval('al_seq');
SELECT count(DISTINCT g), min(g), max(g) FROM al_t;
ALTER TABLE al_t ADD COLUMN h integer GENERATED ALWAYS AS (id * 2) STORED;
ALTER TABLE al_t ADD COLUMN i integer GENERATED ALWAYS AS IDENTITY;
SELECT sum(h), count(DISTINCT i) FROM al_t;

-- columns dropped, in front and behind; the name used again
ALTER TABLE al_t DROP COLUMN a;
ALTER TABLE al_t DROP COLUMN i, DROP COLUMN h, DROP COLUMN g;
INSERT INTO al_t (id, b, e) SELECT i, 'after', 7 FROM generate_series(50001, 60000) i;
ALTER TABLE al_t ADD COLUMN a text DEFAULT 'back';
SELECT * FROM al_t WHERE id IN (1, 20001, 50001) ORDER BY id;
SELECT count(*), count(a), min(a), count(b), sum(f) FROM al_t;

-- types: without a rewrite, with one, with USING
CREATE TABLE al_type (id integer, v varchar(10), n integer, ts timestamp, num numeric(10,2), big bigint);
INSERT INTO al_type SELECT i, 'v' || i % 500, i % 100, '2000-01-01'::timestamp + i * '1 hour'::interval, i / 8.0, i
FROM generate_series(1, 20000) i;
CREATE INDEX al_type_v ON al_type (v);
CREATE INDEX al_type_n ON al_type (n);
ALTER TABLE al_type ALTER v TYPE varchar(40);
ALTER TABLE al_type ALTER v TYPE text;
ALTER TABLE al_type ALTER v TYPE text COLLATE "C";
SELECT count(*), min(v), max(v) FROM al_type WHERE v >= 'v4';
ALTER TABLE al_type ALTER n TYPE oid USING n::oid;
SELECT count(*), min(n), max(n) FROM al_type WHERE n = 17;
ALTER TABLE al_type ALTER n TYPE bigint, ALTER num TYPE numeric(12,4), ALTER big TYPE integer;
SELECT count(*), sum(n), sum(num), sum(big) FROM al_type WHERE n = 17;
SET timezone = 'UTC';
ALTER TABLE al_type ALTER ts TYPE timestamptz;
SELECT count(*), min(ts) FROM al_type WHERE ts >= '2001-01-01';
RESET timezone;
ALTER TABLE al_type ALTER n TYPE text USING 'n' || n;
SELECT count(*), min(n), max(n) FROM al_type WHERE n = 'n17';
ALTER TABLE al_type ALTER id TYPE smallint USING id + 30000;
ALTER TABLE al_type ALTER id SET NOT NULL;
ALTER TABLE al_type ADD CONSTRAINT al_check CHECK (id > 5);
ALTER TABLE al_type ADD CONSTRAINT al_check CHECK (id > 0) NOT VALID;
ALTER TABLE al_type VALIDATE CONSTRAINT al_check;
ALTER TABLE al_type RENAME COLUMN num TO amount;
ALTER TABLE al_type RENAME TO "al Type";
SELECT sum(amount) FROM "al Type";

-- to and from heap
SELECT md5(string_agg(t::text, '' ORDER BY id)) AS before FROM al_t t \gset
ALTER TABLE al_t SET ACCESS METHOD heap;
SELECT md5(string_agg(t::text, '' ORDER BY id)) = :'before' AS same FROM al_t t;
INSERT INTO al_t (id, e) VALUES (70001, 1);
INSERT INTO al_t (id, e) VALUES (70001, 1);
SELECT md5(string_agg(t::text, '' ORDER BY id)) AS before FROM al_t t \gset
-- columnar only
ALTER TABLE al_t SET ACCESS METHOD columnar;
-- end
SELECT md5(string_agg(t::text, '' ORDER BY id)) = :'before' AS same FROM al_t t;
INSERT INTO al_t (id, e) VALUES (70001, 1);
SELECT id FROM al_t WHERE id = 70001;

-- logged and unlogged, tablespaces, storage and statistics
ALTER TABLE al_t SET UNLOGGED;
INSERT INTO al_t (id, e) SELECT i, 2 FROM generate_series(80001, 90000) i;
ALTER TABLE al_t SET LOGGED;
SELECT count(*), sum(e) FROM al_t;
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE regress_columnar_space LOCATION '';
ALTER TABLE al_t SET TABLESPACE regress_columnar_space;
SELECT count(*), sum(e) FROM al_t;
INSERT INTO al_t (id, e) VALUES (90001, 3);
ALTER TABLE al_t SET TABLESPACE pg_default;
SELECT count(*), sum(e) FROM al_t;
DROP TABLESPACE regress_columnar_space;
ALTER TABLE al_t ALTER b SET STORAGE EXTERNAL, ALTER b SET STATISTICS 10;
CLUSTER al_t USING al_t_pkey;
VACUUM FULL al_t;
SELECT count(*), sum(e), sum(id) FROM al_t;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname IN ('al_t', 'al Type');
-- end
DROP TABLE al_t, "al Type";
DROP SEQUENCE al_seq;
