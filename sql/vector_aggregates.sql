-- every aggregate function that has a kernel, over both forms of rows
SET default_table_access_method = columnar;
SET extra_float_digits = 1;
SET max_parallel_workers_per_gather = 0;
-- floats are multiples of 1/64, of which all sums are exact
CREATE TABLE v AS
  SELECT i, i % 5 AS g,
    CASE WHEN i % 7 <> 0 THEN (i % 311 - 100)::int2 END AS i2,
    CASE WHEN i % 7 <> 1 THEN i * 13 % 70001 - 35000 END AS i4,
    CASE WHEN i % 7 <> 2 THEN i::int8 * 1000000007 - 5000000000000 END AS i8,
    CASE WHEN i % 7 <> 3 THEN ((i % 1000)::float8 / 64 - 5)::float4 END AS f4,
    CASE WHEN i % 7 <> 4 THEN (i % 30000)::float8 / 64 - 200 END AS f8,
    CASE WHEN i % 7 <> 5 THEN (i % 9000 - 4000)::numeric / 100 END AS n,
    (i % 9000 - 4000)::numeric(10,2) / 8 AS n2,
    (i % 9000 - 4000)::numeric(10,2) AS n3,
    (i * 17 % 10000)::money AS m,
    '2000-01-01'::date + i * 7 % 9000 AS d,
    '00:00'::time + i * 11 % 86400 * interval '1 s' AS t,
    '00:00+02'::timetz + i * 11 % 86400 * interval '1 s' AS tz,
    '2000-01-01'::timestamp + i * 37 % 99999 * interval '1 min' AS ts,
    '2000-01-01 UTC'::timestamptz + i * 37 % 99999 * interval '1 min' AS tstz,
    i % 100 * interval '1 day' - i % 17 * interval '1 hour' AS iv,
    CASE WHEN i % 11 <> 6 THEN md5((i % 1000)::text) END AS x,
    (i * 3 % 77)::text::varchar(9) AS vc,
    (i % 97)::text::char(5) AS c,
    ('10.0.' || i % 200 || '.' || i % 91)::inet AS net,
    (i * 7 % 1001)::oid AS o,
    i % 3 = 0 AS b,
    (i * 5 % 128)::bit(7) AS bits,
    ARRAY[i % 50, i % 3] AS a,
    ('0/' || to_hex(i * 5 % 4000))::pg_lsn AS lsn
  FROM generate_series(1, 20000) i;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
ALTER TABLE v ADD e mood;
ALTER TABLE v ADD late int DEFAULT 42;
INSERT INTO v SELECT * FROM v WHERE i BETWEEN 100 AND 400;
UPDATE v SET e = (ARRAY['ok', 'sad', NULL, 'happy'])[i % 4 + 1]::mood WHERE i < 1500;
DELETE FROM v WHERE i % 1000 BETWEEN 10 AND 90;

-- without groups
SELECT count(*), count(i2), count(x), count(late), count(e) FROM v;
SELECT sum(i2), sum(i4), sum(i8), sum(f4), sum(f8), sum(n), sum(m), sum(iv) FROM v;
SELECT sum(n2), sum(n3), avg(n2), avg(n3), sum(late), avg(late) FROM v;
SELECT avg(i2), avg(i4), avg(i8), avg(f4), avg(f8), avg(n), avg(iv) FROM v;
SELECT min(i2), max(i2), min(i4), max(i4), min(i8), max(i8) FROM v;
SELECT min(f4), max(f4), min(f8), max(f8), min(n), max(n), min(n2), max(n2) FROM v;
SELECT min(m), max(m), min(d), max(d), min(t), max(t), min(tz), max(tz) FROM v;
SELECT min(ts), max(ts), min(tstz), max(tstz), min(iv), max(iv) FROM v;
SELECT min(x), max(x), min(vc), max(vc), min(c), max(c), min(net), max(net) FROM v;
SELECT min(o), max(o), min(a), max(a), min(lsn), max(lsn), min(e), max(e) FROM v;
SELECT bool_and(b), bool_or(b), every(b), bool_and(i > 0), bool_or(i < 0) FROM v;
SELECT bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4) FROM v;
SELECT bit_and(i8), bit_or(i8), bit_xor(i8), bit_and(bits), bit_or(bits), bit_xor(bits) FROM v;
SELECT variance(i2), var_pop(i4), var_samp(i8), variance(n), var_pop(n2) FROM v;
SELECT stddev(i2), stddev_pop(i4), stddev_samp(i8), stddev(n), stddev_pop(n3) FROM v;
SELECT variance(f4), var_pop(f8), stddev_samp(f4), stddev(f8) FROM v WHERE i BETWEEN 5000 AND 5200;
SELECT count(DISTINCT i2), count(DISTINCT x), count(DISTINCT n2), count(DISTINCT b) FROM v;

