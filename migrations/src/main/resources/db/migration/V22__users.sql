-- Who may sign in to the pages below /admin. A row is never deleted, so that names in the audit stay with their owners.
create table users (
    id              uuid        primary key,
    name            text        not null check (length(name) between 1 and 100),
    role            text        not null check (role in ('read', 'publish', 'admin')),
    enabled         boolean     not null default true,
    -- bcrypt; null for users of an OpenID Connect provider.
    password_hash   text,
    -- Whether somebody else knows the password, so that it must be changed.
    one_time        boolean     not null default false,
    password_at     timestamptz,
    -- By what the provider tells its users apart; null for users with a password.
    issuer          text,
    subject         text,
    -- The administrator that is there from the start.
    first           boolean     not null default false,
    -- Sessions that began under another number are over.
    epoch           integer     not null default 0,
    created_at      timestamptz not null default now(),
    last_sign_in_at timestamptz,
    check ((issuer is null) = (subject is null)),
    check ((password_hash is null) = (issuer is not null))
);

create unique index users_by_name on users (lower(name));
create unique index users_by_subject on users (issuer, subject);
create unique index users_first on users (first) where first;
