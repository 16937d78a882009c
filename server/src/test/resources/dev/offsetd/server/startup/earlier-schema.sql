-- Part of a database that the 26 migrations before the baseline had set up: pg_dump of two tables of
-- the server whose backup is schema-27.backup.
create table flyway_schema_history (
    installed_rank integer       primary key,
    version        varchar(50),
    description    varchar(200)  not null,
    type           varchar(20)   not null,
    script         varchar(1000) not null,
    checksum       integer,
    installed_by   varchar(100)  not null,
    installed_on   timestamp     not null default now(),
    execution_time integer       not null,
    success        boolean       not null
);

insert into flyway_schema_history
    (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
values
    (1, '1', 'builds', 'SQL', 'V1__builds.sql', -715916250, 'postgres', 3, true),
    (2, '2', 'extraction lease', 'SQL', 'V2__extraction_lease.sql', -637390414, 'postgres', 6, true),
    (3, '3', 'catalogues', 'SQL', 'V3__catalogues.sql', -137627565, 'postgres', 10, true),
    (4, '4', 'source outcomes', 'SQL', 'V4__source_outcomes.sql', 818054852, 'postgres', 1, true),
    (5, '5', 'builds by last attempt', 'SQL', 'V5__builds_by_last_attempt.sql', 1204709164, 'postgres', 1, true),
    (6, '6', 'audit', 'SQL', 'V6__audit.sql', 885924112, 'postgres', 7, true),
    (7, '7', 'tokens', 'SQL', 'V7__tokens.sql', 1338551604, 'postgres', 10, true),
    (8, '8', 'sources not asked', 'SQL', 'V8__sources_not_asked.sql', 1729422188, 'postgres', 1, true),
    (9, '9', 'fetched bytes', 'SQL', 'V9__fetched_bytes.sql', -1531200338, 'postgres', 1, true),
    (10, '10', 'abandoned builds', 'SQL', 'V10__abandoned_builds.sql', -1721388184, 'postgres', 3, true),
    (11, '11', 'demand', 'SQL', 'V11__demand.sql', -1258047327, 'postgres', 1, true),
    (12, '12', 'uploads', 'SQL', 'V12__uploads.sql', -611010219, 'postgres', 10, true),
    (13, '13', 'change counter', 'SQL', 'V13__change_counter.sql', -156801020, 'postgres', 2, true),
    (14, '14', 'settled attempt', 'SQL', 'V14__settled_attempt.sql', 255522318, 'postgres', 0, true),
    (15, '15', 'builds by extractor', 'SQL', 'V15__builds_by_extractor.sql', 166213809, 'postgres', 0, true),
    (16, '16', 'symbol tables', 'SQL', 'V16__symbol_tables.sql', -1564807530, 'postgres', 1, true),
    (17, '17', 'type sets', 'SQL', 'V17__type_sets.sql', -1521214443, 'postgres', 5, true),
    (18, '18', 'changes of everything', 'SQL', 'V18__changes_of_everything.sql', 2097037389, 'postgres', 0, true),
    (19, '19', 'symbols only', 'SQL', 'V19__symbols_only.sql', -1108123127, 'postgres', 4, true),
    (20, '20', 'pins', 'SQL', 'V20__pins.sql', 1975021774, 'postgres', 10, true),
    (21, '22', 'users', 'SQL', 'V22__users.sql', -74968263, 'postgres', 6, true),
    (22, '23', 'sessions', 'SQL', 'V23__sessions.sql', -1943507535, 'postgres', 17, true),
    (23, '24', 'admin lists', 'SQL', 'V24__admin_lists.sql', 276050864, 'postgres', 4, true),
    (24, '25', 'prewarms', 'SQL', 'V25__prewarms.sql', -68944085, 'postgres', 12, true),
    (25, '26', 'scheduled tasks', 'SQL', 'V26__scheduled_tasks.sql', 1697483278, 'postgres', 6, true),
    (26, '27', 'work progress', 'SQL', 'V27__work_progress.sql', -2072775376, 'postgres', 2, true);

create table tokens (
    id           uuid        primary key,
    hash         bytea       not null unique check (octet_length(hash) = 32),
    label        text        not null check (length(label) between 1 and 100),
    scopes       text[]      not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    last_used_at timestamptz,
    revoked_at   timestamptz
);

insert into tokens (id, hash, label, scopes, created_at, expires_at)
values ('c09f93be-1569-4e80-8ce7-6c6b562c464b',
    '\x7ddb5f13a06c188ddc6901cc6ac1f4ac2629c8d96a1c8179a41d431e61beb62f', 'operations', '{admin}',
    '2026-11-22 07:56:22.251654+00', '2126-10-29 07:56:22.251654+00');
