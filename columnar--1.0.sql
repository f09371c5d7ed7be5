/* columnar--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION columnar" to load this file. \quit

CREATE FUNCTION columnar_handler(internal)
RETURNS table_am_handler
AS 'MODULE_PATHNAME'
LANGUAGE C STRICT;

CREATE ACCESS METHOD columnar TYPE TABLE HANDLER columnar_handler;
COMMENT ON ACCESS METHOD columnar IS 'columnar table access method';

-- the encoding library's test of itself
CREATE FUNCTION columnar_encoding_selftest(
	level text DEFAULT 'quick',
	inject text DEFAULT NULL,
	OUT kernel text,
	OUT operation text,
	OUT width int,
	OUT cases bigint,
	OUT values_checked bigint,
	OUT fast_values bigint,
	OUT peel_values bigint,
	OUT tail_values bigint,
	OUT mismatches bigint,
	OUT first_mismatch text,
	OUT elapsed_ms float8,
	OUT ok bool)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE CALLED ON NULL INPUT;

-- one row per damage found in a table's file, none if it is sound
CREATE FUNCTION columnar_verify(
	relation regclass,
	OUT block bigint,
	OUT message text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE STRICT;

-- as for amcheck's functions: who may look at any table's state is granted
REVOKE ALL ON FUNCTION columnar_verify(regclass) FROM PUBLIC;

-- turns settled rows into column form now; returns how many
CREATE FUNCTION columnar_compact(relation regclass)
RETURNS bigint
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE STRICT;

/*
 * Options of a table: optimize is 'speed', 'balance' or 'size', sort_key what
 * would follow ORDER BY.  NULL leaves an option as it is, 'default' resets it.
 * Checks that the caller owns the table.
 */
CREATE FUNCTION columnar_set_options(
	relation regclass,
	optimize text DEFAULT NULL,
	sort_key text DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE CALLED ON NULL INPUT;

-- the options of all columnar tables
CREATE VIEW columnar_options AS
SELECT c.oid::pg_catalog.regclass AS relation,
	coalesce((
		SELECT pg_catalog.substring(l.label, '^optimize=(.*)$')
		FROM pg_catalog.pg_seclabel l
		WHERE l.objoid = c.oid
			AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
			AND l.objsubid = 0 AND l.provider = 'columnar'), 'balance') AS optimize,
	(
		SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) ||
			pg_catalog.substring(l.label, '^sort_key=[0-9]+(.*)$'), ', '
			ORDER BY pg_catalog.substring(l.label, '^sort_key=([0-9]+)')::int)
		FROM pg_catalog.pg_seclabel l
		JOIN pg_catalog.pg_attribute a
			ON a.attrelid = l.objoid AND a.attnum = l.objsubid
		WHERE l.objoid = c.oid
			AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
			AND l.objsubid > 0 AND l.provider = 'columnar') AS sort_key
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_am m ON m.oid = c.relam
WHERE c.relkind IN ('r', 'm')
	AND m.amhandler = 'columnar_handler'::pg_catalog.regproc;

GRANT SELECT ON columnar_options TO PUBLIC;

/*
 * How columns are stored: a row per chunk (one attribute of a run of rows) or
 * per attribute.  Attributes that the caller may not select are left out;
 * nulls, distinct_values, min and max are NULL where policies hide rows.
 */
CREATE FUNCTION columnar_chunks(
	relation regclass,
	OUT chunk_group bigint,
	OUT segment int,
	OUT attribute name,
	OUT rows bigint,
	OUT encodings jsonb,
	OUT bytes bigint,
	OUT raw_bytes bigint,
	OUT ratio float8,
	OUT nulls bigint,
	OUT distinct_values bigint,
	OUT min text,
	OUT max text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE STRICT;

CREATE FUNCTION columnar_columns(
	relation regclass,
	OUT attribute name,
	OUT chunks bigint,
	OUT rows bigint,
	OUT encodings jsonb,
	OUT bytes bigint,
	OUT raw_bytes bigint,
	OUT ratio float8,
	OUT nulls bigint,
	OUT distinct_values bigint,
	OUT min text,
	OUT max text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE STRICT;

-- how well zone maps of a column, or of the sort key's or all, can exclude rows
CREATE FUNCTION columnar_sortedness(
	relation regclass,
	attribute_name name DEFAULT NULL,
	OUT attribute name,
	OUT vectors bigint,
	OUT sorted float8,
	OUT depth float8,
	OUT segments bigint,
	OUT segment_depth float8)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE PARALLEL RESTRICTED CALLED ON NULL INPUT;
