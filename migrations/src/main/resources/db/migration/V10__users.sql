-- Accounts of the admin pages, and failed sign-ins. Written by the server's package users.

-- Rows are never deleted, so a name in the audit keeps its owner.
create table users (
    id              uuid        primary key,
    name            text        not null check (length(name) between 1 and 100),
    role            text        not null check (role in ('read', 'publish', 'admin')),
    enabled         boolean     not null default true,
    -- bcrypt; null for users of an OpenID Connect provider.
    password_hash   text,
    -- Whether an administrator set the password, so that the user must change it.
    one_time        boolean     not null default false,
    password_at     timestamptz,
    -- How the provider identifies its users; null for users with a password.
    issuer          text,
    subject         text,
    -- The administrator that the first start creates.
    first           boolean     not null default false,
    -- A session is valid only while it carries the user's current epoch.
    epoch           integer     not null default 0,
    created_at      timestamptz not null default now(),
    last_sign_in_at timestamptz,
    constraint users_provider_check check ((issuer is null) = (subject is null)),
    constraint users_password_check check ((password_hash is null) = (issuer is not null))
);

-- Names are unique regardless of case.
create unique index users_by_name on users (lower(name));
create unique index users_by_subject on users (issuer, subject);
create unique index users_first on users (first) where first;

-- Failed sign-ins by account and by address. Names are hashed, because people type passwords into
-- the wrong field.
create table sign_in_attempts (
    kind          text        not null check (kind in ('account', 'address')),
    subject       text        not null,
    failures      integer     not null,
    last_at       timestamptz not null,
    -- Until then, further attempts are rejected unread.
    blocked_until timestamptz not null,
    primary key (kind, subject)
);

create index sign_in_attempts_by_age on sign_in_attempts (last_at);
