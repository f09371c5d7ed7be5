--
-- Vectorised aggregates and top-N where other parts of the server meet them:
-- rescans, cursors, generic plans, subqueries, policies, triggers, partitions
--
SET default_table_access_method = columnar;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE va (id int, g int, n numeric(12,2), f float8, t text, d date, b bool);
INSERT INTO va SELECT i, nullif(i % 10, 0), i % 777 / 8.0, i % 640 / 64.0,
	CASE WHEN i % 11 <> 0 THEN 'text ' || i % 30 END, '2020-01-01'::date + i / 200, i % 3 = 0
FROM generate_series(1, 20000) i;
CREATE TABLE va_small (id int, g int, v int, t text);
INSERT INTO va_small SELECT i, i % 5, i * 3, 'x' || i % 7 FROM generate_series(1, 50) i;
CREATE TABLE va_dim (g int, name text) USING heap;
INSERT INTO va_dim SELECT i, 'name ' || i FROM generate_series(0, 12) i;
ANALYZE va, va_small, va_dim;

-- rescans: parameters in filters, arguments, keys, FILTER and HAVING
SELECT o, s.* FROM generate_series(0, 6) o,
	LATERAL (SELECT count(*), sum(v), min(t) FROM va_small WHERE g = o OFFSET 0) s;
SELECT o, s.* FROM generate_series(1, 4) o,
	LATERAL (SELECT id % o AS k, sum(v + o), count(*) FILTER (WHERE v > o * 20) AS c FROM va_small
		GROUP BY id % o HAVING sum(v) > o * 300) s ORDER BY 1, 2;
SELECT o, s.* FROM generate_series(1, 4) o,
	LATERAL (SELECT id, v FROM va_small WHERE g = o ORDER BY id DESC LIMIT 2) s ORDER BY 1, 2;
SELECT o, s.* FROM generate_series(1, 3) o,
	LATERAL (SELECT id FROM va_small ORDER BY abs(id - o * 10), id LIMIT 2) s ORDER BY 1, 2;
SELECT o, (SELECT count(DISTINCT t) FROM va_small WHERE id > o) FROM generate_series(45, 51) o;
SELECT o, (SELECT string_agg(t, ',' ORDER BY id) FROM va_small WHERE id > o) FROM generate_series(48, 50) o;
SELECT d.g, s.c, s.x FROM va_dim d LEFT JOIN LATERAL (SELECT g, count(*) AS c, max(t) AS x FROM va_small WHERE g = d.g GROUP BY g) s ON true ORDER BY 1;
SELECT d.g, (SELECT array_agg(x ORDER BY x) FROM (SELECT DISTINCT t AS x FROM va_small s WHERE s.g = d.g) q) FROM va_dim d ORDER BY 1 LIMIT 6;

-- groups that no parameter has gone into are there again
SELECT o, s.c FROM generate_series(1, 3) o JOIN LATERAL (SELECT g, count(*) AS c FROM va_small GROUP BY g OFFSET 0) s ON s.g = o ORDER BY 1;

-- subqueries in arguments, filters, HAVING; correlated ones
SELECT g, sum(v + (SELECT max(g) FROM va_dim)) FROM va_small GROUP BY g ORDER BY g;
SELECT g, sum((SELECT count(*) FROM va_dim x WHERE x.g < s.v)) FROM va_small s GROUP BY g ORDER BY g;
SELECT g, count(*) FILTER (WHERE EXISTS (SELECT FROM va_dim x WHERE x.g = s.v)) FROM va_small s GROUP BY g ORDER BY g;
SELECT g, count(*) FILTER (WHERE v IN (SELECT g * 6 FROM va_dim)) FROM va_small s GROUP BY g ORDER BY g;
SELECT g, sum(v) FROM va_small GROUP BY g HAVING sum(v) > (SELECT avg(s) FROM (SELECT sum(v) AS s FROM va_small GROUP BY g) x) ORDER BY g;
SELECT g, sum(v), (SELECT name FROM va_dim d WHERE d.g = s.g) FROM va_small s GROUP BY g ORDER BY g;
SELECT g, (SELECT sum(s.v) FROM va_dim d WHERE d.g = s.g) FROM va_small s GROUP BY g ORDER BY g;
SELECT d.g, (SELECT sum(d.g + s.v) FROM va_small s WHERE s.g = d.g) FROM va_dim d ORDER BY 1;
SELECT (SELECT g FROM va_dim WHERE g = 3) + g AS k, count(*) FROM va_small GROUP BY 1 ORDER BY 1;
WITH w AS MATERIALIZED (SELECT g, sum(n) AS s FROM va GROUP BY g) SELECT a.g, a.s = b.s FROM w a JOIN w b USING (g) ORDER BY 1;
WITH w AS (SELECT g, sum(n) AS s, count(*) AS c FROM va GROUP BY g) SELECT count(*), sum(c) FROM w WHERE s > (SELECT avg(s) FROM w);
SELECT g, count(*) FROM va WHERE id > (SELECT avg(id) FROM va) AND t IN (SELECT 'text ' || g FROM va_dim) GROUP BY g ORDER BY g;

