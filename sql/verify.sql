--
-- columnar_verify(): nothing to report of sound tables (test/t damages some)
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

CREATE TABLE verify_t (
	id int, flag bool, c "char", small int2, big int8, o oid, r float4, d float8,
	n numeric, wild numeric, t text, e text COLLATE "C", b bytea, u uuid, day date,
	tz timestamptz, i interval, arr int[], j jsonb, addr inet, p point);
SELECT * FROM columnar_verify('verify_t');

-- one row, then row form, then both forms, then column form
INSERT INTO verify_t (id) VALUES (0);
SELECT * FROM columnar_verify('verify_t');
CREATE PROCEDURE verify_fill(first int, last int) LANGUAGE sql AS $$
INSERT INTO verify_t
SELECT g, g % 3 = 0, chr(65 + g % 26)::"char", g % 300 - 150, g * -10000000000,
       4000000000 + g, CASE g % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' ELSE g / 64.0 END,
       CASE g % 50 WHEN 0 THEN '-0' WHEN 1 THEN 'Infinity' ELSE g / -128.0 END, g / 100.0,
       CASE g % 60 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN 1e100 ELSE g / 7.0 END,
       CASE WHEN g % 4 > 0 THEN repeat('x', g % 50) END, 'http://example.org/' || g,
       decode(md5(g::text), 'hex'), md5(g::text)::uuid, '2020-01-01'::date - g,
       '2020-01-01 UTC'::timestamptz + g * interval '1 min', g * interval '1 hour',
       ARRAY[g, NULL, -g], jsonb_build_object('a', g), '10.0.0.1'::inet + g % 200,
       point(g, -g)
  FROM generate_series(first, last) g $$;
CALL verify_fill(1, 900);
SELECT * FROM columnar_verify('verify_t');
CALL verify_fill(901, 20000);
SELECT * FROM columnar_verify('verify_t');
SELECT columnar_compact('verify_t') > 0;
SELECT * FROM columnar_verify('verify_t');
VACUUM (FREEZE) verify_t;
SELECT * FROM columnar_verify('verify_t');

-- types of which only the name has changed, columns added and dropped
ALTER TABLE verify_t ALTER o TYPE int, ALTER t TYPE varchar, DROP n, ADD z int DEFAULT 5;
SELECT * FROM columnar_verify('verify_t');

-- own uncommitted rows, written and buffered
BEGIN;
INSERT INTO verify_t (id) SELECT g FROM generate_series(1, 30000) g;
SELECT * FROM columnar_verify('verify_t');
SAVEPOINT s;
INSERT INTO verify_t (id) SELECT g FROM generate_series(1, 3000) g;
ROLLBACK TO s;
SELECT * FROM columnar_verify('verify_t');
COMMIT;
SELECT * FROM columnar_verify('verify_t');

-- what it does not take
CREATE TABLE verify_heap (id int) USING heap;
SELECT * FROM columnar_verify('verify_heap');
CREATE VIEW verify_view AS SELECT 1 AS one;
SELECT * FROM columnar_verify('verify_view');
SELECT * FROM columnar_verify(0);
SELECT * FROM columnar_verify(NULL);

-- who may ask is granted
CREATE ROLE regress_columnar_verify;
SET ROLE regress_columnar_verify;
SELECT * FROM columnar_verify('verify_t');
RESET ROLE;
GRANT EXECUTE ON FUNCTION columnar_verify TO regress_columnar_verify;
SET ROLE regress_columnar_verify;
SELECT * FROM columnar_verify('verify_t');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION columnar_verify FROM regress_columnar_verify;
DROP ROLE regress_columnar_verify;

DROP VIEW verify_view;
DROP TABLE verify_t, verify_heap;
DROP PROCEDURE verify_fill;
