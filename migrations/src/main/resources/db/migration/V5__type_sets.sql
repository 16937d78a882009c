-- Type sets made by administrators; the built-in ones are not in the database. Written by the
-- server's package typesets.
--
-- The collation "C" gives lists the same order on every PostgreSQL.
create table type_sets (
    name    text    collate "C" primary key check (name ~ '^[a-z][a-z0-9_-]{0,63}$'),
    -- The current version. A transaction that adds one locks this row.
    version integer not null check (version >= 0)
);

-- Every version of a set. Rows are never updated.
create table type_set_versions (
    id         bigint      generated always as identity primary key,
    name       text        collate "C" not null references type_sets,
    version    integer     not null check (version > 0),
    -- The JSON document, exactly as clients receive it.
    document   text        not null,
    created_at timestamptz not null default now(),
    -- Label of the token, or "operator".
    author     text        not null,
    -- Not a foreign key: the row outlives the token.
    token_id   uuid,
    unique (name, version)
);
