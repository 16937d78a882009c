-- Bearer tokens. Written by the server's package tokens.
--
-- Only the SHA-256 of a token is stored. A token is 256 random bits, so a slow hash would not make
-- guessing harder. The row of an expired or revoked token stays: the audit refers to it.
create table tokens (
    id           uuid        primary key,
    hash         bytea       not null unique check (octet_length(hash) = 32),
    label        text        not null check (length(label) between 1 and 100),
    scopes       text[]      not null
        check (cardinality(scopes) > 0 and scopes <@ array['read', 'publish', 'admin']),
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    last_used_at timestamptz,
    revoked_at   timestamptz
);

-- Rises with every transaction that creates or revokes a token. Servers keep all tokens in memory
-- and poll this number to learn when to reload them.
create table token_revision (
    -- Limits the table to one row.
    only_row boolean primary key default true check (only_row),
    revision bigint  not null
);

insert into token_revision (revision) values (0);
