--
-- Partitions and inheritance, columnar and heap under one parent
--
SET default_table_access_method = columnar;

CREATE TABLE pa_t (id integer, d date NOT NULL, v text) PARTITION BY RANGE (d);
CREATE TABLE pa_2000 PARTITION OF pa_t FOR VALUES FROM ('2000-01-01') TO ('2001-01-01');
CREATE TABLE pa_2001 PARTITION OF pa_t FOR VALUES FROM ('2001-01-01') TO ('2002-01-01') USING heap;
CREATE TABLE pa_rest PARTITION OF pa_t DEFAULT PARTITION BY HASH (id);
CREATE TABLE pa_rest_0 PARTITION OF pa_rest FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE pa_rest_1 PARTITION OF pa_rest FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE pa_rest_2 PARTITION OF pa_rest FOR VALUES WITH (MODULUS 3, REMAINDER 2) USING heap;
CREATE UNIQUE INDEX pa_u ON pa_t (d, id);

INSERT INTO pa_t SELECT i, '2000-01-01'::date + i % 1500, 'v' || i % 10 FROM generate_series(1, 60000) i;
COPY pa_t FROM STDIN;
100001	2000-05-05	copied
100002	2001-05-05	copied
100003	2010-05-05	copied
\.
SELECT tableoid::regclass, count(*), sum(id) FROM pa_t GROUP BY 1 ORDER BY 1;
SELECT count(*), sum(id) FROM pa_t WHERE d = '2000-02-02';
SELECT count(*), sum(id) FROM pa_t WHERE d >= '2000-12-30' AND d < '2001-01-03';
SELECT * FROM pa_t WHERE v = 'copied' ORDER BY id;
INSERT INTO pa_t VALUES (100001, '2000-05-05', 'dup');
INSERT INTO pa_2000 VALUES (1, '2001-05-05', 'wrong');

-- partitionwise join and aggregation; pruning at run time
SET enable_partitionwise_join = on; SET enable_partitionwise_aggregate = on;
SELECT extract(year FROM d) AS y, count(*) FROM pa_t GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM pa_t a JOIN pa_t b USING (d, id) WHERE a.id < 500;
RESET enable_partitionwise_join; RESET enable_partitionwise_aggregate;
PREPARE pa_q(date) AS SELECT count(*) FROM pa_t WHERE d = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE pa_q('2000-03-03'); EXECUTE pa_q('2003-03-03'); EXECUTE pa_q('1999-01-01');
RESET plan_cache_mode;

-- attach, detach
ALTER TABLE pa_t DETACH PARTITION pa_2000;
SELECT count(*) FROM pa_t;
INSERT INTO pa_2000 VALUES (100004, '2000-06-06', 'alone');
ALTER TABLE pa_t ATTACH PARTITION pa_2000 FOR VALUES FROM ('2000-01-01') TO ('2001-01-01');
SELECT count(*) FROM pa_t;
CREATE TABLE pa_new AS SELECT i AS id, '2020-01-01'::date + i % 10 AS d, 'new' AS v FROM generate_series(1, 10000) i;
ALTER TABLE pa_new ALTER d SET NOT NULL;
ALTER TABLE pa_t ATTACH PARTITION pa_new FOR VALUES FROM ('2020-01-01') TO ('2020-01-05');
ALTER TABLE pa_t ATTACH PARTITION pa_new FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
SELECT count(*), max(d) FROM pa_t;

-- inheritance, with columns at other places
CREATE TABLE pa_parent (a integer, b text);
CREATE TABLE pa_child (c integer) INHERITS (pa_parent);
CREATE TABLE pa_child2 (b text, x integer, a integer) USING heap;
ALTER TABLE pa_child2 INHERIT pa_parent;
INSERT INTO pa_parent SELECT i, 'parent' FROM generate_series(1, 10000) i;
INSERT INTO pa_child SELECT i, 'child', i FROM generate_series(1, 10000) i;
INSERT INTO pa_child2 SELECT 'child2', i, i FROM generate_series(1, 10) i;
ALTER TABLE pa_parent ADD COLUMN e integer DEFAULT 3;
SELECT b, count(*), sum(a), sum(e) FROM pa_parent GROUP BY b ORDER BY b;
SELECT count(*) FROM ONLY pa_parent;
SELECT tableoid::regclass, a, b, e FROM pa_parent WHERE a = 7 ORDER BY 1;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v
WHERE relname LIKE 'pa\_%' AND relkind = 'r' AND relam = (SELECT oid FROM pg_am WHERE amname = 'columnar');
-- end
DEALLOCATE pa_q;
DROP TABLE pa_t;
DROP TABLE pa_parent CASCADE;
