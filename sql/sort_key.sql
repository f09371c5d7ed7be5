--
-- Sort keys: rows of a load in order, unless somebody knows their TIDs
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS columnar;
RESET client_min_messages;
SET default_table_access_method = columnar;

CREATE TABLE sort_source AS
SELECT g AS id, (g::bigint * 7919 % 100003)::int AS device,
       CASE WHEN g % 11 > 0 THEN 'http://example.com/' || g * 31 % 5000 END AS url,
       timestamptz '2026-01-01 00:00Z' + g * interval '1 second' AS at,
       (g * 17 % 1000)::numeric / 10 AS reading
  FROM generate_series(1, 90000) g;

CREATE TABLE sort_load (LIKE sort_source);
-- columnar only
SELECT columnar_set_options('sort_load', sort_key => 'device');
-- end
INSERT INTO sort_load SELECT * FROM sort_source;
SELECT count(*), sum(device), count(url), sum(reading), max(at) FROM sort_load;
SELECT count(*) FROM sort_load JOIN sort_source USING (id, device, at, reading)
 WHERE sort_load.url IS NOT DISTINCT FROM sort_source.url;
SELECT * FROM sort_load WHERE device = 4711 ORDER BY id;
-- columnar only
SELECT vectors, sorted, segments FROM columnar_sortedness('sort_load', 'device');
SELECT vectors, sorted < 0.1 AS unsorted, segments FROM columnar_sortedness('sort_load', 'id');
CREATE FUNCTION sort_counter(query text, name text) RETURNS bigint LANGUAGE plpgsql AS
$$DECLARE plan json; BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT json) ' || query INTO plan;
	RETURN (SELECT sum(x[1]::bigint) FROM regexp_matches(plan::text, '"' || name || '": (\d+)', 'g') x);
END$$;
SELECT sort_counter('SELECT id FROM sort_load WHERE device = 4711', 'Columnar Groups Skipped') AS groups,
       sort_counter('SELECT id FROM sort_load WHERE device = 4711', 'Columnar Vectors Skipped') AS vectors;
DROP FUNCTION sort_counter;
-- end

-- descending, NULLs, strings, several columns
CREATE TABLE sort_mixed (LIKE sort_source);
-- columnar only
SELECT columnar_set_options('sort_mixed', sort_key => 'url DESC NULLS LAST, reading, at DESC');
-- end
INSERT INTO sort_mixed SELECT * FROM sort_source WHERE id <= 50000;
SELECT count(*), sum(device), count(url), sum(reading), max(at) FROM sort_mixed;
-- columnar only
SELECT count(*) FROM (
	SELECT url COLLATE "C" AS url, lag(url COLLATE "C") OVER w AS url_before,
	       reading, lag(reading) OVER w AS reading_before, at, lag(at) OVER w AS at_before
	  FROM sort_mixed WHERE id > 1000 WINDOW w AS (ORDER BY ctid)) r
 WHERE url > url_before OR url_before IS NULL AND url IS NOT NULL AND at_before IS NOT NULL
    OR url IS NOT DISTINCT FROM url_before
       AND (reading < reading_before OR reading = reading_before AND at > at_before);
SELECT attribute, vectors, segments FROM columnar_sortedness('sort_mixed');
-- end

-- an index knows TIDs, so such a load stays as it is
CREATE TABLE sort_indexed (LIKE sort_source, PRIMARY KEY (id));
-- columnar only
SELECT columnar_set_options('sort_indexed', sort_key => 'device');
-- end
INSERT INTO sort_indexed SELECT * FROM sort_source WHERE id <= 40000 ORDER BY device;
INSERT INTO sort_indexed SELECT * FROM sort_source WHERE id BETWEEN 30001 AND 50000 ON CONFLICT DO NOTHING;
INSERT INTO sort_indexed SELECT * FROM sort_source WHERE id BETWEEN 40001 AND 60000
    ON CONFLICT (id) DO UPDATE SET url = 'again';
