-- What administrators say of builds in place of their debug information. A row stays when its pin has ended, so that it can
-- be read and restored. A build that somebody has pinned is not forgotten, however long nobody asks for it.
create table pins (
    id         uuid        primary key,
    build_id   bytea       not null references builds,
    -- As its author wrote it.
    item       text        not null,
    -- SHA-256 of the item, spelled in one way: names of C++ types are too long for an index.
    item_key   bytea       not null check (octet_length(item_key) = 32),
    -- JSON: where a member lies, or what a type consists of. Text, because the order of members counts.
    value      text        not null,
    reason     text        not null check (length(reason) between 1 and 2000),
    expires_at timestamptz,
    state      text        not null check (state in ('active', 'expired', 'retired')),
    -- Label of the token, name of the user, or "operator".
    author     text        not null,
    created_at timestamptz not null,
    edited_by  text        not null,
    edited_at  timestamptz not null,
    -- Counts what people and time did to the pin, from 1.
    revision   integer     not null check (revision > 0),
    -- How the pin compares with what was extracted last, and what that is; JSON, null if it is nothing.
    agreement  text        not null default 'unknown' check (agreement in ('unknown', 'agrees', 'disagrees')),
    extracted  text
);

-- What two say of one item cannot both have an effect.
create unique index pins_active_item on pins (build_id, item_key) where state = 'active';
create index pins_by_build on pins (build_id);
create index pins_newest_first on pins (created_at desc, id desc);
create index pins_to_expire on pins (expires_at) where state = 'active' and expires_at is not null;

-- Every revision that a pin has had, as it was then. A row is written once.
create table pin_history (
    id         bigint      generated always as identity primary key,
    pin_id     uuid        not null references pins,
    revision   integer     not null,
    action     text        not null check (action in ('create', 'edit', 'retire', 'restore', 'expire', 'copy')),
    who        text        not null,
    -- Not a reference: the row outlives the token.
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

create trigger pin_history_is_append_only before update or delete or truncate on pin_history
    for each statement execute function pin_history_is_append_only();
