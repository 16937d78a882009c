-- Pins and their history. Written by the server's package pins.

-- An administrator's override of one item of one build. The row of an ended pin stays, so that the
-- pin can be read and restored. The foreign key has no cascade: a pinned build is never deleted.
create table pins (
    id         uuid        primary key,
    build_id   bytea       not null references builds,
    -- The item as its author wrote it.
    item       text        not null,
    -- SHA-256 of the normalized item; names of C++ types are too long for an index.
    item_key   bytea       not null check (octet_length(item_key) = 32),
    -- JSON: the place of a member, or the members of a type. Not jsonb, because the order of
    -- members counts.
    value      text        not null,
    reason     text        not null check (length(reason) between 1 and 2000),
    expires_at timestamptz,
    state      text        not null check (state in ('active', 'expired', 'retired')),
    -- Label of the token, name of the user, or "operator".
    author     text        not null,
    created_at timestamptz not null,
    edited_by  text        not null,
    edited_at  timestamptz not null,
    -- Number of the latest row in pin_history.
    revision   integer     not null check (revision > 0),
    -- How the value compares with the last extraction, and the extracted value as JSON, if any.
    agreement  text        not null default 'unknown'
        check (agreement in ('unknown', 'agrees', 'disagrees')),
    extracted  text
);

-- At most one pin of an item is active.
create unique index pins_active_item on pins (build_id, item_key) where state = 'active';
create index pins_by_build on pins (build_id);
create index pins_newest_first on pins (created_at desc, id desc);
-- Servers poll for active pins that have expired.
create index pins_to_expire on pins (expires_at) where state = 'active' and expires_at is not null;

-- Every revision of a pin. Rows are never updated.
create table pin_history (
    id         bigint      generated always as identity primary key,
    pin_id     uuid        not null references pins,
    revision   integer     not null,
    action     text        not null
        check (action in ('create', 'edit', 'retire', 'restore', 'expire', 'copy')),
    who        text        not null,
    -- Not a foreign key: the row outlives the token.
    token_id   uuid,
    at         timestamptz not null,
    item       text        not null,
    value      text        not null,
    reason     text        not null,
    expires_at timestamptz,
    state      text        not null,
    unique (pin_id, revision)
);

create function pin_history_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'rows of pin_history are never changed or deleted';
end $$;

-- Guards against mistakes. The owner of the table can still drop the trigger.
create trigger pin_history_is_append_only before update or delete or truncate on pin_history
    for each statement execute function pin_history_is_append_only();