-- joins, unions, views
SELECT d.name, s.c FROM va_dim d FULL JOIN (SELECT g, count(*) AS c FROM va GROUP BY g) s USING (g) ORDER BY 1, 2;
SELECT g, count(*) FROM va GROUP BY g UNION ALL SELECT g, sum(v) FROM va_small GROUP BY g UNION ALL SELECT -1, count(*) FROM va_dim ORDER BY 1, 2;
SELECT g FROM va GROUP BY g EXCEPT SELECT g FROM va_small ORDER BY 1;
SELECT count(*), sum(x) FROM (SELECT id AS x FROM va UNION ALL SELECT v FROM va_small) u;
SELECT x % 3, count(*), sum(x) FROM (SELECT id AS x FROM va UNION ALL SELECT v FROM va_small UNION ALL SELECT g FROM va_dim) u GROUP BY 1 ORDER BY 1;
CREATE VIEW va_view WITH (security_barrier) AS SELECT * FROM va WHERE g < 5;
CREATE FUNCTION va_leak(text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN IF $1 = 'text 9' THEN RAISE NOTICE 'seen %', $1; END IF; RETURN true; END $$;
SELECT count(*), min(g), max(g) FROM va_view WHERE va_leak('row of ' || g);
SELECT g, count(*) FROM va_view WHERE t > 'text 2' GROUP BY g ORDER BY g;
SELECT count(*) FILTER (WHERE va_leak('x' || t)) FROM va_view WHERE d < '2020-02-01';

-- what stays core's
SELECT g, b, count(*) FROM va GROUP BY GROUPING SETS ((g, b), (g), ()) ORDER BY 1, 2, 3 LIMIT 5;
SELECT g, count(*), GROUPING(g) FROM va GROUP BY ROLLUP (g) ORDER BY 1, 2;
SELECT g, sum(n), rank() OVER (ORDER BY sum(n) DESC), sum(count(*)) OVER () FROM va GROUP BY g ORDER BY g;
SELECT DISTINCT ON (g) g, id FROM va ORDER BY g, id DESC;
SELECT DISTINCT g, b FROM va ORDER BY 1, 2 LIMIT 7;
SELECT DISTINCT count(*) FROM va GROUP BY g ORDER BY 1;
SELECT g, generate_series(1, 2), count(*) FROM va_small GROUP BY g ORDER BY 1, 2 LIMIT 4;
SELECT id, generate_series(1, 2) FROM va ORDER BY id DESC LIMIT 3;
SELECT count(va), count(va.*), count(DISTINCT va_small) FROM va, va_small WHERE va.id = va_small.id;
SELECT max(s.*::text) FROM va_small s;
SELECT count(ctid), count(tableoid), count(xmin) > 0 FROM va;
SELECT tableoid::regclass, count(*) FROM va GROUP BY tableoid;
SELECT id FROM va ORDER BY id DESC FETCH FIRST 3 ROWS WITH TIES;
SELECT g FROM va ORDER BY g NULLS FIRST OFFSET 1999 FETCH FIRST 1 ROWS WITH TIES;
SELECT id, v FROM va_small ORDER BY v DESC LIMIT 2 FOR UPDATE;
SELECT id FROM va_small ORDER BY random() < 2, id LIMIT 2;
SELECT s FROM va_small s ORDER BY id LIMIT 2;
SELECT ctid IS NOT NULL, tableoid::regclass, id FROM va ORDER BY id LIMIT 2;
CREATE TABLE va_pk (id int PRIMARY KEY, v int, t text);
INSERT INTO va_pk SELECT i, i % 7, 'row ' || i FROM generate_series(1, 3000) i;
SELECT id, t, sum(v) FROM va_pk GROUP BY id ORDER BY id LIMIT 3;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY g) FROM va;
SELECT corr(f, id) IS NOT NULL, regr_count(f, id) FROM va;
SELECT g, array_agg(id ORDER BY id) FROM va WHERE id < 15 GROUP BY g ORDER BY g;
SELECT g, sum(DISTINCT id % 7), count(DISTINCT b), count(DISTINCT t) FROM va GROUP BY g ORDER BY g;
SELECT count(*), count(DISTINCT n), sum(DISTINCT n) FROM va;
SELECT sum(id) OVER (ORDER BY id) FROM va ORDER BY id LIMIT 2;
CREATE AGGREGATE va_product(int8) (SFUNC = int8mul, STYPE = int8, INITCOND = '1');
SELECT g, va_product(v) FROM va_small WHERE id < 11 GROUP BY g ORDER BY g;
SELECT g, va_product(v), sum(v) FROM va_small WHERE id < 11 GROUP BY g ORDER BY g;

