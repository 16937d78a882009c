-- One row per build that was ever asked for. It is what a server looks at first: whether the build's types are stored,
-- and if not, what the last attempt to get them came to and when the next one is due.
-- The row of a stored build names the one debug file that everything stored about the build was read from.
create table builds (
    build_id           bytea       primary key check (octet_length(build_id) between 8 and 64),
    state              text        not null default 'wanted'
        check (state in ('wanted', 'extracted', 'not_found', 'unusable', 'failed')),
    -- Rises with every change of what the build answers; a cached answer belongs to one generation.
    generation         bigint      not null default 0,
    wanted_at          timestamptz not null default now(),
    settled_at         timestamptz,
    -- Extractor that read the file, or found it unusable.
    extractor_version  integer,

    -- What is stored, and where it is from; set together, once the build is extracted.
    machine            text,
    bits               smallint    check (bits in (32, 64)),
    byte_order         text        check (byte_order in ('little', 'big')),
    origin             text        check (origin in ('local', 'debuginfod')),
    upstream           text,
    file_sha256        bytea       check (octet_length(file_sha256) = 32),
    file_bytes         bigint,
    verified           text,

    -- Why there is nothing stored; set together, once an attempt has ended without.
    problem_code       text,
    problem_detail     text,
    problem_section    text,
    problem_offset     bigint,
    retry_at           timestamptz,

    check (state <> 'extracted' or (machine is not null and bits is not null and byte_order is not null
        and origin is not null and upstream is not null and file_sha256 is not null and file_bytes is not null
        and verified is not null and extractor_version is not null and settled_at is not null)),
    check (state not in ('not_found', 'unusable', 'failed')
        or (problem_code is not null and problem_detail is not null and retry_at is not null))
);
