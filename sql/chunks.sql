-- How columns are stored, and who may see what of it.
CREATE TABLE stored (id int, kind text, at timestamptz, price numeric(10,2), ratio float8,
  level float4, key uuid, flag bool, big int8, none int, doc jsonb, mark "char", long text)
  USING columnar;
SET columnar.row_form_rows = 0;
SET timezone = 'UTC';
INSERT INTO stored SELECT i, (ARRAY['red', 'green', 'blue'])[i % 3 + 1],
  timestamptz '2020-01-01' + i * interval '1 second', i / 100.0, i / 8.0, -i,
  md5(i::text)::uuid, i % 7 = 0, CASE WHEN i % 4 = 0 THEN i END, NULL,
  jsonb_build_object('i', i), 'x', 'http://example.com/a/path/that/is/rather/long/' || i
FROM generate_series(1, 70000) i;

SELECT attribute, chunks, rows, nulls, min, max, bytes > 0 AS bytes,
  raw_bytes > 0 AS raw, ratio = round(raw_bytes::numeric / bytes, 2) AS ratio
FROM columnar_columns('stored');
SELECT attribute, (SELECT sum(n::int) FROM jsonb_each_text(encodings) AS e (name, n)) AS vectors
FROM columnar_columns('stored') WHERE attribute IN ('id', 'kind', 'none');
SELECT attribute, encodings, distinct_values FROM columnar_columns('stored')
WHERE attribute IN ('none', 'mark');
SELECT chunk_group, segment, attribute, rows, nulls, min, max FROM columnar_chunks('stored')
WHERE attribute IN ('id', 'kind', 'big', 'none');

-- one is the sum of the other
SELECT attribute, count(*), sum(rows), sum(bytes), sum(raw_bytes), sum(nulls)
FROM columnar_chunks('stored') GROUP BY attribute
EXCEPT
SELECT attribute, chunks, rows, bytes, raw_bytes, nulls FROM columnar_columns('stored');

-- rows that are stored as rows are not counted; the transaction's own ones are
RESET columnar.row_form_rows;
INSERT INTO stored (id) VALUES (70001);
SELECT rows FROM columnar_columns('stored') WHERE attribute = 'id';
BEGIN;
INSERT INTO stored (id, kind) SELECT i, 'white' FROM generate_series(80001, 100000) i;
SELECT rows, min, max FROM columnar_columns('stored') WHERE attribute IN ('id', 'kind');
ROLLBACK;
SELECT rows, min, max FROM columnar_columns('stored') WHERE attribute IN ('id', 'kind');

-- special values, prefixes, other characters
CREATE TABLE special (f float8, g float4, n numeric, t text, b bytea, d date, o oid, e text COLLATE "C")
  USING columnar;
SET columnar.row_form_rows = 0;
INSERT INTO special VALUES
  ('NaN', 'NaN', 'NaN', repeat('ä', 40), '\x00ff', 'infinity', 4000000000, ''),
  (1, '-infinity', '-infinity', repeat('z', 31) || 'ä', decode(repeat('ff', 40), 'hex'), '2020-01-01', 1, NULL);
SELECT attribute, min, max FROM columnar_columns('special');
TRUNCATE special;
SELECT * FROM columnar_columns('special') WHERE attribute = 'f';
SELECT * FROM columnar_chunks('special');
INSERT INTO special (f, n) VALUES ('NaN', 'NaN');
SELECT attribute, min, max FROM columnar_columns('special') WHERE nulls = 0;

-- columns that are dropped, added, or have become something else
ALTER TABLE stored DROP COLUMN kind;
ALTER TABLE stored ADD COLUMN more int DEFAULT 7;
CREATE TABLE changed (a int, b varchar) USING columnar;
INSERT INTO changed SELECT i, i FROM generate_series(1, 3000) i;
ALTER TABLE changed ALTER a TYPE oid;
ALTER TABLE changed ALTER b TYPE text;
SELECT attribute, rows, min, max FROM columnar_columns('changed');
SELECT attribute, rows, min, max FROM columnar_columns('stored') WHERE attribute IN ('kind', 'more');
RESET columnar.row_form_rows;

-- what is refused
CREATE TABLE plain (a int) USING heap;
SELECT * FROM columnar_chunks('plain');
SELECT * FROM columnar_columns('pg_class');
CREATE TABLE parent (a int) PARTITION BY LIST (a);
SELECT * FROM columnar_columns('parent');
SELECT * FROM columnar_columns(NULL);

-- privileges: those of the columns
CREATE ROLE chunks_reader;
CREATE ROLE chunks_stranger;
GRANT SELECT (id, at) ON stored TO chunks_reader;
SET ROLE chunks_reader;
SELECT attribute, rows, nulls, max FROM columnar_columns('stored');
SELECT DISTINCT attribute FROM columnar_chunks('stored') ORDER BY 1;
SET ROLE chunks_stranger;
SELECT * FROM columnar_columns('stored');
SELECT * FROM columnar_chunks('stored');
RESET ROLE;

-- and policies: nothing that comes from the rows themselves
ALTER TABLE stored ENABLE ROW LEVEL SECURITY;
SELECT attribute, rows, nulls, max FROM columnar_columns('stored') WHERE attribute = 'id';
SET ROLE chunks_reader;
SELECT attribute, rows, nulls, distinct_values, min, max FROM columnar_columns('stored');
SELECT DISTINCT attribute, nulls, distinct_values, min, max FROM columnar_chunks('stored') ORDER BY 1;
RESET ROLE;

DROP TABLE stored, special, changed, plain, parent;
DROP ROLE chunks_reader, chunks_stranger;
