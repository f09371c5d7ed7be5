-- Micro queries: one operation each, over facts (and its dimension places),
-- which generate.c makes.

-- count: the rows
SELECT count(*) FROM facts;

-- sum: an integer
SELECT sum(value) FROM facts;

-- sums: a numeric and a float
SELECT sum(amount), sum(ratio), avg(ratio) FROM facts;

-- filter1: one row in a hundred
SELECT count(*), sum(value) FROM facts WHERE chance < 10;

-- filter50: every other row
SELECT count(*), sum(value) FROM facts WHERE chance < 500;

-- group10: ten groups
SELECT key10, count(*), sum(value) FROM facts GROUP BY key10;

-- group1000: a thousand groups
SELECT key1000, count(*), sum(value) FROM facts GROUP BY key1000;

-- group1m: a million groups, the ten best
SELECT key1m, count(*), sum(value) AS total FROM facts
GROUP BY key1m ORDER BY total DESC, key1m LIMIT 10;

-- text: a thousand groups by text
SELECT code, count(*), sum(value) FROM facts GROUP BY code;

-- distinct: of a million values
SELECT count(DISTINCT key1m) FROM facts;

-- like: a text within a text
SELECT count(*) FROM facts WHERE note LIKE '%aurora%';

-- top10: the ten greatest
SELECT id, amount, note FROM facts ORDER BY amount DESC, id LIMIT 10;

-- join: grouped by a column of the dimension
SELECT p.kind, count(*), sum(f.value * p.factor) FROM facts f JOIN places p ON p.id = f.place_id
GROUP BY p.kind;

-- joinfilter: with one place in a hundred
SELECT count(*), sum(f.value) FROM facts f JOIN places p ON p.id = f.place_id
WHERE p.factor = 50;
