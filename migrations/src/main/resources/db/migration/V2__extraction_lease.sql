-- Who is extracting a build right now: one server in the whole cluster, however many callers ask. A server that dies
-- lets its lease run out. The row stays when the work is done, because attempt is the fencing number: a worker whose
-- lease was taken over must not write, and finds that out by owner and attempt no longer being its own.
create table extraction_lease (
    build_id     bytea       primary key references builds on delete cascade,
    -- Null while nobody works on the build.
    owner        text,
    lease_until  timestamptz,
    heartbeat_at timestamptz,
    attempt      bigint      not null,
    check ((owner is null) = (lease_until is null))
);
