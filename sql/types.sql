--
-- Every type of value, in row form and in column form
--
SET default_table_access_method = columnar;

CREATE TYPE types_mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN types_small AS integer CHECK (VALUE < 100000);
CREATE TYPE types_pair AS (a integer, b text);

CREATE TABLE types_t (
	id integer,
	i2 smallint, i8 bigint, f4 real, f8 double precision,
	n numeric, n2 numeric(20,4), m money, b boolean,
	c "char", c5 char(5), vc varchar(20), t text, ba bytea, nm name,
	d date, tm time, tmtz timetz, ts timestamp, tstz timestamptz, iv interval,
	u uuid, ip inet, net cidr, mac macaddr, mac8 macaddr8,
	b5 bit(5), vb varbit,
	pt point, ls lseg, bx box, pth path, poly polygon, ci circle,
	j json, jb jsonb, tsv tsvector, tsq tsquery,
	r int4range, mr nummultirange, ia integer[], ta text[],
	mood types_mood, small types_small, pair types_pair,
	o oid, rc regtype, l pg_lsn, x xid8
);

-- the edges of each
INSERT INTO types_t VALUES
	(-3, -32768, -9223372036854775808, '-Infinity', '-Infinity',
	 '-Infinity', -9999999999999999.9999, '-92233720368547758.08', false,
	 '', '', '', '', '', '',
	 '-infinity', '00:00', '00:00+14', '-infinity', '-infinity', '-178000000 years',
	 '00000000-0000-0000-0000-000000000000', '0.0.0.0/0', '::/0',
	 '00:00:00:00:00:00', '00:00:00:00:00:00:00:00', B'00000', '',
	 '(-1e300,1e-300)', '[(0,0),(0,0)]', '((0,0),(0,0))', '[(0,0)]', '((0,0))', '<(0,0),0>',
	 'null', 'null', '', '', 'empty', '{}', '{}', '{}',
	 'sad', -1, '(,)', 0, 0, '0/0', '0'),
	(-2, 32767, 9223372036854775807, 'NaN', 'NaN',
	 'NaN', 9999999999999999.9999, '92233720368547758.07', true,
	 'z', 'abcde', repeat('v', 20), repeat('t', 300), '\x00ff00', repeat('n', 63),
	 'infinity', '24:00', '24:00-14', 'infinity', 'infinity', '178000000 years',
	 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'ffff::/128', '10.1.2.0/24',
	 'ff:ff:ff:ff:ff:ff', 'ff:ff:ff:ff:ff:ff:ff:ff', B'11111', repeat('10', 40)::varbit,
	 '(Infinity,NaN)', '[(1,2),(3,4)]', '((1,2),(3,4))', '((1,2),(3,4))', '((1,2),(3,4),(5,6))',
	 '<(1,2),3>', '{"a": [1, 2]}', '{"b": {"a": [1, 2.50]}}', 'a:1A fat:2 cat:3', 'fat & !rat',
	 '[1,10)', '{[1.5,2.5),[3,4]}', '{{1,2},{3,NULL}}', '{"a b",NULL,"{}"}',
	 'happy', 99999, '(1,"x y")', 4294967295, 'integer', 'FFFFFFFF/FFFFFFFF',
	 '18446744073709551615');
INSERT INTO types_t (id) VALUES (-1);
SELECT * FROM types_t WHERE id = -2 \gx
SELECT count(*) FROM types_t WHERE types_t IS NULL OR t = '';
SELECT id, num_nulls(i2, i8, f4, f8, n, m, b, t, d, iv, jb, ia, pair, x) FROM types_t ORDER BY id;

-- and a good many of each, by column
INSERT INTO types_t
SELECT i,
	i % 30000 - 15000, i::bigint * i * 1000003, i / 7.0, sqrt(i),
	(i / 16.0)::numeric * (-1) ^ (i % 2), i / 100.0, (i % 1000)::numeric::money, i % 3 = 0,
	chr(97 + i % 26)::"char", to_char(i, 'FM99999'), 'v' || i % 1000, md5(i::text), sha256(i::text::bytea),
	'n' || i % 17,
	'2000-01-01'::date + i % 4000, '00:00'::time + i * '1 ms'::interval, '00:00+02'::timetz + i * '1 s'::interval,
	'2000-01-01'::timestamp + i * '1 s'::interval, '2000-01-01 00:00+00'::timestamptz + i * '1 min'::interval,
	i * '1 hour'::interval,
	md5(i::text)::uuid, '10.0.0.0'::inet + i, set_masklen(('10.0.0.0'::inet + i * 256)::cidr, 24),
	('08:00:2b:01:02:' || to_hex(16 + i % 200))::macaddr, '08:00:2b:01:02:03:04:05',
	(i % 32)::bit(5), (i::bit(20))::varbit,
	point(i, -i), lseg(point(i, 0), point(0, i)), box(point(i, i), point(0, 0)), '((0,0),(1,1))', '((0,0),(1,1),(2,0))',
	circle(point(i, i), i % 10),
	json_build_object('k', i), jsonb_build_object('k', i, 'v', md5(i::text)), to_tsvector('simple', 'a b' || i % 5),
	'a & b', int4range(i, i + 10), nummultirange(numrange(i, i + 1)), ARRAY[i, NULL, i + 1], ARRAY['x' || i % 3],
	(ARRAY['sad', 'ok', 'happy'])[i % 3 + 1]::types_mood, i, ROW(i, 'p' || i % 9)::types_pair,
	i, (ARRAY['text', 'integer', 'bool'])[i % 3 + 1]::regtype, '0/0'::pg_lsn + i, i::text::xid8
FROM generate_series(1, 20000) i;

-- every third value of each attribute is NULL in these
INSERT INTO types_t (id, i2, n, t, jb, ia, ts, b, u, pt)
SELECT i, nullif(i % 3, 0), CASE i % 3 WHEN 1 THEN i / 10.0 END, CASE i % 3 WHEN 1 THEN 't' || i % 50 END,
	CASE i % 3 WHEN 1 THEN to_jsonb(i) END, CASE i % 3 WHEN 1 THEN ARRAY[i] END,
	CASE i % 3 WHEN 1 THEN '2000-01-01'::timestamp + i * '1 day'::interval END,
	CASE i % 3 WHEN 1 THEN i % 2 = 0 END, CASE i % 3 WHEN 1 THEN md5(i::text)::uuid END,
	CASE i % 3 WHEN 1 THEN point(i, i) END
FROM generate_series(20001, 40000) i;

SELECT count(*), md5(string_agg(md5(types_t::text), '' ORDER BY id)) FROM types_t;
SELECT count(i2), sum(i2), sum(i8), count(n), sum(n), sum(n2), min(d), max(ts), sum(m), count(jb), bool_or(b), max(u::text)
FROM types_t WHERE id > 0;
SELECT * FROM types_t WHERE id = 12345 \gx
SELECT id, t, jb, ia FROM types_t WHERE id BETWEEN 30000 AND 30002 ORDER BY id;

-- one attribute at a time
SELECT count(DISTINCT c5), count(DISTINCT nm), count(DISTINCT mood), count(DISTINCT net), count(DISTINCT tsv) FROM types_t;

-- columnar only
SELECT relname, v::text AS finding FROM pg_class, columnar_verify(oid) v WHERE relname = 'types_t';
-- end
DROP TABLE types_t;
DROP TYPE types_mood, types_pair;
DROP DOMAIN types_small;
