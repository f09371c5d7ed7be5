-- sums of a column plus a constant, by the sum of the column
SET default_table_access_method = columnar;
CREATE TABLE sh (id int, s smallint, i int, k int);
INSERT INTO sh SELECT g, g % 1000, g * 3 - 50000, g % 4 FROM generate_series(1, 40000) g;
INSERT INTO sh VALUES (0, NULL, NULL, 1), (-1, NULL, NULL, 9);
-- columnar only
SELECT columnar_compact('sh') IS NOT NULL AS compacted;
EXPLAIN (COSTS OFF) SELECT sum(i + 1), sum(i - 2) FROM sh;
-- end
SELECT sum(s), sum(s + 1), sum(1::smallint + s), sum(s - 3), sum(i), sum(i + 1), sum(7 + i), sum(i - 9::smallint),
	sum(3 - i), sum(i + NULL::int), avg(i + 1), sum(i + 1::bigint), count(*) FROM sh;
SELECT sum(i + 1), sum(i + 2) FILTER (WHERE k = 2), sum(i + 3) FILTER (WHERE k = 2), sum(DISTINCT i + 1) FROM sh WHERE id % 7 = 3;
SELECT k, sum(i + 1), sum(i + 2), sum(s - 1::smallint), sum(i) FROM sh GROUP BY k ORDER BY k;
SELECT sum(i + 1), sum(i - 1) FROM sh WHERE false;
SELECT sum(i + 1), sum(i - 1) FROM sh WHERE i IS NULL;

-- overflow of the addition is an error, if the row gets that far
SELECT sum(i + 2147400000) FROM sh;
SELECT sum(i + 2147400000), sum(i + 1) FROM sh WHERE i < 80000;
SELECT k, sum(s + 32000::smallint) FROM sh GROUP BY k ORDER BY k;
SELECT k, sum(s + 31768::smallint) FROM sh GROUP BY k ORDER BY k;
SELECT sum(s + 32000::smallint) FILTER (WHERE s < 700) FROM sh;
SELECT sum(i - 2147483647) FROM sh;

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER TABLE sh SET (parallel_workers = 2);
SELECT k, sum(i + 1), sum(i + 2) FROM sh GROUP BY k ORDER BY k;
DROP TABLE sh;
