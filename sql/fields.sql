--
-- Values of fixed length that are passed by reference, as numbers
--
SET default_table_access_method = columnar;

-- types that users make: like others, but known by length and alignment alone
SET client_min_messages = warning;
CREATE TYPE fields_point;
CREATE FUNCTION fields_point_in(cstring) RETURNS fields_point AS 'point_in' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION fields_point_out(fields_point) RETURNS cstring AS 'point_out' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE fields_point (INPUT = fields_point_in, OUTPUT = fields_point_out, LIKE = point);
CREATE TYPE fields_mac;
CREATE FUNCTION fields_mac_in(cstring) RETURNS fields_mac AS 'macaddr_in' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION fields_mac_out(fields_mac) RETURNS cstring AS 'macaddr_out' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE fields_mac (INPUT = fields_mac_in, OUTPUT = fields_mac_out, LIKE = macaddr);
CREATE TYPE fields_tid;
CREATE FUNCTION fields_tid_in(cstring) RETURNS fields_tid AS 'tidin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION fields_tid_out(fields_tid) RETURNS cstring AS 'tidout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE fields_tid (INPUT = fields_tid_in, OUTPUT = fields_tid_out, LIKE = tid);
CREATE TYPE fields_name;
CREATE FUNCTION fields_name_in(cstring) RETURNS fields_name AS 'namein' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION fields_name_out(fields_name) RETURNS cstring AS 'nameout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE fields_name (INPUT = fields_name_in, OUTPUT = fields_name_out, LIKE = name);
RESET client_min_messages;
CREATE DOMAIN fields_key AS uuid;

CREATE TABLE fields_t (
	id integer, ordered uuid, random fields_key, few uuid, mac macaddr, mac8 macaddr8,
	span interval, clock timetz, address inet, net cidr, mixed inet, bits bit(13), vbits varbit,
	place point, edge box, ring circle, row_id tid, label name,
	my_place fields_point, my_mac fields_mac, my_tid fields_tid, my_name fields_name
);
INSERT INTO fields_t
SELECT i,
	(lpad(to_hex(1700000000000::bigint + i * 13), 12, '0') || '7' || right(md5(i::text), 19))::uuid,
	md5(i::text)::uuid, md5((i % 50)::text)::uuid,
	('08:00:2b' || regexp_replace(lpad(to_hex(i * 37 % 1000003), 6, '0'), '(..)', ':\1', 'g'))::macaddr,
	('08:00:2b:01' || regexp_replace(lpad(to_hex(i::bigint * 3700), 8, '0'), '(..)', ':\1', 'g'))::macaddr8,
	make_interval(months => i % 5 - 2, days => i % 31, secs => i * 1.5 - 10000),
	'00:00+02'::timetz + i % 86400 * '1 s'::interval,
	'10.0.0.0'::inet + i * 7, set_masklen(('10.0.0.0'::inet + i * 256)::cidr, 24),
	CASE WHEN i % 100 = 0 THEN '2001:db8::'::inet + i ELSE '192.168.0.0'::inet + i % 65536 END,
	(i % 8192)::bit(13), i::bit(20)::varbit,
	point(i / 100.0, -i / 8.0), box(point(i, i), point(i / 10.0, 0)), circle(point(i % 360, i % 180), i % 10),
	format('(%s,%s)', i / 100, i % 100 + 1)::tid, 'n' || i,
	format('(%s,%s)', i / 100.0, i % 7)::fields_point,
	('08:00:2b' || regexp_replace(lpad(to_hex(i * 37 % 1000003), 6, '0'), '(..)', ':\1', 'g'))::fields_mac,
	format('(%s,%s)', i / 100, i % 100 + 1)::fields_tid, ('n' || i % 300)::fields_name