-- no rows, no columns, constants
SELECT count(*), sum(id), min(t) FROM va WHERE false;
SELECT g, count(*) FROM va WHERE false GROUP BY g;
SELECT count(*) FROM va WHERE NULL HAVING count(*) = 0;
SELECT count(1), count(NULL), sum(1), max('x'::text), min(NULL::int) FROM va;
SELECT 1 AS k, count(*) FROM va GROUP BY k;
SELECT 'a' AS k, 2 AS l FROM va GROUP BY 1, 2;
SELECT 1 FROM va HAVING count(*) > 5;
SELECT 1 FROM va HAVING false;
SELECT g FROM va GROUP BY g HAVING NOT true;
SELECT DISTINCT 1 FROM va;
SELECT DISTINCT 1 FROM va WHERE id < 0;
CREATE TABLE va_none ();
INSERT INTO va_none DEFAULT VALUES;
INSERT INTO va_none DEFAULT VALUES;
SELECT count(*) FROM va_none;
CREATE TABLE va_empty (a int, b text);
SELECT count(*), sum(a), min(b) FROM va_empty;
SELECT b, count(*) FROM va_empty GROUP BY b;
SELECT * FROM va_empty ORDER BY a LIMIT 3;

-- cursors
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT g, count(*), sum(n) FROM va GROUP BY g ORDER BY g;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
FETCH FIRST FROM c;
FETCH ABSOLUTE -2 FROM c;
MOVE BACKWARD ALL IN c;
FETCH NEXT FROM c;
CLOSE c;
DECLARE c SCROLL CURSOR FOR SELECT sum(id), g IS NULL AS k FROM va GROUP BY k;
FETCH LAST FROM c;
FETCH PRIOR FROM c;
FETCH PRIOR FROM c;
FETCH NEXT FROM c;
CLOSE c;
DECLARE c SCROLL CURSOR FOR SELECT id, t FROM va ORDER BY id DESC LIMIT 5;
FETCH 4 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH RELATIVE 2 FROM c;
FETCH ALL FROM c;
FETCH BACKWARD ALL FROM c;
CLOSE c;
DECLARE h CURSOR WITH HOLD FOR SELECT b, count(*) FROM va GROUP BY b ORDER BY b;
DECLARE i CURSOR WITH HOLD FOR SELECT id, t FROM va ORDER BY id LIMIT 3;
FETCH 1 FROM h;
FETCH 1 FROM i;
-- opened, but not yet run, before rows go
DECLARE o CURSOR FOR SELECT count(*), sum(id) FROM va;
DECLARE p CURSOR FOR SELECT id, t FROM va ORDER BY id LIMIT 3;
DECLARE q CURSOR FOR SELECT id, t FROM va ORDER BY id LIMIT 3;
FETCH 1 FROM q;
DELETE FROM va WHERE id < 10000;
UPDATE va SET t = 'changed' WHERE id > 19990;
INSERT INTO va VALUES (0, 0, 0, 0, 'new', '2020-01-01', true);
FETCH ALL FROM o;
FETCH ALL FROM p;
FETCH ALL FROM q;
FETCH ALL FROM i;
SELECT count(*), sum(id), max(t) FROM va;
SELECT id, t FROM va ORDER BY id LIMIT 2;
SAVEPOINT s;
DELETE FROM va;
SELECT count(*), sum(id), max(t) FROM va;
SELECT id, t FROM va ORDER BY id LIMIT 2;
ROLLBACK TO s;
SELECT count(*), sum(id), max(t) FROM va;
ROLLBACK;
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT b, count(*) FROM va GROUP BY b ORDER BY b;
DECLARE i CURSOR WITH HOLD FOR SELECT id, t FROM va ORDER BY id LIMIT 3;
FETCH 1 FROM h;
FETCH 1 FROM i;
COMMIT;
FETCH ALL FROM h;
FETCH ALL FROM i;
CLOSE h;
CLOSE i;