SET enable_seqscan = off;
SELECT count(*), sum(i.device - s.device), sum((i.url = 'again')::int)
  FROM sort_source s CROSS JOIN LATERAL (SELECT * FROM sort_indexed i WHERE i.id = s.id) i
 WHERE s.id % 10 = 0;
RESET enable_seqscan;

-- one that is made later, also in the same transaction, is made of sorted rows
BEGIN;
CREATE TABLE sort_later (LIKE sort_source);
-- columnar only
SELECT columnar_set_options('sort_later', sort_key => 'device');
-- end
INSERT INTO sort_later SELECT * FROM sort_source WHERE id <= 20000;
CREATE UNIQUE INDEX sort_later_id ON sort_later (id);
INSERT INTO sort_later SELECT * FROM sort_source WHERE id > 20000;
COMMIT;
SET enable_seqscan = off;
SELECT count(*), sum(l.device - s.device)
  FROM sort_source s CROSS JOIN LATERAL (SELECT * FROM sort_later l WHERE l.id = s.id) l
 WHERE s.id % 10 = 0;
RESET enable_seqscan;

-- AFTER triggers of rows, deferred ones, and foreign keys, fetch by TID
CREATE TABLE sort_log (id int, device int);
CREATE FUNCTION sort_log_row() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN INSERT INTO sort_log VALUES (NEW.id, NEW.device); RETURN NULL; END$$;
CREATE TABLE sort_triggers (LIKE sort_source);
-- columnar only
SELECT columnar_set_options('sort_triggers', sort_key => 'device');
-- end
CREATE TRIGGER log AFTER INSERT ON sort_triggers FOR EACH ROW EXECUTE FUNCTION sort_log_row();
INSERT INTO sort_triggers SELECT * FROM sort_source WHERE id <= 12000;
DROP TRIGGER log ON sort_triggers;
CREATE CONSTRAINT TRIGGER log AFTER INSERT ON sort_triggers DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION sort_log_row();
BEGIN;
INSERT INTO sort_triggers SELECT * FROM sort_source WHERE id BETWEEN 12001 AND 24000;
SELECT count(*) FROM sort_log;
COMMIT;
SELECT count(*), count(DISTINCT id) FROM sort_log JOIN sort_source USING (id, device);
DROP TRIGGER log ON sort_triggers;
CREATE UNIQUE INDEX sort_source_id ON sort_source (id);
ALTER TABLE sort_triggers ADD FOREIGN KEY (id) REFERENCES sort_source (id);
INSERT INTO sort_triggers SELECT * FROM sort_source WHERE id BETWEEN 24001 AND 36000;
INSERT INTO sort_triggers SELECT id, 0 FROM sort_source WHERE id <= 12000;
INSERT INTO sort_triggers SELECT 12000 - id, 0 FROM sort_source WHERE id <= 12000;
SELECT count(*), sum(device) FROM sort_triggers;

-- tables of new rows have copies
CREATE FUNCTION sort_log_sum() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN INSERT INTO sort_log SELECT -count(*), sum(device) FROM news; RETURN NULL; END$$;
CREATE TRIGGER log_sum AFTER INSERT ON sort_load REFERENCING NEW TABLE AS news
    FOR EACH STATEMENT EXECUTE FUNCTION sort_log_sum();
INSERT INTO sort_load SELECT * FROM sort_source WHERE id <= 12000;
SELECT * FROM sort_log WHERE id <= 0;
DROP TRIGGER log_sum ON sort_load;

-- who has been told TIDs finds the rows that he has been told of
CREATE TABLE sort_tids (tid tid, id int);
BEGIN;
WITH told AS (INSERT INTO sort_load SELECT -id, device FROM sort_source WHERE id <= 20000 RETURNING ctid, id)
INSERT INTO sort_tids SELECT * FROM told;
SELECT count(*), count(*) FILTER (WHERE l.id = t.id)
  FROM sort_tids t CROSS JOIN LATERAL (SELECT * FROM sort_load l WHERE l.ctid = t.tid) l
 WHERE t.id % 10 = 0;
COMMIT;

