-- Bearer tokens. Of the secret only the SHA-256 is kept; it is 256 random bits, which no slow hash could make harder to
-- guess. A row stays when its token has expired or was revoked, so that the audit can be read.
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

-- Rises in every transaction that makes or revokes a token. Servers keep all tokens in memory and look at this number
-- twice a second to know whether what they have is still so.
create table token_revision (
    only_row boolean primary key default true check (only_row),
    revision bigint  not null
);

insert into token_revision (revision) values (0);
