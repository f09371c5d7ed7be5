--
-- The encoding library tests itself: each row compares one operation of one
-- kernel at one width with something simpler.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;

-- anyone may run it
CREATE ROLE regress_columnar_selftest;
SET ROLE regress_columnar_selftest;
CREATE TEMPORARY TABLE selftest AS SELECT * FROM columnar_encoding_selftest();

-- all is well; the fast paths were taken; enough was compared
SELECT bool_and(ok) AS ok,
       count(*) FILTER (WHERE fast_values = 0 AND operation LIKE 'unpack%'
                        AND kernel <> 'bit'
                        AND width BETWEEN 1 AND 64) = 0 AS fast,
       sum(cases) > 1000000 AS enough
  FROM selftest;

-- what is compared; which of the fastest kernels there are depends on the CPU
SELECT kernel, operation, count(*) AS rows, min(width), max(width),
       bool_and(ok) AS ok
  FROM selftest
  WHERE kernel NOT IN ('neon', 'avx2', 'avx512')
  GROUP BY kernel, operation
  ORDER BY kernel, operation;

-- where a kernel is not available, nothing is claimed
SELECT kernel, operation, cases, ok
  FROM selftest
  WHERE (ok IS NULL) <> (cases = 0);

-- the summary is the sum of all rows
SELECT sum(cases) FILTER (WHERE kernel <> 'summary') =
       sum(cases) FILTER (WHERE kernel = 'summary') AS cases,
       count(*) FILTER (WHERE kernel = 'summary') AS summaries
  FROM selftest;

-- planted faults show, where they are and in the summary
SELECT fault, bool_and(ok) AS ok,
       string_agg(DISTINCT operation, ', ' ORDER BY operation)
         FILTER (WHERE NOT ok AND kernel <> 'summary') AS operations,
       min(width) FILTER (WHERE NOT ok) AS min_width,
       max(width) FILTER (WHERE NOT ok) AS max_width,
       bool_and(mismatches > 0 AND first_mismatch IS NOT NULL)
         FILTER (WHERE NOT ok) AS described
  FROM unnest(ARRAY['ninth_byte', 'nfast', 'mask64', 'add_base', 'delta_carry',
                    'max_top', 'between_edge', 'sum_carry', 'min_max_sign',
                    'pack_carry',
                    'copy_last', 's64_selector', 'vector_base',
                    'chunk_value', 'chunk_reject']) AS fault,
       columnar_encoding_selftest(inject => fault)
  GROUP BY fault
  ORDER BY fault;

-- it can be stopped
SET statement_timeout = '100ms';
SELECT ok FROM columnar_encoding_selftest('full') WHERE kernel = 'summary';
RESET statement_timeout;

SELECT ok FROM columnar_encoding_selftest('slow');
SELECT ok FROM columnar_encoding_selftest(NULL);
SELECT ok FROM columnar_encoding_selftest(inject => 'nonsense');

DROP TABLE selftest;
RESET ROLE;
DROP ROLE regress_columnar_selftest;