-- savepoints, reading in between, and a rolled back load
BEGIN;
INSERT INTO sort_load SELECT id + 100000, device FROM sort_source WHERE id <= 15000;
SAVEPOINT a;
INSERT INTO sort_load SELECT id + 200000, device FROM sort_source WHERE id <= 15000;
SELECT count(*), sum(id) FROM sort_load WHERE id > 100000;
ROLLBACK TO a;
INSERT INTO sort_load SELECT id + 300000, device FROM sort_source WHERE id <= 3000;
ALTER TABLE sort_load ADD COLUMN added int DEFAULT 7;
INSERT INTO sort_load SELECT id + 400000, device FROM sort_source WHERE id <= 15000;
RELEASE a;
UPDATE sort_load SET reading = -1 WHERE id BETWEEN 400001 AND 400100;
COMMIT;
SELECT count(*), sum(id), sum(added), sum(reading) FROM sort_load WHERE id > 100000;

-- partitions, and rows that move to one that knows TIDs
CREATE TABLE sort_parts (LIKE sort_source) PARTITION BY LIST (reading);
CREATE TABLE sort_part1 PARTITION OF sort_parts FOR VALUES IN (1);
CREATE TABLE sort_part2 PARTITION OF sort_parts FOR VALUES IN (2);
-- columnar only
SELECT columnar_set_options('sort_part1', sort_key => 'url'), columnar_set_options('sort_part2', sort_key => 'device');
-- end
INSERT INTO sort_parts SELECT id, device, url, at, 1 + id % 2 FROM sort_source;
UPDATE sort_parts SET reading = 2 WHERE reading = 1 AND id % 3 = 0;
SELECT tableoid::regclass AS part, count(*), sum(id), sum(device) FROM sort_parts GROUP BY part ORDER BY part;

-- types
CREATE TYPE sort_mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN sort_code AS varchar(10);
CREATE TABLE sort_types (id int, m sort_mood, c sort_code, u uuid, f float8, a int[], b bool, p char(5), v varchar);
-- columnar only
SELECT columnar_set_options('sort_types', sort_key => 'm, c DESC, u, f, a DESC, b, p, v');
-- end
INSERT INTO sort_types
SELECT g, (ARRAY['happy', 'sad', NULL, 'ok'])[1 + g % 4]::sort_mood, 'c' || g % 3, md5((g % 50)::text)::uuid,
       CASE g % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' ELSE g::float8 END, ARRAY[g % 7, g], g % 2 = 0, g % 9, g
  FROM generate_series(1, 20000) g;
SELECT m, count(*), min(c), sum(a[2]), count(b) FROM sort_types GROUP BY m ORDER BY m;
-- columnar only
SELECT count(*) FROM (SELECT m, lag(m) OVER w AS m_before, c, lag(c) OVER w AS c_before, u, lag(u) OVER w AS u_before
	  FROM sort_types WHERE id > 1000 WINDOW w AS (ORDER BY ctid)) r
 WHERE m < m_before OR m = m_before AND (c > c_before OR c = c_before AND u < u_before);

-- a key can be changed; a column of it that goes takes its part with it
SELECT columnar_set_options('sort_types', sort_key => 'u');
INSERT INTO sort_types SELECT g, 'ok', 'd', md5(g::text)::uuid FROM generate_series(1, 20000) g;
SELECT attribute FROM columnar_sortedness('sort_types');
ALTER TABLE sort_types DROP COLUMN u;
INSERT INTO sort_types SELECT g, 'ok', 'e' FROM generate_series(1, 20000) g;
SELECT attribute FROM columnar_sortedness('sort_types');

SELECT c.relname, v.* FROM pg_class c JOIN pg_am a ON a.oid = c.relam,
       LATERAL columnar_verify(c.oid) v
 WHERE a.amname = 'columnar';
-- end

DROP TABLE sort_load, sort_mixed, sort_indexed, sort_later, sort_triggers, sort_log, sort_tids, sort_parts, sort_types, sort_source;
DROP TYPE sort_mood;
DROP DOMAIN sort_code;
DROP FUNCTION sort_log_row, sort_log_sum;
