-- Grouping, DISTINCT and the best groups, vectorised: all kinds of keys,
-- within memory and beyond it.
SET default_table_access_method = columnar;
SET max_parallel_workers_per_gather = 0;
-- Sorted input would show another of equal values.
SET enable_sort = off;
CREATE TABLE groups (id int, small int2, number int, big int8, part float8,
	price numeric(10,2), free numeric, word text, padded char(6), flag bool,
	day date, span interval, mark uuid, label varchar COLLATE "C");
INSERT INTO groups
SELECT i, i % 5, CASE WHEN i % 11 = 0 THEN NULL ELSE i * 7919 % 1009 END,
	(i % 701) * 9007199254740993, (i % 7 - 3) / 4.0,
	(i * 31 % 2000 - 500) / 100.0,
	CASE WHEN i % 13 = 0 THEN 'NaN' WHEN i % 13 = 1 THEN (i % 17)::numeric * 1e30
		ELSE (i % 19) / 8.0 END,
	CASE WHEN i % 23 = 0 THEN NULL ELSE 'word ' || i * 53 % 997 END,
	'p' || i % 37, i % 3 = 0, date '2000-01-01' + i % 366,
	make_interval(days => i % 4, hours => i % 3 * 24),
	md5((i % 101)::text)::uuid, repeat('l', i % 50)
FROM generate_series(1, 20000) i;

-- What a grouping gives, in a line: the keys and counts do not depend on the
-- order of the groups.
CREATE FUNCTION digest(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT count(*) || '' groups, '' ||
		sum((''x'' || left(md5(g::text), 8))::bit(32)::bigint) FROM (%s) g', query)
	INTO result;
	RETURN result;
END $$;
CREATE TABLE queries (query text) USING heap;
INSERT INTO queries
SELECT format('SELECT %1$s, count(*), sum(id) FROM groups GROUP BY %1$s', keys)
FROM (VALUES ('small'), ('number'), ('big'), ('part'), ('price'), ('free'),
	('word'), ('padded'), ('flag'), ('day'), ('span'), ('mark'), ('label'),
	('small, flag'), ('number, small'), ('big, word'), ('part, price'),
	('free, small'), ('word, label, span'), ('flag, number, big, part'),
	('mark, word, padded, day'), ('upper(word)'), ('number % 10, big / 2'))
	AS k (keys);
SELECT query, digest(query) FROM queries;

-- Beyond memory the same.
SET work_mem = '64kB';
SELECT query, digest(query) FROM queries;
RESET work_mem;

-- columnar only
EXPLAIN (COSTS OFF)
SELECT small, count(*), count(DISTINCT word) FROM groups GROUP BY small;
-- end

-- Groups show the value that came first.
CREATE TABLE firsts (id int, x float8, n numeric, i interval, t text);
INSERT INTO firsts VALUES
	(1, '-0', '1.0', '24 hours', NULL), (2, '0', '1.00', '1 day', ''),
	(3, 'NaN', '1', '1 day', 'a'), (4, '-NaN', 'NaN', '2 days', NULL),
	(5, '0', '10e30', '48 hours', 'a'), (6, '-0', '1e31', '2 days', '');
SELECT x, count(*) FROM firsts GROUP BY x ORDER BY x;
SELECT n, count(*) FROM firsts GROUP BY n ORDER BY n;
SELECT i, count(*) FROM firsts GROUP BY i ORDER BY i;
SELECT t, count(*) FROM firsts GROUP BY t ORDER BY t;
SELECT x, n, count(*) FROM firsts GROUP BY x, n ORDER BY x, n;
SELECT count(DISTINCT x), count(DISTINCT n), count(DISTINCT i),
	count(DISTINCT t) FROM firsts;

-- Distinct values in few and in many groups, also beyond memory.
SELECT count(DISTINCT id), count(DISTINCT word), sum(DISTINCT number),
	avg(DISTINCT small), count(DISTINCT free) FILTER (WHERE flag) FROM groups;
SELECT small, count(DISTINCT number), sum(DISTINCT big % 100),
	count(DISTINCT word) FILTER (WHERE number > 500)
FROM groups GROUP BY small ORDER BY small;
SET work_mem = '64kB';
SELECT count(DISTINCT id), count(DISTINCT word), sum(DISTINCT number),
	avg(DISTINCT small), count(DISTINCT free) FILTER (WHERE flag) FROM groups;
SELECT small, count(DISTINCT number), sum(DISTINCT big % 100),
	count(DISTINCT word) FILTER (WHERE number > 500)
FROM groups GROUP BY small ORDER BY small;
SELECT digest('SELECT id, count(DISTINCT word), sum(DISTINCT number) FROM groups GROUP BY id');
RESET work_mem;

-- The best groups leave.
-- columnar only
EXPLAIN (COSTS OFF)
SELECT word, count(*) FROM groups GROUP BY word
ORDER BY count(*) DESC, word LIMIT 5 OFFSET 2;
EXPLAIN (COSTS OFF) SELECT word, count(*) FROM groups GROUP BY word LIMIT 3;
-- end
SELECT word, count(*) FROM groups GROUP BY word
ORDER BY count(*) DESC, word LIMIT 5 OFFSET 2;
SELECT word, sum(number) FROM groups GROUP BY word HAVING count(*) > 20
ORDER BY sum(number) * 2 NULLS FIRST, word DESC LIMIT 4;
SELECT number, price FROM groups GROUP BY number, price
ORDER BY max(id) DESC LIMIT 4;
SELECT DISTINCT word, small FROM groups ORDER BY small DESC, word LIMIT 4;
SELECT count(*) FROM (SELECT word, count(*) FROM groups GROUP BY word LIMIT 7) g;
SELECT count(*) FROM (SELECT DISTINCT big FROM groups LIMIT 7) g;
SET work_mem = '64kB';
SELECT id, word, max(label) FROM groups GROUP BY id, word
ORDER BY max(big) DESC, id LIMIT 4 OFFSET 1;
SELECT a, g.* FROM (VALUES (1), (2), (1)) v (a), LATERAL
	(SELECT id % 4096 AS k, sum(number) AS s FROM groups WHERE small > a
	GROUP BY 1 ORDER BY s DESC NULLS LAST, k LIMIT 2) g;
RESET work_mem;

DROP TABLE groups, firsts, queries;
DROP FUNCTION digest;
