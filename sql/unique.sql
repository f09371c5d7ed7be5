--
-- Unique, exclusion and foreign-key constraints
--
SET default_table_access_method = columnar;

CREATE TABLE uq_t (id integer PRIMARY KEY, code text UNIQUE, n integer);
INSERT INTO uq_t VALUES (1, 'one', 1);
INSERT INTO uq_t VALUES (1, 'uno', 1);
INSERT INTO uq_t VALUES (2, 'one', 1);
INSERT INTO uq_t VALUES (2, NULL, 1), (3, NULL, 1);
INSERT INTO uq_t SELECT i, 'c' || i, i FROM generate_series(4, 20000) i;

-- duplicates within one command: of buffered rows too
INSERT INTO uq_t SELECT i, 'd' || i % 15000, i FROM generate_series(20001, 40000) i;
INSERT INTO uq_t SELECT 50000 + i % 9999, NULL, i FROM generate_series(1, 10000) i;
INSERT INTO uq_t VALUES (50000, NULL, 0), (50000, NULL, 0);
-- of rows in column form
INSERT INTO uq_t VALUES (12345, 'x', 1);
INSERT INTO uq_t VALUES (60000, 'c12345', 1);
SELECT count(*), count(code), sum(n) FROM uq_t;

-- a rolled-back key may be used again
BEGIN;
INSERT INTO uq_t SELECT i, 'e' || i, i FROM generate_series(70001, 80000) i;
SAVEPOINT s;
INSERT INTO uq_t SELECT i, 'f' || i, i FROM generate_series(80001, 90000) i;
ROLLBACK TO s;
INSERT INTO uq_t SELECT i, 'f' || i, i FROM generate_series(80001, 90000) i;
SAVEPOINT s2;
INSERT INTO uq_t VALUES (85000, 'again', 0);
ROLLBACK TO s2;
COMMIT;
BEGIN;
INSERT INTO uq_t SELECT i, 'g' || i, i FROM generate_series(90001, 99000) i;
ROLLBACK;
INSERT INTO uq_t SELECT i, 'g' || i, i FROM generate_series(90001, 99000) i;
SELECT count(*), sum(id), count(DISTINCT code) FROM uq_t;

-- deferred
CREATE TABLE uq_def (a integer UNIQUE DEFERRABLE INITIALLY DEFERRED, b text);
BEGIN;
INSERT INTO uq_def SELECT i, 'x' FROM generate_series(1, 10000) i;
INSERT INTO uq_def VALUES (77, 'again');
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK;
INSERT INTO uq_def SELECT i, 'x' FROM generate_series(1, 10000) i;
INSERT INTO uq_def VALUES (77, 'again');
SELECT count(*) FROM uq_def;

-- unique indexes on expressions and with predicates; NULLS NOT DISTINCT
CREATE TABLE uq_expr (a integer, b text);
CREATE UNIQUE INDEX uq_expr_lower ON uq_expr (lower(b));
CREATE UNIQUE INDEX uq_expr_part ON uq_expr (a) WHERE b IS NOT NULL;
INSERT INTO uq_expr SELECT i, 'V' || i FROM generate_series(1, 12000) i;
INSERT INTO uq_expr VALUES (20000, 'v500');
INSERT INTO uq_expr VALUES (500, 'w');
INSERT INTO uq_expr VALUES (500, NULL), (500, NULL);
CREATE UNIQUE INDEX uq_expr_nnd ON uq_expr (b) NULLS NOT DISTINCT;
SELECT count(*) FROM uq_expr;
CREATE TABLE uq_nnd (a integer UNIQUE NULLS NOT DISTINCT);
INSERT INTO uq_nnd VALUES (NULL), (1);
INSERT INTO uq_nnd VALUES (NULL);

-- a unique index on rows that are not unique
CREATE TABLE uq_dup AS SELECT i % 19999 AS a FROM generate_series(1, 20000) i;
CREATE UNIQUE INDEX uq_dup_a ON uq_dup (a);
ALTER TABLE uq_dup ADD PRIMARY KEY (a);

-- exclusion
CREATE TABLE uq_excl (r int4range, EXCLUDE USING gist (r WITH &&));
INSERT INTO uq_excl SELECT int4range(i * 10, i * 10 + 10) FROM generate_series(1, 3000) i;
INSERT INTO uq_excl VALUES ('[15,16)');
INSERT INTO uq_excl VALUES ('[1,5)'), ('[4,6)');
SELECT count(*) FROM uq_excl;

-- a columnar table that refers to a heap table
CREATE TABLE uq_parent (id integer PRIMARY KEY) USING heap;
INSERT INTO uq_parent SELECT generate_series(1, 100);
CREATE TABLE uq_child (id integer, parent integer REFERENCES uq_parent);
INSERT INTO uq_child SELECT i, i % 100 + 1 FROM generate_series(1, 10000) i;
INSERT INTO uq_child VALUES (1, 101);
ALTER TABLE uq_child DROP CONSTRAINT uq_child_parent_fkey;
INSERT INTO uq_child VALUES (1, 101);
ALTER TABLE uq_child ADD FOREIGN KEY (parent) REFERENCES uq_parent;
SELECT count(*) FROM uq_child;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v
WHERE relname LIKE 'uq\_%' AND relkind = 'r' AND relname <> 'uq_parent';
-- end
DROP TABLE uq_t, uq_def, uq_expr, uq_nnd, uq_dup, uq_excl, uq_child, uq_parent;
