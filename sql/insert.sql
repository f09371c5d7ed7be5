--
-- The ways to get rows in and out
--
SET default_table_access_method = columnar;

CREATE TABLE load_t (id integer NOT NULL, grp integer, name text DEFAULT 'none', v numeric(12,2));

-- single rows, a few rows, COPY
INSERT INTO load_t VALUES (1, 1, 'one', 1.5);
INSERT INTO load_t (id) VALUES (2), (3);
COPY load_t FROM STDIN;
4	2	four	4.25
5	\N	\N	\N
6	3	tab\there	-0.01
\.
COPY load_t (id, name) FROM STDIN WITH (FORMAT csv, HEADER);
id,name
7,"a ""quoted"" one"
8,"two
lines"
9,
\.
SELECT * FROM load_t ORDER BY id;
INSERT INTO load_t VALUES (10, 4, 'ret', 10) RETURNING *, tableoid::regclass;
INSERT INTO load_t VALUES (NULL);
SELECT count(*) FROM load_t;

-- many rows: over several chunk groups
INSERT INTO load_t SELECT i, i % 100, 'name ' || i % 1000, i / 4.0 FROM generate_series(11, 150000) i;
SELECT count(*), count(grp), sum(grp), sum(id), sum(v), count(DISTINCT name), min(name), max(name) FROM load_t;
SELECT * FROM load_t WHERE id IN (11, 1024, 1025, 65535, 65536, 65537, 131072, 131073, 150000) ORDER BY id;

-- out and in again
COPY (SELECT * FROM load_t ORDER BY id) TO PROGRAM 'cat >/dev/null';
COPY (SELECT * FROM load_t WHERE id < 5 ORDER BY id) TO STDOUT;
CREATE TABLE load_copy AS SELECT * FROM load_t;
CREATE TABLE load_like (LIKE load_t INCLUDING ALL);
INSERT INTO load_like TABLE load_copy;
INSERT INTO load_like SELECT * FROM load_like;
SELECT count(*), sum(id), sum(v) FROM load_like;
(TABLE load_t EXCEPT ALL TABLE load_copy) UNION ALL (TABLE load_copy EXCEPT ALL TABLE load_t);

-- in small portions: one command, many calls
CREATE FUNCTION load_rows(n integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..n LOOP
		INSERT INTO load_copy VALUES (i, -1, 'loop', 0);
	END LOOP;
END $$;
SELECT load_rows(3000);
SELECT count(*), sum(id) FROM load_copy WHERE grp = -1;

-- data-modifying CTE, SELECT INTO, nothing at all
WITH ins AS (INSERT INTO load_copy SELECT i, -2, 'cte', 1 FROM generate_series(1, 2000) i RETURNING id)
SELECT count(*), sum(id), (SELECT count(*) FROM load_copy WHERE grp = -2) AS not_yet FROM ins;
SELECT count(*) FROM load_copy WHERE grp = -2;
SELECT id, name INTO load_into FROM load_t WHERE id <= 3;
SELECT * FROM load_into ORDER BY id;
INSERT INTO load_into SELECT 1, 'x' WHERE false;
CREATE TABLE load_empty AS SELECT * FROM load_t WHERE false;
SELECT count(*), max(id) FROM load_empty;
CREATE TABLE load_nothing ();
INSERT INTO load_nothing DEFAULT VALUES;
INSERT INTO load_nothing SELECT FROM generate_series(1, 10000);
SELECT count(*) FROM load_nothing;

-- materialized views
CREATE MATERIALIZED VIEW load_mv AS SELECT grp, count(*) AS n, sum(v) AS total FROM load_t GROUP BY grp;
SELECT count(*), sum(n), sum(total) FROM load_mv;
INSERT INTO load_t VALUES (150001, 1000, 'late', 1);
SELECT count(*) FROM load_mv WHERE grp = 1000;
REFRESH MATERIALIZED VIEW load_mv;
SELECT * FROM load_mv WHERE grp = 1000;
REFRESH MATERIALIZED VIEW load_mv WITH NO DATA;
SELECT count(*) FROM load_mv;

-- triggers, defaults, generated and identity columns, checks
CREATE TABLE load_trig (id integer GENERATED ALWAYS AS IDENTITY, a integer CHECK (a <> 13),
	twice integer GENERATED ALWAYS AS (a * 2) STORED, note text);
CREATE FUNCTION load_trig_f() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_WHEN = 'BEFORE' THEN
		NEW.note := 'seen ' || NEW.a;
		RETURN NEW;
	END IF;
	IF NEW.a % 5000 = 0 THEN
		RAISE NOTICE 'row %: % of % rows', NEW.a, NEW.note, (SELECT count(*) FROM load_trig);
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER before_row BEFORE INSERT ON load_trig FOR EACH ROW EXECUTE FUNCTION load_trig_f();
CREATE TRIGGER after_row AFTER INSERT ON load_trig FOR EACH ROW EXECUTE FUNCTION load_trig_f();
INSERT INTO load_trig (a) SELECT i FROM generate_series(101, 10100) i;
INSERT INTO load_trig (a) VALUES (14), (13);
SELECT count(*), count(DISTINCT id), sum(twice), min(note), max(note) FROM load_trig;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname LIKE 'load\_%' AND relkind IN ('r', 'm');
-- end
DROP MATERIALIZED VIEW load_mv;
DROP TABLE load_t, load_copy, load_like, load_into, load_empty, load_nothing, load_trig;
DROP FUNCTION load_rows, load_trig_f;
