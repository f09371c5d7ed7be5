--
-- Plans follow how much of a table is settled: zone maps skip no rows in row
-- form
--
SET max_parallel_workers_per_gather = 0;
CREATE TABLE priced (id int PRIMARY KEY, amount numeric, note text)
	USING columnar WITH (autovacuum_enabled = off);
INSERT INTO priced
	SELECT i, i % 1000, 'note ' || i % 100 FROM generate_series(1, 200000) i;
VACUUM ANALYZE priced;

-- one row by the index, even a short range by vectors
EXPLAIN (COSTS OFF) SELECT note, amount FROM priced WHERE id = 100000;
EXPLAIN (COSTS OFF) SELECT note, amount FROM priced WHERE id BETWEEN 100000 AND 100499;

-- both ends of a range are taken together
EXPLAIN (COSTS OFF) SELECT note, amount FROM priced WHERE id BETWEEN 100000 AND 105000;

-- rows in row form: now the short range is the index's
SET columnar.row_form_rows = 100000;
UPDATE priced SET amount = amount + 1 WHERE id % 20 = 7;
EXPLAIN (COSTS OFF) SELECT note, amount FROM priced WHERE id BETWEEN 100000 AND 100499;
EXPLAIN (COSTS OFF) SELECT note, amount FROM priced WHERE id BETWEEN 100000 AND 150000;

-- settled again
VACUUM ANALYZE priced;
EXPLAIN (COSTS OFF) SELECT note, amount FROM priced WHERE id BETWEEN 100000 AND 100499;

-- a generic plan is made for a table that changes
PREPARE some_rows(int, int) AS SELECT note, amount FROM priced WHERE id BETWEEN $1 AND $2;
SET plan_cache_mode = force_generic_plan;
CREATE TEMP TABLE plan_cost AS SELECT 0.0 AS generic, 0.0 AS custom;
DO $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) EXECUTE some_rows(100000, 100199)' INTO plan;
	UPDATE plan_cost SET generic = (plan->0->'Plan'->>'Total Cost')::numeric;
	SET plan_cache_mode = force_custom_plan;
	EXECUTE 'EXPLAIN (FORMAT json) EXECUTE some_rows(100000, 100999)' INTO plan;
	UPDATE plan_cost SET custom = (plan->0->'Plan'->>'Total Cost')::numeric;
END $$;
SELECT generic > custom + 100 AS generic_is_dearer FROM plan_cost;
RESET plan_cache_mode;
DEALLOCATE some_rows;

SELECT * FROM columnar_verify('priced');
DROP TABLE priced;
