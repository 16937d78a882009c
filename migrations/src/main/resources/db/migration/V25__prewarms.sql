-- Batches of builds to have ready before hosts ask for them. The work itself is in scheduled_tasks; what came of it is here.
create table prewarms (
    id         uuid        primary key,
    -- SHA-256 of what was asked for: the builds as a set, the types, the priority.
    digest     bytea       not null check (octet_length(digest) = 32),
    state      text        not null default 'active' check (state in ('active', 'done', 'cancelled')),
    priority   text        not null check (priority in ('low', 'normal', 'high')),
    -- Items to look up in each build; may be none.
    types      text[]      not null,
    created_at timestamptz not null default now(),
    -- Label of the token, name of the user, or "operator".
    created_by text        not null,
    ended_at   timestamptz,
    check ((state = 'active') = (ended_at is null))
);

-- While a batch is active, asking for the same is asking for this one; also at two servers at once.
create unique index prewarms_active on prewarms (digest) where state = 'active';
create index prewarms_newest_first on prewarms (created_at desc, id desc);
create index prewarms_to_forget on prewarms (ended_at) where ended_at is not null;

-- One build of a batch. Whether a server works on the build right now is in its lease.
create table prewarm_items (
    prewarm_id      uuid     not null references prewarms on delete cascade,
    build_id        bytea    not null check (octet_length(build_id) between 8 and 64),
    -- Counts the builds in the order in which they were sent, from 0.
    position        integer  not null,
    state           text     not null default 'waiting' check (state in ('waiting', 'done', 'failed', 'cancelled')),
    -- Attempts that have ended.
    attempts        integer  not null default 0,
    -- Set while an item waits after an attempt that has failed.
    next_attempt_at timestamptz,
    -- Why it failed, or why the last attempt did; both or neither.
    cause_code      text,
    cause_detail    text,
    -- What the build has of the types, once it is done; the coverage of sets is JSON by the name of the item.
    complete        boolean,
    coverage        text,
    missing         text[],
    primary key (prewarm_id, build_id),
    check ((cause_code is null) = (cause_detail is null)),
    check (state <> 'failed' or cause_code is not null),
    check ((state = 'done') = (complete is not null)),
    check ((complete is null) = (coverage is null)),
    check ((complete is null) = (missing is null))
);

-- What waits: to count it, and to keep its builds from being forgotten.
create index prewarm_items_waiting on prewarm_items (build_id) where state = 'waiting';