-- generic plans
SET plan_cache_mode = force_generic_plan;
PREPARE pa(int, int, text, numeric, int) AS
	SELECT g % $2 AS k, sum(n + $4) FILTER (WHERE t > $3), count(*), min(t || $3), $5 AS p
	FROM va WHERE id < $1 GROUP BY g % $2 HAVING count(*) > $5 ORDER BY 1;
EXECUTE pa(5000, 3, 'text 2', 1.5, 10);
EXECUTE pa(100, 4, 'text 1', 0, 0);
EXECUTE pa(NULL, 4, 'text 1', 0, 0);
EXECUTE pa(100, 4, NULL, NULL, 0);
EXECUTE pa(100, 0, 'text 1', 0, 0);
EXECUTE pa(0, 0, 'text 1', 0, 0);
PREPARE pb(int, int) AS SELECT id, t FROM va WHERE id > $1 ORDER BY id + $2, id LIMIT 2;
EXECUTE pb(10, 1);
EXECUTE pb(1000, 2);
PREPARE pc(int) AS SELECT id FROM va ORDER BY id LIMIT $1;
EXECUTE pc(2);
EXECUTE pc(1);
PREPARE pd(bool) AS SELECT count(*) FROM va WHERE $1;
EXECUTE pd(true);
EXECUTE pd(false);
EXECUTE pd(NULL);
PREPARE pf(int) AS SELECT $1 AS k, count(*) FROM va GROUP BY k;
EXECUTE pf(4);
EXECUTE pf(NULL);
PREPARE pg(int[]) AS SELECT count(*), sum(id) FILTER (WHERE g = ANY ($1)) FROM va WHERE id = ANY ($1);
EXECUTE pg('{1,2,3,NULL}');
EXECUTE pg('{}');
EXECUTE pg(NULL);
-- kept plans after settings and tables change
SET columnar.vector_agg = off;
EXECUTE pg('{1,2,3}');
RESET columnar.vector_agg;
ALTER TABLE va ADD late int DEFAULT 7, ADD gen int GENERATED ALWAYS AS (id % 4) STORED;
EXECUTE pg('{1,2,3}');
EXECUTE pb(10, 1);
SELECT gen, sum(late), count(late) FROM va GROUP BY gen ORDER BY gen;
SELECT late, count(*), min(gen) FROM va GROUP BY late;
DROP VIEW va_view;
ALTER TABLE va DROP b, ALTER late TYPE bigint;
EXECUTE pg('{1,2,3}');
SELECT gen, sum(late), max(d) FROM va GROUP BY gen ORDER BY gen;
SELECT * FROM va ORDER BY id DESC LIMIT 2;
ALTER TABLE va ADD later text DEFAULT 'late', ADD b bool DEFAULT false;
INSERT INTO va (id, later, b) VALUES (-5, 'mine', true), (-6, NULL, NULL);
SELECT later, b, count(*), min(id), count(late) FROM va GROUP BY later, b ORDER BY 1, 2;
SELECT id, later, b FROM va ORDER BY later DESC NULLS FIRST, id DESC LIMIT 3;
SELECT count(DISTINCT later), min(later), max(later), bool_or(b) FROM va;
DEALLOCATE ALL;
RESET plan_cache_mode;

