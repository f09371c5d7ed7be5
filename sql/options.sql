-- Options of tables: who may set them, what is refused, and what becomes of them.
CREATE TABLE events (at timestamptz, device int, "Kind of" text, body json, old int)
  USING columnar;
SELECT * FROM columnar_options WHERE relation = 'events'::regclass;

SELECT columnar_set_options('events', optimize => 'size');
SELECT columnar_set_options('events', sort_key => 'device, at DESC NULLS LAST, "Kind of"');
SELECT * FROM columnar_options WHERE relation = 'events'::regclass;

-- one option leaves the others alone, and so does NULL
SELECT columnar_set_options('events', optimize => 'speed');
SELECT columnar_set_options('events');
SELECT columnar_set_options('events', NULL, NULL);
SELECT * FROM columnar_options WHERE relation = 'events'::regclass;
SELECT columnar_set_options('events', optimize => 'default');
SELECT columnar_set_options('events', sort_key => 'default');
SELECT * FROM columnar_options WHERE relation = 'events'::regclass;
SELECT count(*) FROM pg_seclabel;

-- twice in a statement, and rolled back
SELECT columnar_set_options('events', sort_key => 'at'),
  columnar_set_options('events', sort_key => 'device NULLS FIRST, at ASC');
BEGIN;
SELECT columnar_set_options('events', 'size', 'old');
SELECT * FROM columnar_options WHERE relation = 'events'::regclass;
ROLLBACK;
SELECT * FROM columnar_options WHERE relation = 'events'::regclass;

-- what is refused
SELECT columnar_set_options(NULL, optimize => 'size');
SELECT columnar_set_options('events', optimize => 'tiny');
SELECT columnar_set_options('events', optimize => '');
SELECT columnar_set_options('events', sort_key => 'nothing');
SELECT columnar_set_options('events', sort_key => 'kind of');
SELECT columnar_set_options('events', sort_key => 'at, at DESC');
SELECT columnar_set_options('events', sort_key => 'body');
SELECT columnar_set_options('events', sort_key => 'ctid');
SELECT columnar_set_options('events', sort_key => 'events.at');
SELECT columnar_set_options('events', sort_key => 'device + 1');
SELECT columnar_set_options('events', sort_key => '1');
SELECT columnar_set_options('events', sort_key => 'at USING <');
SELECT columnar_set_options('events', sort_key => 'at COLLATE "C"');
SELECT columnar_set_options('events', sort_key => 'at LIMIT 1');
SELECT columnar_set_options('events', sort_key => 'at; DROP TABLE events');
SELECT columnar_set_options('events', sort_key => 'at,');
SELECT columnar_set_options('pg_class', optimize => 'size');
CREATE TABLE plain (a int) USING heap;
CREATE VIEW looks AS SELECT 1 AS a;
CREATE SEQUENCE numbers;
SELECT columnar_set_options('plain', optimize => 'size');
SELECT columnar_set_options('looks', optimize => 'size');
SELECT columnar_set_options('numbers', optimize => 'size');
SELECT columnar_set_options('columnar_options', optimize => 'size');
SELECT columnar_set_options('nowhere', optimize => 'size');
BEGIN READ ONLY;
SELECT columnar_set_options('events', optimize => 'size');
ROLLBACK;

-- by hand, as a dump does it
SECURITY LABEL FOR columnar ON TABLE events IS 'optimize=size';
SECURITY LABEL FOR columnar ON COLUMN events.at IS 'sort_key=1 DESC NULLS LAST';
SECURITY LABEL FOR columnar ON COLUMN events.device IS NULL;
SELECT * FROM columnar_options WHERE relation = 'events'::regclass;
SECURITY LABEL FOR columnar ON TABLE events IS 'optimize=tiny';
SECURITY LABEL FOR columnar ON TABLE events IS 'sort_key=1';
SECURITY LABEL FOR columnar ON COLUMN events.at IS 'sort_key=0';
SECURITY LABEL FOR columnar ON COLUMN events.at IS 'sort_key=99999999999';
SECURITY LABEL FOR columnar ON COLUMN events.at IS 'sort_key=1 DESC, x';
SECURITY LABEL FOR columnar ON COLUMN events.body IS 'sort_key=1';
SECURITY LABEL FOR columnar ON TABLE plain IS 'optimize=size';
SECURITY LABEL FOR columnar ON SCHEMA public IS 'optimize=size';

