\echo Use "CREATE EXTENSION toadstone" to load this file. \quit

-- The severity of what stands in a text: none, low, medium or high; incomplete: less was found, but not all could be read.
CREATE FUNCTION toadstone_scan(content text, kind text DEFAULT 'any') RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;

-- The whole verdict (docs/verdict.md).
CREATE FUNCTION toadstone_verdict(content text, kind text DEFAULT 'any') RETURNS jsonb
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;

-- The version of the library that judges.
CREATE FUNCTION toadstone_version() RETURNS text
    AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL SAFE;