-- with groups
SELECT g, count(*), count(i2), sum(i2), sum(i4), sum(i8), sum(f4), sum(f8), sum(n), sum(m), sum(iv)
  FROM v GROUP BY g ORDER BY g;
SELECT g, avg(i2), avg(i4), avg(i8), avg(f4), avg(f8), avg(n), avg(n2), avg(iv)
  FROM v GROUP BY g ORDER BY g;
SELECT g, min(i2), max(i4), min(i8), max(f4), min(f8), max(n), min(n2), max(m), min(d), max(t)
  FROM v GROUP BY g ORDER BY g;
SELECT g, min(tz), max(ts), min(tstz), max(iv), min(x), max(vc), min(c), max(net), min(o), max(a), min(lsn), max(e)
  FROM v GROUP BY g ORDER BY g;
SELECT g, bool_and(b), bool_or(b), bit_and(i4), bit_or(i8), bit_xor(i2), bit_xor(bits)
  FROM v GROUP BY g ORDER BY g;
SELECT g, variance(i2), var_pop(i4), stddev(i8), stddev_pop(n), var_samp(n2)
  FROM v GROUP BY g ORDER BY g;
SELECT g, count(*) FILTER (WHERE b), sum(i4) FILTER (WHERE i2 > 0), max(x) FILTER (WHERE f8 < 0)
  FROM v GROUP BY g ORDER BY g;

-- no rows, and rows without a value
SELECT count(*), count(i2), sum(i2), sum(i8), sum(n), sum(f8), sum(m), sum(iv), avg(i4), avg(i8), avg(n),
  avg(f4), avg(iv), min(x), max(n), min(f8), bool_and(b), bit_or(i4), stddev(i4), variance(n), var_pop(f8)
  FROM v WHERE i < 0;
SELECT count(*), count(i2), sum(i2), avg(i2), min(i2), stddev(i2) FROM v WHERE i2 IS NULL;
SELECT count(*), sum(n), avg(n), min(n), stddev(n), variance(n) FROM v WHERE n IS NULL;
SELECT stddev(i4), stddev_pop(i4), variance(n), var_pop(n), stddev(f8), stddev_pop(f8) FROM v WHERE i = 1000;