FROM generate_series(1, 20000) i;
-- NULLs, more and less of them
INSERT INTO fields_t (id, ordered, random, span, address, place, my_place, bits)
SELECT i,
	CASE WHEN i % 20 > 0 THEN (lpad(to_hex(1700000000000::bigint + i * 13), 12, '0') || '7' || right(md5(i::text), 19))::uuid END,
	CASE WHEN i % 20 > 0 THEN md5(i::text)::uuid END, CASE WHEN i % 3 = 0 THEN make_interval(days => i) END,
	CASE WHEN i % 50 = 0 THEN '10.0.0.0'::inet + i END, CASE WHEN i % 2 = 0 THEN point(i, i) END,
	CASE WHEN i > 30000 THEN format('(%s,%s)', i, i)::fields_point END, CASE WHEN i = 39999 THEN B'1010101010101' END
FROM generate_series(20001, 40000) i;

-- what comes back
SELECT count(*), md5(string_agg(md5(fields_t::text), '' ORDER BY id)) FROM fields_t;
SELECT * FROM fields_t WHERE id = 12345 \gx
SELECT id, ordered, span, address, place, my_place, bits FROM fields_t WHERE id IN (20020, 30003, 39999, 40000) ORDER BY id;

-- filters and order
SELECT id FROM fields_t WHERE ordered = (SELECT ordered FROM fields_t WHERE id = 777);
SELECT id FROM fields_t WHERE random = md5('4711')::uuid;
SELECT count(*), min(id), max(id) FROM fields_t WHERE ordered < '018bcfe6-0000-7000-8000-000000000000';
SELECT count(*), min(id), max(id) FROM fields_t WHERE random BETWEEN '80000000-0000-0000-0000-000000000000' AND '81000000-0000-0000-0000-000000000000';
SELECT count(*) FROM fields_t WHERE few IN (md5('1')::uuid, md5('2')::uuid, md5('none')::uuid);
SELECT count(*) FROM fields_t WHERE ordered IS NULL OR random IS DISTINCT FROM md5(id::text)::uuid;
SELECT count(*) FROM fields_t WHERE mac >= '08:00:2b:08:00:00';
SELECT count(*), sum(span), max(span), min(clock) FROM fields_t WHERE span > '1 mon';
SELECT count(*), max(address), min(net) FROM fields_t WHERE address << '10.0.0.0/18';
SELECT id, ordered FROM fields_t ORDER BY ordered DESC NULLS LAST LIMIT 3;
SELECT few, count(*) FROM fields_t GROUP BY few ORDER BY count(*) DESC, few LIMIT 3;
SELECT count(DISTINCT random), count(DISTINCT mac8), count(DISTINCT span), count(DISTINCT bits), count(DISTINCT mixed) FROM fields_t;
SELECT count(*) FROM fields_t a JOIN fields_t b ON a.random = b.random AND a.id = b.id;

-- single rows, by index, and rows that move
CREATE UNIQUE INDEX fields_ordered ON fields_t (ordered);
SET enable_seqscan = off;
SELECT id, random, span, place FROM fields_t WHERE ordered = (SELECT ordered FROM fields_t WHERE id = 19999);
RESET enable_seqscan;
UPDATE fields_t SET span = span * 2, random = md5('new' || id)::uuid WHERE id % 500 = 0;
DELETE FROM fields_t WHERE id % 3 = 1;
VACUUM fields_t;
SELECT count(*), md5(string_agg(md5((fields_t.*)::text), '' ORDER BY id)) FROM fields_t;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname = 'fields_t';
CREATE TABLE fields_c AS SELECT * FROM fields_t ORDER BY id;
SELECT columnar_compact('fields_c') IS NOT NULL AS done;
SELECT attribute, ARRAY(SELECT jsonb_object_keys(encodings) ORDER BY 1) AS encodings FROM columnar_columns('fields_c');
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname = 'fields_c';
DROP TABLE fields_c;
-- end
DROP TABLE fields_t;
DROP TYPE fields_point, fields_mac, fields_tid, fields_name CASCADE;
DROP DOMAIN fields_key;