-- functions
CREATE FUNCTION va_total(k int) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE r record; s numeric := 0;
BEGIN
	FOR r IN SELECT g, sum(n) AS x FROM va WHERE g <= k GROUP BY g LOOP s := s + r.x; END LOOP;
	RETURN s;
END $$;
SELECT va_total(k) FROM generate_series(0, 4) k;
CREATE FUNCTION va_count(k int) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM va WHERE g = $1';
SELECT k, va_count(k) FROM generate_series(0, 3) k;
SELECT g, sum(va_count(g)) FROM va_small WHERE id < 20 GROUP BY g ORDER BY g;
SELECT va_count(g) AS k, count(*) FROM va_small GROUP BY 1 ORDER BY 1;
DO $$
DECLARE s bigint; t bigint := 0; r record;
BEGIN
	FOR i IN 1..30 LOOP
		SELECT count(*) INTO s FROM va_small WHERE id <= i;
		t := t + s;
		FOR r IN SELECT v FROM va_small WHERE id > i ORDER BY id LIMIT 2 LOOP t := t + r.v; END LOOP;
	END LOOP;
	RAISE NOTICE 'total %', t;
END $$;
DO $$
BEGIN
	BEGIN
		PERFORM sum(1 / (id - 3)) FROM va_small;
	EXCEPTION WHEN division_by_zero THEN RAISE NOTICE 'divided by zero';
	END;
	BEGIN
		PERFORM id FROM va_small ORDER BY 1 / (id - 3) LIMIT 2;
	EXCEPTION WHEN division_by_zero THEN RAISE NOTICE 'divided by zero';
	END;
	PERFORM sum(1 / (id - 3)) FILTER (WHERE id <> 3) FROM va_small;
	RAISE NOTICE '%', (SELECT count(*) FROM va_small);
END $$;

-- changes that read what they change
CREATE TABLE va_sums (g int, s numeric, c bigint);
INSERT INTO va_sums SELECT g, sum(n), count(*) FROM va GROUP BY g;
INSERT INTO va_sums SELECT g, sum(s), count(*) FROM va_sums GROUP BY g;
INSERT INTO va_sums SELECT g, s, c FROM va_sums ORDER BY g NULLS LAST, c LIMIT 3;
SELECT g, sum(s), sum(c), count(*) FROM va_sums GROUP BY g ORDER BY g;
UPDATE va_sums x SET s = y.s FROM (SELECT g, sum(v) AS s FROM va_small GROUP BY g) y WHERE x.g = y.g;
UPDATE va_sums SET c = (SELECT count(*) FROM va_sums z WHERE z.g = va_sums.g);
DELETE FROM va_sums WHERE s > (SELECT avg(s) FROM va_sums);
SELECT g, sum(s), sum(c), count(*) FROM va_sums GROUP BY g ORDER BY g;
WITH gone AS (DELETE FROM va_small WHERE id > 40 RETURNING g, v)
	SELECT g, sum(v), (SELECT count(*) FROM va_small) FROM gone GROUP BY g ORDER BY g;
MERGE INTO va_sums x USING (SELECT g, count(*) AS c FROM va_small GROUP BY g) y ON x.g = y.g
	WHEN MATCHED THEN UPDATE SET c = y.c WHEN NOT MATCHED THEN INSERT VALUES (y.g, 0, y.c);
