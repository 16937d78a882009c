-- What happened: stored builds, drift, failures. Written by the server's package events.
create table events (
    -- Taken from change_counter as the last statement of the transaction that makes the change, so
    -- events become visible in the order of their numbers.
    id       bigint      primary key,
    at       timestamptz not null default now(),
    -- Not limited to a list: servers of two releases share the database during an upgrade.
    kind     text        not null,
    -- The build that the event is about; null for none.
    build_id bytea       check (octet_length(build_id) between 8 and 256),
    -- Type sets that the event is about.
    sets     text[]      not null default '{}',
    -- The event in one line.
    title    text        not null,
    -- More about it; its members depend on the kind.
    detail   jsonb       not null
);

-- Old events are deleted.
create index events_by_time on events (at);

-- Where the log begins. A reader that has not read up to here has missed events.
create table event_horizon (
    -- Limits the table to one row.
    one boolean primary key default true check (one),
    -- Number of the last deleted event.
    id  bigint  not null
);

insert into event_horizon (id) values (0);

-- URLs to which servers send events. Written by the server's package webhooks.
create table webhooks (
    name        text        collate "C" primary key check (name ~ '^[a-z][a-z0-9_-]{0,63}$'),
    url         text        not null check (char_length(url) <= 2000),
    -- The key of the signatures. No answer contains it.
    secret      bytea       not null check (octet_length(secret) between 24 and 64),
    -- Kinds and type sets of the events to send; all if empty.
    kinds       text[]      not null,
    sets        text[]      not null,
    created_at  timestamptz not null default now(),
    created_by  text        not null,
    -- Number of the last event that was delivered, given up, or is of no interest.
    position    bigint      not null,
    -- Failed attempts since the last delivery, and why the last one failed.
    failures    integer     not null default 0,
    problem     text,
    delivered_at timestamptz,
    -- When a server looks for events to send. It claims the work by moving the time on, so the claim
    -- of a server that dies expires. A claim has a number, and a later one makes it void.
    due_at      timestamptz not null default now(),
    claim       bigint      not null default 0
);

create index webhooks_by_work on webhooks (due_at);

-- Events that were not delivered.
create table undelivered_events (
    webhook  text        collate "C" not null references webhooks on delete cascade,
    event_id bigint      not null,
    kind     text        not null,
    title    text        not null,
    at       timestamptz not null,
    given_up_at timestamptz not null default now(),
    -- Why the last attempt failed.
    problem  text        not null,
    primary key (webhook, event_id)
);

create index undelivered_events_newest_first on undelivered_events (given_up_at desc, event_id desc);

-- Builds that were stored and are not yet compared with earlier ones. Written by the server's package
-- builds.identity.
alter table build_identities add column uncompared boolean not null default false;
