-- Batches of builds to make ready before clients ask for them. Written by the server's package
-- prewarms. The work itself is in scheduled_tasks; these tables hold its results.
create table prewarms (
    id         uuid        primary key,
    -- SHA-256 of the request: the builds as a set, the types and the priority.
    digest     bytea       not null check (octet_length(digest) = 32),
    state      text        not null default 'active'
        check (state in ('active', 'done', 'cancelled')),
    priority   text        not null check (priority in ('low', 'normal', 'high')),
    -- Items to look up in each build; may be empty.
    types      text[]      not null,
    created_at timestamptz not null default now(),
    -- Label of the token, name of the user, or "operator".
    created_by text        not null,
    ended_at   timestamptz,
    constraint prewarms_ended_check check ((state = 'active') = (ended_at is null))
);

-- A request that equals an active batch gets that batch, even if two servers receive it at once.
create unique index prewarms_active on prewarms (digest) where state = 'active';
create index prewarms_newest_first on prewarms (created_at desc, id desc);
-- Ended batches are deleted after a while, the oldest first.
create index prewarms_to_forget on prewarms (ended_at) where ended_at is not null;

-- One build of a batch. Its progress is in extraction_lease.
create table prewarm_items (
    prewarm_id      uuid     not null references prewarms on delete cascade,
    build_id        bytea    not null check (octet_length(build_id) between 8 and 64),
    -- Index of the build in the request, from 0.
    position        integer  not null,
    state           text     not null default 'waiting'
        check (state in ('waiting', 'done', 'failed', 'cancelled')),
    -- Attempts that have ended.
    attempts        integer  not null default 0,
    -- Set while the item waits after a failed attempt.
    next_attempt_at timestamptz,
    -- Why the item, or its last attempt, failed.
    cause_code      text,
    cause_detail    text,
    -- The result: which of the batch's types the build has. Coverage maps the name of each type set
    -- to JSON.
    complete        boolean,
    coverage        text,
    missing         text[],
    primary key (prewarm_id, build_id),
    constraint prewarm_items_cause_check check ((cause_code is null) = (cause_detail is null)),
    constraint prewarm_items_failed_check check (state <> 'failed' or cause_code is not null),
    constraint prewarm_items_done_check check ((state = 'done') = (complete is not null)),
    constraint prewarm_items_result_check check (num_nulls(complete, coverage, missing) in (0, 3))
);

-- Counts the queued items, and keeps their builds from being deleted.
create index prewarm_items_waiting on prewarm_items (build_id) where state = 'waiting';