SELECT g, sum(s), sum(c), count(*) FROM va_sums GROUP BY g ORDER BY g;
CREATE FUNCTION va_note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE a bigint; z text;
BEGIN
	SELECT count(*), max(t) INTO a, z FROM va_small;
	RAISE NOTICE '% % %: % %, first %', TG_WHEN, TG_OP, coalesce(NEW.id, OLD.id), a, z, (SELECT id FROM va_small ORDER BY v DESC LIMIT 1);
	RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER va_before BEFORE INSERT OR UPDATE OR DELETE ON va_small FOR EACH ROW EXECUTE FUNCTION va_note();
CREATE TRIGGER va_after AFTER INSERT OR UPDATE OR DELETE ON va_small FOR EACH ROW EXECUTE FUNCTION va_note();
INSERT INTO va_small SELECT i, 1, 1000 + i, 'z' || i FROM generate_series(101, 103) i;
UPDATE va_small SET t = 'zz', v = v + 1 WHERE id > 101;
DELETE FROM va_small WHERE id > 101;
DROP TRIGGER va_before ON va_small;
DROP TRIGGER va_after ON va_small;
CREATE FUNCTION va_seen() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT count(*) FROM va_small';
CREATE FUNCTION va_fixed() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM va_small';
INSERT INTO va_small SELECT i, va_seen(), va_fixed(), 'seen' FROM generate_series(200, 203) i RETURNING id, g, v;
CREATE MATERIALIZED VIEW va_mat AS SELECT g, count(*) AS c, sum(v) AS s FROM va_small GROUP BY g;
INSERT INTO va_small VALUES (300, 1, 1, 'm');
REFRESH MATERIALIZED VIEW va_mat;
SELECT g, sum(c), max(s) FROM va_mat GROUP BY g ORDER BY g LIMIT 3;
CREATE TABLE va_copy AS SELECT t, count(*) AS c FROM va GROUP BY t;
SELECT count(*), sum(c) FROM va_copy;
CREATE TEMP TABLE va_temp AS SELECT id, g, t FROM va WHERE id < 3000;
SELECT g, count(*), max(t) FROM va_temp GROUP BY g ORDER BY g LIMIT 3;
SELECT id, t FROM va_temp ORDER BY id DESC LIMIT 2;
CREATE UNLOGGED TABLE va_unlogged AS SELECT id, g, t FROM va WHERE id < 3000;
SELECT g, count(*), max(t) FROM va_unlogged GROUP BY g ORDER BY g LIMIT 3;

-- row-level security
CREATE ROLE va_reader;
GRANT SELECT ON va_small, va TO va_reader;
GRANT SELECT (id) ON va_pk TO va_reader;
ALTER TABLE va_small ENABLE ROW LEVEL SECURITY;
CREATE POLICY va_some ON va_small TO va_reader USING (g = 1);
SET ROLE va_reader;
SELECT count(*), sum(v) FROM va_small;
SELECT g, count(*) FROM va_small GROUP BY g;
SELECT id, g FROM va_small ORDER BY id LIMIT 2;
SELECT g, count(*) FROM va_small WHERE va_leak(t) GROUP BY g;
SELECT count(id) FROM va_pk;
SELECT sum(v) FROM va_pk;
RESET ROLE;
DROP POLICY va_some ON va_small;
ALTER TABLE va_small DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON va_small, va, va_pk FROM va_reader;
REVOKE ALL (id) ON va_pk FROM va_reader;
DROP ROLE va_reader;

-- types
CREATE DOMAIN va_dom AS int CHECK (VALUE > 0);
CREATE TYPE va_row AS (a int, b text);
CREATE TABLE va_types (d va_dom, r va_row, a int[], e char(3), u uuid, j jsonb, i interval, z timestamptz, x bytea, y "char", p point);
INSERT INTO va_types SELECT i % 3 + 1, ROW(i % 2, 'r')::va_row, ARRAY[i % 2, NULL], 'a' || i % 2, md5((i % 4)::text)::uuid,
	jsonb_build_object('k', i % 2), i % 2 * interval '24 hours' + (1 - i % 2) * interval '1 day', '2020-01-01 UTC'::timestamptz + i % 2 * interval '1 day', decode(md5((i % 3)::text), 'hex'), 'x', point(i, i)
	FROM generate_series(1, 3000) i;
