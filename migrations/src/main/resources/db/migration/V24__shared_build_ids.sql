-- GNU build-ids that different programs have, as sources have shown. Written by the server's package
-- builds.

create table shared_build_ids (
    build_id bytea       not null primary key references builds on delete cascade,
    -- layouts: two local folders have files with different layouts. go_build_id: sources of equal
    -- trust have files with different Go build-ids.
    evidence text        not null check (evidence in ('layouts', 'go_build_id')),
    seen_at  timestamptz not null default now()
);
