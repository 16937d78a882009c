-- Build-ids that were asked for and that no source has, or has no usable file of: what to upload. Servers count in memory
-- and add here every few seconds, so a row is a little behind, and a server that is killed takes a few counts with it.
-- Not tied to builds: a miss is forgotten there sooner than here.
create table demand (
    build_id    bytea       primary key check (octet_length(build_id) between 8 and 64),
    asked       bigint      not null check (asked > 0),
    first_asked timestamptz not null,
    last_asked  timestamptz not null,
    -- Why there was no answer the last time.
    cause       text        not null
);

-- The two orders in which demand is read; the first one, from its end, is also the order in which it is forgotten.
create index demand_by_count on demand (asked desc, last_asked desc, build_id);
create index demand_by_last_asked on demand (last_asked desc, build_id);