SELECT d, count(*), sum(d), max(d) FROM va_types GROUP BY d ORDER BY d;
SELECT r, count(*) FROM va_types GROUP BY r ORDER BY r;
SELECT a, count(*) FROM va_types GROUP BY a ORDER BY a;
SELECT e, count(*), min(e), count(DISTINCT e) FROM va_types GROUP BY e ORDER BY e;
SELECT u, count(*) FROM va_types GROUP BY u ORDER BY u;
SELECT j, count(*) FROM va_types GROUP BY j ORDER BY j;
SELECT i, count(*), sum(i) FROM va_types GROUP BY i;
SELECT z, x, y, count(*) FROM va_types GROUP BY z, x, y ORDER BY 1, 2, 3;
SELECT count(p), count(DISTINCT p::text) FROM va_types;
SELECT d, r, a, e, j FROM va_types ORDER BY d, r, e LIMIT 1;
SELECT r, j FROM va_types ORDER BY j, r DESC, d LIMIT 1;
SELECT (r).b, max((r).a), min(a[1]), max(j ->> 'k') FROM va_types GROUP BY 1;

-- partitions and children
CREATE TABLE va_part (id int, k int, t text, n numeric) PARTITION BY RANGE (k);
CREATE TABLE va_part1 PARTITION OF va_part FOR VALUES FROM (0) TO (10);
CREATE TABLE va_part2 (t text, gone int, n numeric, k int, id int);
ALTER TABLE va_part2 DROP gone;
ALTER TABLE va_part ATTACH PARTITION va_part2 FOR VALUES FROM (10) TO (20);
CREATE TABLE va_part3 PARTITION OF va_part FOR VALUES FROM (20) TO (30) USING heap;
CREATE TABLE va_part4 PARTITION OF va_part FOR VALUES FROM (30) TO (40) PARTITION BY LIST (t);
CREATE TABLE va_part4a PARTITION OF va_part4 FOR VALUES IN ('t0');
CREATE TABLE va_part4b PARTITION OF va_part4 DEFAULT;
INSERT INTO va_part SELECT i, i % 40, 't' || i % 3, i / 8.0 FROM generate_series(1, 8000) i;
ANALYZE va_part;
SELECT count(*), sum(id), min(t), max(n), avg(n) FROM va_part;
SELECT k, count(*), sum(n) FROM va_part GROUP BY k ORDER BY k LIMIT 5;
SELECT t, count(*), avg(id), max(k) FROM va_part GROUP BY t ORDER BY t;
SELECT t, k / 10, sum(n) FROM va_part WHERE k BETWEEN 5 AND 34 GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 2;
SELECT DISTINCT t FROM va_part ORDER BY t;
SELECT id, k, t FROM va_part ORDER BY id DESC LIMIT 3;
SELECT tableoid::regclass, count(*) FROM va_part GROUP BY 1 ORDER BY 1;
SELECT count(DISTINCT t) FROM va_part;
SELECT count(*) FROM va_part WHERE k = 3 AND k = 15;
SET enable_partitionwise_aggregate = on;
SET enable_partitionwise_join = on;
SELECT k, count(*), sum(n) FROM va_part GROUP BY k ORDER BY k LIMIT 5;
SELECT k, count(*), sum(n) FROM va_part GROUP BY k HAVING sum(n) > 99900 ORDER BY k LIMIT 5;
SELECT t, count(*), avg(id), max(k) FROM va_part GROUP BY t ORDER BY t;
SELECT a.k, count(*) FROM va_part a JOIN va_part b ON a.k = b.k AND b.id < 100 GROUP BY a.k ORDER BY 1 LIMIT 3;
SELECT k, t, count(*) FROM va_part GROUP BY k, t ORDER BY k, t LIMIT 4;
SELECT DISTINCT k FROM va_part ORDER BY k LIMIT 3;
SET plan_cache_mode = force_generic_plan;
PREPARE pp(int) AS SELECT k, count(*), sum(n) FROM va_part WHERE k = $1 GROUP BY k;
EXECUTE pp(3);
EXECUTE pp(35);
EXECUTE pp(99);
RESET enable_partitionwise_aggregate;
RESET enable_partitionwise_join;
DEALLOCATE pp;
PREPARE pp(int) AS SELECT t, count(*), sum(n) FROM va_part WHERE k = $1 GROUP BY t ORDER BY t;
EXECUTE pp(3);
EXECUTE pp(35);
EXECUTE pp(99);
SELECT o, s.* FROM generate_series(9, 11) o, LATERAL (SELECT count(*), sum(n) FROM va_part WHERE k = o) s;
SELECT count(*), sum(n) FROM va_part WHERE k = (SELECT 12);
RESET plan_cache_mode;
DEALLOCATE pp;
CREATE TABLE va_parent (a int, b text, n int);
CREATE TABLE va_child (extra int, b text, a int, n int);
ALTER TABLE va_child INHERIT va_parent;
CREATE TABLE va_child2 (x int) INHERITS (va_parent) USING heap;
INSERT INTO va_parent SELECT i, 'p' || i % 2, i FROM generate_series(1, 2000) i;
INSERT INTO va_child SELECT 0, 'c' || i % 2, i, i FROM generate_series(1, 2000) i;
INSERT INTO va_child2 SELECT i, 'h', i, i FROM generate_series(1, 2000) i;
SELECT count(*), sum(a), min(b), max(b) FROM va_parent;
SELECT b, count(*), sum(a + n) FROM va_parent GROUP BY b ORDER BY b;
SELECT b, count(*) FROM ONLY va_parent GROUP BY b ORDER BY b;
SELECT a % 2, count(*) FILTER (WHERE b < 'h') FROM va_parent WHERE n > 1000 GROUP BY 1 ORDER BY 1;
SELECT a, b FROM va_parent ORDER BY a, b DESC LIMIT 2;

