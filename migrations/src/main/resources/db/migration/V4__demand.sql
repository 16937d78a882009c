-- Unmet demand: builds that clients asked for and no source has in usable form. Written by the
-- server's package demand.
--
-- Servers count in memory and add to this table every few seconds; a server that is killed loses a
-- few counts. There is no foreign key to builds, because a miss is deleted there earlier than here.
create table demand (
    build_id    bytea       primary key check (octet_length(build_id) between 8 and 64),
    asked       bigint      not null check (asked > 0),
    first_asked timestamptz not null,
    last_asked  timestamptz not null,
    -- Why the last request had no answer.
    cause       text        not null
);

-- The two orders of the list. The first one, read backwards, is also the order of deletion.
create index demand_by_count on demand (asked desc, last_asked desc, build_id);
create index demand_by_last_asked on demand (last_asked desc, build_id);
