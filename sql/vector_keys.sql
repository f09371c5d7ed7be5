-- keys of a grouping that are computed from other keys
SET default_table_access_method = columnar;
CREATE TABLE vk (id int, a int, t text, f float8, n numeric, d timestamp, c char(4));
INSERT INTO vk SELECT i, i % 7, CASE i % 5 WHEN 0 THEN NULL ELSE 'Text ' || i % 5 END,
	CASE i % 4 WHEN 0 THEN 0.0 WHEN 1 THEN '-0' ELSE i % 4 END, CASE i % 2 WHEN 0 THEN 1.0 ELSE 1.00 END,
	timestamp '2024-01-01' + i % 3 * interval '7 hours', 'c' || i % 3
FROM generate_series(1, 20000) i;
INSERT INTO vk (id) VALUES (0);
-- columnar only
EXPLAIN (COSTS OFF) SELECT a, a + 1, upper(t), t, 'x' AS x, count(*) FROM vk GROUP BY a, a + 1, upper(t), t, x;
-- end
SELECT a, a + 1, upper(t), t, 'x' AS x, count(*) FROM vk GROUP BY a, a + 1, upper(t), t, x ORDER BY a, t;
SELECT a * 2, a, -a, sum(id) FROM vk GROUP BY a * 2, a, -a HAVING -a < -3 ORDER BY -a;
SELECT 1 AS one, 2 AS two, count(*) FROM vk GROUP BY one, two;
SELECT 1 AS one, 2 AS two, count(*) FROM vk WHERE false GROUP BY one, two;
SELECT a % 2, a % 3, count(*) FROM vk GROUP BY 1, 2 ORDER BY 1, 2;
SELECT a % 2, a % 3, a % 2 + a % 3, count(*) FROM vk GROUP BY 1, 2, 3 ORDER BY 1, 2;
SELECT date_trunc('day', d), d, extract(hour FROM d), count(*) FROM vk GROUP BY 1, d, 3 ORDER BY d;
SELECT coalesce(a, -1), a, a IS NULL, count(*) FROM vk GROUP BY 1, a, 3 ORDER BY a;
SELECT c, length(c), c || '!', count(*) FROM vk GROUP BY c, 2, 3 ORDER BY c;
SELECT DISTINCT a, a + 1, a IS NULL FROM vk ORDER BY a;
-- equal is not identical: what is computed from these is a key of its own
SELECT f::text, count(*) FROM vk GROUP BY f, f::text ORDER BY 1, 2;
SELECT n::text, count(*) FROM vk GROUP BY n, n::text ORDER BY 1, 2;
-- best groups, by a dependent key, too
SELECT a, a - 1, count(*) FROM vk GROUP BY a, a - 1 ORDER BY a - 1 DESC NULLS LAST LIMIT 2;
SELECT a, a - 1, count(*) FROM vk GROUP BY a, a - 1 ORDER BY count(*) DESC, a - 1 LIMIT 2;
SELECT a, 10 / (a - 3), count(*) FROM vk GROUP BY a, 10 / (a - 3);
-- rescans and parameters
SELECT g, a, s FROM generate_series(1, 3) g,
	LATERAL (SELECT a, a + g AS s FROM vk WHERE id < 10 GROUP BY a, a + g ORDER BY a DESC LIMIT 1) x ORDER BY g;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER TABLE vk SET (parallel_workers = 2);
SELECT a, a + 1, 'x' AS x, count(*) FROM vk GROUP BY a, a + 1, x ORDER BY a;
DROP TABLE vk;