-- settings of the planner
SET enable_hashagg = off;
SELECT g, count(*) FROM va GROUP BY g ORDER BY g LIMIT 2;
SET enable_sort = off;
SELECT g, count(*) FROM va GROUP BY g ORDER BY g LIMIT 2;
SET enable_seqscan = off;
SELECT g, count(*) FROM va GROUP BY g ORDER BY g LIMIT 2;
SELECT id FROM va ORDER BY id LIMIT 2;
RESET enable_hashagg;
RESET enable_sort;
RESET enable_seqscan;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*), sum(id) FROM va;
SELECT id FROM va ORDER BY id LIMIT 1;
COMMIT;

-- columnar only
-- partitions that a parameter rules out are left out at run time
EXPLAIN (COSTS OFF) SELECT count(*) FROM va_part;
SET plan_cache_mode = force_generic_plan;
PREPARE pp(int) AS SELECT t, count(*), sum(n) FROM va_part WHERE k = $1 GROUP BY t;
EXPLAIN (COSTS OFF) EXECUTE pp(3);
-- what the plans are
EXPLAIN (VERBOSE, COSTS OFF) SELECT g % 3, sum(n) FILTER (WHERE t > 'text 2'), count(DISTINCT d) FROM va WHERE id > 5 GROUP BY g % 3 HAVING count(*) > 1;
EXPLAIN (COSTS OFF) SELECT id, t FROM va ORDER BY g DESC NULLS LAST, id LIMIT 2;
-- clocks
CREATE FUNCTION va_times(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Actual Rows')::numeric;
END $$;
SELECT q, va_times(q) FROM unnest(ARRAY['SELECT id FROM va WHERE length(t) > 6', 'SELECT id FROM va WHERE id > 100 AND t || ''x'' <> ''text 5x''',
	'SELECT g, count(*) FROM va WHERE length(t) > 6 GROUP BY g', 'SELECT count(DISTINCT t) FROM va WHERE id % 2 = 0',
	'SELECT id, t FROM va WHERE id % 2 = 0 ORDER BY t, id LIMIT 4', 'SELECT g, sum(n) FROM va GROUP BY g ORDER BY 2 LIMIT 3',
	'SELECT count(*) FROM va_part WHERE id % 3 = 0']) q;
-- end
