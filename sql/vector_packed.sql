-- Filters that compare values as they are stored, against heap
SET columnar.vector_scan = on;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE pk_heap (
	id int, uniform int, coarse bigint, outliers bigint, runs int, same int,
	wide bigint, sparse int, few bigint, price numeric(9,2), town text,
	flag bool, letter "char", node oid, small int2, day date, at timestamptz,
	sorted int
);
INSERT INTO pk_heap
SELECT i, hashint4(i) & 65535, 700000000000000 + 1000000::int8 * (hashint4(i + 1) & 4095),
	CASE WHEN i % 80 = 0 THEN hashint8extended(i, 0) & 1099511627775 ELSE hashint4(i) & 15 END,
	i / 50 % 90 - 40, 7, hashint8extended(i, 1),
	CASE WHEN i % 3 = 0 THEN hashint4(i + 2) & 1023 END,
	(hashint4(i + 3) & 3) * 1000000007000000009,
	(hashint4(i + 4) & 32767) / 100.0 - 100, 'town ' || (hashint4(i + 5) & 31),
	hashint4(i + 6) & 1 = 0, chr(65 + (hashint4(i + 7) & 15))::"char",
	4000000000 + (hashint4(i + 8) & 255), (hashint4(i + 9) & 65535) - 32768,
	date '2020-01-01' + (hashint4(i + 10) & 1023),
	timestamptz '2024-01-01 UTC' + interval '1 second' * (hashint4(i + 11) & 65535), i
FROM generate_series(1, 20000) i;
CREATE TABLE pk USING columnar AS SELECT * FROM pk_heap;
VACUUM ANALYZE pk;

-- For each condition: the same rows as in heap, by vectors not decoded?
CREATE FUNCTION pk_test(condition text, OUT nrows bigint, OUT same bool, OUT packed bool)
LANGUAGE plpgsql AS $$
DECLARE
	columns text := 'count(*), sum(id), sum(wide), min(price), max(town)';
	plan json;
BEGIN
	EXECUTE format('SELECT a = b, (a).count FROM (SELECT %2$s FROM pk_heap WHERE %1$s) a, (SELECT %2$s FROM pk WHERE %1$s) b',
		condition, columns) INTO same, nrows;
	EXECUTE format('EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, FORMAT json) SELECT id FROM pk WHERE %s',
		condition) INTO plan;
	packed := (plan #>> '{0,Plan,Columnar Vectors Filtered Packed}')::int > 0;
END
$$;

SELECT condition, (pk_test(condition)).*
FROM unnest(ARRAY[
	'uniform < 100', 'uniform >= 30000', 'uniform BETWEEN 5 AND 700',
	'uniform > 10 AND uniform <= 65000 AND uniform <> 77',
	'uniform IN (1, 2, 40000)', 'uniform NOT IN (1, 2, 40000)', 'uniform < 10::int8',
	'coarse = 700000005000000', 'coarse > 700000005000001', 'coarse < 700000000000001',
	'outliers < 3', 'outliers > 1000', 'outliers BETWEEN 10 AND 549755813888',
	'runs < -20', 'runs = 5', 'runs BETWEEN -3 AND 3', 'same = 7', 'same > 7',
	'wide < 0', 'wide >= 0', 'wide BETWEEN -1000000000000000000 AND 1000000000000000000',
	'sparse < 100', 'sparse >= 512', 'sparse <> 3', 'sparse IS NULL AND uniform < 99',
	'few = 1000000007000000009', 'few < 3000000021000000027', 'few IN (0, 5)',
	'price < -50', 'price BETWEEN 0 AND 10.005', 'price = 12.34', 'price <> 0.001',
	'town = ''town 7''', 'town <> ''town 7''', 'town LIKE ''town 1%''',
	'town IN (''town 1'', ''town 30'', ''nowhere'')',
	'flag', 'NOT flag', 'letter > ''F''', 'node < 4000000100', 'node = 4000000007',
	'small < -30000', 'small > 32000', 'day < ''2020-03-01''',
	'at < ''2024-01-01 01:00 UTC''', 'sorted BETWEEN 3000 AND 4000',
	'uniform < 500 AND price > 0 AND town > ''town 3'' COLLATE "C"'
]) condition;

-- sums and extremes of vectors, where metadata do not say
DELETE FROM pk WHERE id % 7000 = 1;
DELETE FROM pk_heap WHERE id % 7000 = 1;
SELECT a = b AS same FROM
	(SELECT sum(uniform), avg(uniform), min(uniform), max(uniform), sum(coarse), avg(coarse),
		max(coarse), sum(outliers), sum(runs), sum(same), sum(wide), min(wide), sum(sparse),
		sum(price), avg(price), min(small), sum(small), max(node), min(day), max(at), sum(uniform + 1)
	 FROM pk_heap) a,
	(SELECT sum(uniform), avg(uniform), min(uniform), max(uniform), sum(coarse), avg(coarse),
		max(coarse), sum(outliers), sum(runs), sum(same), sum(wide), min(wide), sum(sparse),
		sum(price), avg(price), min(small), sum(small), max(node), min(day), max(at), sum(uniform + 1)
	 FROM pk) b;
DROP FUNCTION pk_test;
DROP TABLE pk, pk_heap;
