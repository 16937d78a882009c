-- Places that publish packages or images, and that the server looks at for new builds by itself. One server of all
-- works on them at a time. Written by the server's package watches.
create table watches (
    id               uuid        primary key,
    name             text        not null unique check (char_length(name) between 1 and 100),
    -- Kind of place, and its URL, names and filters as the kind has them.
    kind             text        not null check (kind in ('apt', 'oci', 'rpm', 'folder')),
    description      jsonb       not null check (jsonb_typeof(description) = 'object'),
    -- Names of type sets without "@". A build is stored if one of them applies to it.
    type_sets        text[]      not null check (cardinality(type_sets) > 0),
    interval_seconds integer     not null check (interval_seconds > 0),
    -- One of the watches that a setting switches on.
    built_in         boolean     not null default false,
    created_at       timestamptz not null default now(),
    created_by       text        not null,
    -- What the place said of its index at the last run that worked through all of it. Opaque here.
    state            text        check (char_length(state) <= 65536),
    next_run_at      timestamptz not null default now(),
    -- Changes with the begin and the end of a run. A server that lost a run to another one changes nothing.
    run              bigint      not null default 0,
    started_at       timestamptz,
    -- Null while a run goes on.
    ended_at         timestamptz,
    outcome          text        check (outcome in ('unchanged', 'complete', 'partial', 'failed')),
    cause_code       text,
    cause_detail     text,
    -- Failed runs since the last other one.
    failures         integer     not null default 0,
    -- Builds that the last run stored, and bytes that runs have downloaded on a day, in UTC.
    stored_builds    integer     not null default 0,
    day              date        not null default '-infinity',
    day_bytes        bigint      not null default 0,
    constraint watches_cause_check check (num_nulls(cause_code, cause_detail) in (0, 2)),
    constraint watches_failed_check check (outcome is distinct from 'failed' or cause_code is not null)
);
create index watches_due on watches (next_run_at);

-- Packages and images that a watch has read: none is downloaded again. Written by the server's package watches.
create table watch_entries (
    id           uuid        not null default gen_random_uuid(),
    watch_id     uuid        not null references watches on delete cascade,
    -- The hash or digest, and the platform.
    key          text        not null check (char_length(key) between 1 and 500),
    name         text        not null,
    version      text        not null,
    architecture text        not null,
    seen_at      timestamptz not null default now(),
    -- The builds in it to which a type set of the watch applies.
    build_ids    bytea[]     not null default '{}',
    -- Why it could not be read, and how often that was tried.
    attempts     integer     not null default 0,
    cause_code   text,
    cause_detail text,
    primary key (watch_id, key),
    constraint watch_entries_cause_check check (num_nulls(cause_code, cause_detail) in (0, 2))
);
create unique index watch_entries_newest_first on watch_entries (seen_at desc, id desc);

-- The work on watches, in a table like that of prewarm items: neither waits for the threads of the other.
create table watch_tasks (like scheduled_tasks including all);

-- Each server deletes ended prewarms by itself now, so no scheduled task does.
delete from scheduled_tasks where task_name = 'prewarms-sweep';