-- definitions change
SELECT columnar_set_options('events', 'size', 'device, old DESC, at, "Kind of"');
ALTER TABLE events RENAME COLUMN device TO "Device";
ALTER TABLE events DROP COLUMN old;
ALTER TABLE events RENAME TO happenings;
CREATE SCHEMA elsewhere;
ALTER TABLE happenings SET SCHEMA elsewhere;
TRUNCATE elsewhere.happenings;
INSERT INTO elsewhere.happenings (at, "Device") SELECT now(), i FROM generate_series(1, 10) i;
VACUUM FULL elsewhere.happenings;
SELECT * FROM columnar_options WHERE optimize = 'size';
ALTER TABLE elsewhere.happenings ALTER COLUMN "Device" TYPE bigint, ADD COLUMN more int;
ALTER TABLE elsewhere.happenings SET UNLOGGED;
SELECT * FROM columnar_options WHERE optimize = 'size';
CREATE TABLE copy (LIKE elsewhere.happenings INCLUDING ALL) USING columnar;
CREATE TABLE again USING columnar AS SELECT * FROM elsewhere.happenings;
SELECT * FROM columnar_options WHERE relation IN ('copy'::regclass, 'again'::regclass) ORDER BY 1;

-- a type without order ends the key: rows are still written
ALTER TABLE elsewhere.happenings ALTER COLUMN at TYPE json USING '{}';
SET columnar.row_form_rows = 0;
INSERT INTO elsewhere.happenings ("Device") SELECT i % 10 FROM generate_series(1, 5000) i;
RESET columnar.row_form_rows;
SELECT count(*), sum("Device") FROM elsewhere.happenings;

-- other access methods have no options, and nothing is left behind
ALTER TABLE elsewhere.happenings SET ACCESS METHOD heap;
SELECT count(*) FROM pg_seclabel;
ALTER TABLE elsewhere.happenings SET ACCESS METHOD columnar;
SELECT * FROM columnar_options WHERE relation = 'elsewhere.happenings'::regclass;
SELECT columnar_set_options('elsewhere.happenings', 'size', '"Device"');
DROP SCHEMA elsewhere CASCADE;
SELECT count(*) FROM pg_seclabel;

-- materialized views and temporary tables
CREATE MATERIALIZED VIEW seen USING columnar AS SELECT i, -i AS j FROM generate_series(1, 3000) i;
SELECT columnar_set_options('seen', 'size', 'j');
REFRESH MATERIALIZED VIEW seen;
SELECT * FROM columnar_options WHERE relation = 'seen'::regclass;
DROP MATERIALIZED VIEW seen;
BEGIN;
CREATE TEMPORARY TABLE passing (a int) USING columnar ON COMMIT DROP;
SELECT columnar_set_options('passing', 'speed');
COMMIT;
SELECT count(*) FROM pg_seclabel;

-- partitions: those that are there, and columnar
CREATE TABLE parts (a int, b text) PARTITION BY LIST (a);
SELECT columnar_set_options('parts', optimize => 'size');
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1) USING columnar;
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2) USING heap;
CREATE TABLE parts_3 (b text, gone int, a int) USING columnar;
ALTER TABLE parts_3 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION parts_3 FOR VALUES IN (3);
SELECT columnar_set_options('parts', 'size', 'a, b DESC');
CREATE TABLE parts_4 PARTITION OF parts FOR VALUES IN (4) USING columnar;
SELECT * FROM columnar_options WHERE relation::text LIKE 'parts%' ORDER BY relation::text;

-- privileges
CREATE ROLE options_owner;
CREATE ROLE options_other;
GRANT CREATE ON SCHEMA public TO options_owner;
SET ROLE options_owner;
CREATE TABLE owned (a int) USING columnar;
SELECT columnar_set_options('owned', sort_key => 'a');
SET ROLE options_other;
SELECT columnar_set_options('owned', sort_key => 'a DESC');
SECURITY LABEL FOR columnar ON TABLE owned IS 'optimize=size';
SELECT columnar_set_options('parts', optimize => 'size');
SELECT * FROM columnar_options WHERE relation = 'owned'::regclass;
RESET ROLE;
SELECT columnar_set_options('owned', sort_key => 'a DESC');
SELECT * FROM columnar_options WHERE relation = 'owned'::regclass;

DROP TABLE parts, owned, copy, again, plain;
DROP SEQUENCE numbers;
REVOKE CREATE ON SCHEMA public FROM options_owner;
DROP ROLE options_owner, options_other;
SELECT count(*) FROM pg_seclabel;
