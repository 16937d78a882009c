-- What each source of debug files said about a build when it was last asked. A definite no is kept until its retry time,
-- so that an unknown build does not go out to every source each time it is asked for. A source that failed has a row
-- too, for whoever wants to know why, but its retry time is only as far off as politeness demands.
create table source_outcomes (
    build_id       bytea       not null references builds on delete cascade,
    -- The upstream's URL, or the local folder.
    source         text        not null,
    origin         text        not null check (origin in ('local', 'debuginfod')),
    outcome        text        not null
        check (outcome in ('fetched', 'not_found', 'refused', 'timed_out', 'broken', 'unusable', 'local_failure')),
    -- What went wrong, for programs and for people; null if the source served.
    code           text,
    detail         text,
    -- Where in the file, if a place in it is to blame.
    section        text,
    section_offset bigint,
    -- How often in a row the source has said no; the retry time grows with it.
    misses         integer     not null default 0,
    asked_at       timestamptz not null default now(),
    retry_at       timestamptz not null,
    primary key (build_id, source),
    check ((outcome = 'fetched') = (code is null)),
    check ((code is null) = (detail is null))
);
