-- Builds, the leases of their workers, and what the sources of debug files answered. Written by the
-- server's package builds.

-- One row per build that a client has asked for. A server reads it first: are the build's types
-- stored, and if not, how did the last attempt end and when is the next one due? An extracted build
-- has a row in debug_files, written in the same transaction.
create table builds (
    build_id                  bytea       primary key
        check (octet_length(build_id) between 8 and 64),
    state                     text        not null default 'wanted'
        check (state in ('wanted', 'extracted', 'not_found', 'unusable', 'failed')),
    -- Number of the latest change to the build's answers, taken from change_counter. Servers key
    -- their cached answers by it.
    generation                bigint      not null default 0,
    wanted_at                 timestamptz not null default now(),
    settled_at                timestamptz,
    -- The attempt that set the state. A client that began to wait before that attempt ended gets
    -- its result, even a failure; retry_at applies only to clients that ask later.
    settled_attempt           bigint      not null default 0,

    -- Why nothing is stored. Set together when an attempt fails.
    problem_code              text,
    problem_detail            text,
    problem_section           text,
    problem_offset            bigint,
    -- The extractor of the failed attempt. A newer one may be able to read the file.
    problem_extractor_version integer,
    retry_at                  timestamptz,

    constraint builds_extracted_check check (state <> 'extracted' or settled_at is not null),
    constraint builds_problem_check check (state not in ('not_found', 'unusable', 'failed')
        or (problem_code is not null and problem_detail is not null and retry_at is not null))
);

-- Servers poll for builds whose generation is above the last one that they saw.
create index builds_by_generation on builds (generation);

-- The number of builds without stored types is limited; the sweep deletes those whose last attempt
-- is oldest.
create index builds_by_last_attempt on builds (settled_at desc)
    where                     state in ('not_found', 'unusable', 'failed');

-- Builds whose first attempt never ended, because the server died or an upload was unusable. The
-- sweep deletes those that have waited too long.
create index builds_by_wanted on builds (wanted_at) where state = 'wanted';

-- The admin page lists the latest results, whatever they are.
create index builds_by_result on builds (settled_at desc, build_id) where settled_at is not null;

-- The debug file that everything stored about a build was read from. Only builds of which something
-- is stored have a row: their types and symbols, or their symbols alone.
create table debug_files (
    build_id               bytea       primary key references builds on delete cascade,
    origin                 text        not null
        check (origin in ('local', 'debuginfod', 'upload')),
    -- The upstream's URL, the local folder, or the word "upload".
    upstream               text        not null,
    sha256                 bytea       not null check (octet_length(sha256) = 32),
    bytes                  bigint      not null,
    verified               text        not null,
    -- Bytes downloaded for the extraction.
    fetched_bytes          bigint      not null,
    machine                text        not null,
    bits                   smallint    not null check (bits in (32, 64)),
    byte_order             text        not null check (byte_order in ('little', 'big')),
    -- The extractor that read the file.
    extractor_version      integer     not null,
    read_at                timestamptz not null,
    -- Set if the debug information of the file is unusable. Its symbols are stored and answer while
    -- no source has a better file; a file with more symbols replaces one with fewer.
    symbol_count           integer,

    -- The supplementary file (dwz) that the debug file refers to, if any.
    supplementary_build_id bytea
        check (octet_length(supplementary_build_id) between 8 and 64),
    supplementary_upstream text,
    supplementary_sha256   bytea       check (octet_length(supplementary_sha256) = 32),
    supplementary_bytes    bigint,

    -- Of an uploaded file: the uploader, and how much debug information it has. The same token may
    -- replace it with a richer file. The token is no foreign key, because the file outlives it; it
    -- is null for an upload without a token.
    upload_token           uuid,
    upload_label           text,
    debug_format           text        check (debug_format in ('dwarf', 'btf')),
    debug_info_bytes       bigint,

    constraint debug_files_supplementary_check check (
        num_nulls(supplementary_build_id, supplementary_upstream,
            supplementary_sha256, supplementary_bytes) in (0, 4)),
    constraint debug_files_upload_check check (origin <> 'upload'
        or (upload_label is not null and (symbol_count is not null
            or (debug_format is not null and debug_info_bytes is not null))))
);

-- Servers look every few seconds for builds that an earlier extractor read; usually there are none.
create index debug_files_by_extractor on debug_files (extractor_version)
    where symbol_count is null;

-- The lease of a build: the one server in the cluster that works on it, however many clients ask.
-- The lease of a server that dies expires. The row stays when the work is done, because attempt is
-- the fencing number: every write checks owner and attempt, so a worker that lost its lease updates
-- no rows.
create table extraction_lease (
    build_id     bytea       primary key references builds on delete cascade,
    -- Null while no server works on the build.
    owner        text,
    lease_until  timestamptz,
    heartbeat_at timestamptz,
    attempt      bigint      not null,
    -- Progress, for clients of the other servers. Written about twice a second, and only for work
    -- that takes longer than that. No index covers these columns, which keeps the updates cheap.
    phase        text        check (phase in ('fetching', 'extracting')),
    -- Bytes of the debug file that have arrived.
    bytes        bigint,
    -- Its size; null if the upstream did not announce it.
    total_bytes  bigint,
    constraint extraction_lease_owner_check check ((owner is null) = (lease_until is null))
);

-- Work in progress: a few rows in a table as large as builds. Heartbeats change neither column, so
-- they do not touch this index.
create index leases_held on extraction_lease (build_id) where owner is not null;

-- What each source answered when it was last asked for a build. A definite miss is kept until its
-- retry time, so that an unknown build does not reach every source with each request. A failure is
-- recorded too, with a retry time that only spares the source.
create table source_outcomes (
    build_id       bytea       not null references builds on delete cascade,
    -- The upstream's URL, the local folder, or the word "upload".
    source         text        not null,
    origin         text        not null check (origin in ('local', 'debuginfod', 'upload')),
    -- not_asked: the source was skipped because it is currently failing.
    outcome        text        not null
        check (outcome in ('fetched', 'not_found', 'refused', 'timed_out', 'broken', 'unusable',
            'local_failure', 'not_asked')),
    -- The error; null if the source served the file.
    code           text,
    detail         text,
    -- Where in the file the error is, if known.
    section        text,
    section_offset bigint,
    -- Consecutive misses; the retry time grows with them.
    misses         integer     not null default 0,
    asked_at       timestamptz not null default now(),
    retry_at       timestamptz not null,
    primary key (build_id, source),
    constraint source_outcomes_fetched_check check ((outcome = 'fetched') = (code is null)),
    constraint source_outcomes_error_check check ((code is null) = (detail is null))
);

-- The admin page counts the current misses of each source.
create index misses_by_retry on source_outcomes (retry_at desc) where outcome = 'not_found';

-- Files seen for a build other than the one that answers. They are reported, never merged.
create table build_conflicts (
    build_id       bytea       not null references builds on delete cascade,
    file_sha256    bytea       not null check (octet_length(file_sha256) = 32),
    origin         text        not null check (origin in ('local', 'debuginfod', 'upload')),
    source         text        not null,
    upload_token   uuid,
    upload_label   text,
    file_bytes     bigint      not null,
    machine        text        not null,
    bits           smallint    not null check (bits in (32, 64)),
    byte_order     text        not null check (byte_order in ('little', 'big')),
    -- Whether its layouts differed from those of the file that answered; null if not compared.
    layouts_differ boolean,
    seen_at        timestamptz not null default now(),
    primary key (build_id, file_sha256)
);
