-- Sessions of the pages, as Spring Session JDBC keeps them; the principal is the id of the user.
create table spring_session (
    primary_id            char(36) primary key,
    session_id            char(36) not null,
    creation_time         bigint   not null,
    last_access_time      bigint   not null,
    max_inactive_interval integer  not null,
    expiry_time           bigint   not null,
    principal_name        varchar(100)
);

create unique index spring_session_by_id on spring_session (session_id);
create index spring_session_by_expiry on spring_session (expiry_time);
create index spring_session_by_principal on spring_session (principal_name);

create table spring_session_attributes (
    session_primary_id char(36)     not null references spring_session (primary_id) on delete cascade,
    attribute_name     varchar(200) not null,
    attribute_bytes    bytea        not null,
    primary key (session_primary_id, attribute_name)
);

-- Attempts to sign in that came to nothing, by account and by address. Names are hashed: people type passwords into the
-- wrong field.
create table sign_in_attempts (
    kind          text        not null check (kind in ('account', 'address')),
    subject       text        not null,
    failures      integer     not null,
    last_at       timestamptz not null,
    -- Until then no further attempt is looked at.
    blocked_until timestamptz not null,
    primary key (kind, subject)
);

create index sign_in_attempts_by_age on sign_in_attempts (last_at);
