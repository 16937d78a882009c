-- Type sets that people have made; the built-in ones are not in the database. Names are compared as bytes, so that lists
-- have one order everywhere.
create table type_sets (
    name    text    collate "C" primary key check (name ~ '^[a-z][a-z0-9_-]{0,63}$'),
    -- The version that answers. The row is locked by whoever makes the next one.
    version integer not null check (version >= 0)
);

-- Every version that a set has had. A row is written once.
create table type_set_versions (
    id         bigint      generated always as identity primary key,
    name       text        collate "C" not null references type_sets,
    version    integer     not null check (version > 0),
    -- JSON as it is handed out.
    document   text        not null,
    created_at timestamptz not null default now(),
    -- Label of the token, or "operator".
    author     text        not null,
    -- Not a reference: the row outlives the token.
    token_id   uuid,
    unique (name, version)
);
