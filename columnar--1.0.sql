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