-- numerics of many digits, of other display scales, and special ones
CREATE TABLE w (k int, n numeric, f float8, f4 float4, i8 int8, m money);
INSERT INTO w SELECT i, 10 ^ (i % 40) + i, i, i, 9223372036854775807 - i, 0 FROM generate_series(1, 3000) i;
SELECT sum(n), avg(n), min(n), max(n), scale(sum(n)) FROM w;
SELECT variance(n), stddev_pop(n) FROM w;
SELECT sum(i8), avg(i8), variance(i8), stddev_pop(i8) FROM w;
SELECT k % 3, sum(n), variance(n), sum(i8), stddev(i8) FROM w GROUP BY 1 ORDER BY 1;
INSERT INTO w VALUES (1, 1.0, 0.0, -0.0, 1, '1'), (2, 1.00, '-0', 0, 1, '2'), (3, 1.000000000000000000001, 1, 1, 1, '3');
CREATE TABLE equal AS SELECT w.* FROM w, generate_series(1, 1000) j WHERE k < 3 AND n < 2 ORDER BY j, k;
SELECT sum(n), avg(n) FROM w WHERE k < 4;
SELECT min(n), max(n), min(f), max(f), min(f4), max(f4) FROM w WHERE k < 4 AND n < 2;
SELECT min(n), max(n), min(f), max(f), min(f4), max(f4) FROM equal;
SELECT sum(f), sum(f4), sum(n), avg(f) FROM equal;
SELECT sum(f), sum(f4), avg(n) FROM equal WHERE k > 1;
INSERT INTO w VALUES (9, 'NaN', 'NaN', 'NaN', 1, '1');
SELECT sum(n), avg(n), min(n), max(n), variance(n) FROM w;
SELECT sum(f), avg(f), min(f), max(f), variance(f), min(f4), max(f4), sum(f4) FROM w;
INSERT INTO w VALUES (8, 'Infinity', 'Infinity', '-Infinity', 1, '1');
SELECT sum(n), avg(n), min(n), max(n), stddev(n) FROM w WHERE n <> 'NaN';
SELECT sum(f), avg(f), min(f), max(f), variance(f), min(f4), max(f4), sum(f4) FROM w WHERE f <> 'NaN';
SELECT k, sum(n), max(n), sum(f), avg(f4) FROM w WHERE k IN (8, 9) GROUP BY k ORDER BY k;

-- overflow
CREATE TABLE big (LIKE w);
INSERT INTO big SELECT 21, 0, 0, 0, 1, '0' FROM generate_series(1, 2000);
INSERT INTO big VALUES (21, 0, 1e308, 3e38, 1, '92233720368547758.07'), (21, 0, 1e308, 3e38, 1, '0');
SELECT sum(f) FROM big;
SELECT avg(f) FROM big;
SELECT stddev(f) FROM big;
SELECT sum(f4) FROM big;
SELECT k, sum(f) FROM big GROUP BY k;
SELECT sum(m) FROM big;
SELECT sum(i8::int4) FROM w;

-- partial states, which core's functions finish
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*), sum(i2), sum(i4), sum(i8), sum(f4), sum(f8), sum(n), sum(n3), sum(m), sum(iv) FROM v;
SELECT avg(i2), avg(i4), avg(i8), avg(f4), avg(f8), avg(n), avg(n2), avg(iv) FROM v;
SELECT min(i2), max(i8), min(f4), max(f8), min(n), max(n2), max(m), min(d), max(tstz), min(x), max(x), max(e) FROM v;
SELECT bool_and(b), bool_or(b), bit_and(i4), bit_or(i8), bit_xor(bits) FROM v;
SELECT variance(i2), var_pop(i4), stddev(i8), stddev_pop(n), var_samp(n2) FROM v;
SELECT g, count(i2), sum(i8), sum(n), avg(i4), avg(n), stddev(i4), variance(n), min(x), max(e), sum(iv)
  FROM v GROUP BY g ORDER BY g;
SELECT sum(n), sum(i8), avg(n), variance(n), stddev(i8), max(n) FROM w WHERE k < 3000;
SELECT sum(i2), avg(i8), stddev(n), min(x), avg(f8), sum(n) FROM v WHERE (i2 IS NULL AND i8 IS NULL) IS TRUE;
RESET max_parallel_workers_per_gather;

-- collations
CREATE TABLE s (x text, y text COLLATE "C");
INSERT INTO s SELECT chr(65 + i % 60) || i, chr(65 + i % 60) || i FROM generate_series(1, 2000) i;
SELECT min(x), max(x), min(y), max(y), min(x COLLATE "POSIX"), max(y || 'z') FROM s;
DROP TABLE v, w, s, equal, big;
DROP TYPE mood;
