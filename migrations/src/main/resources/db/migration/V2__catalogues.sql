-- What extraction stores: one blob of types and one of symbols per build, each with its own index
-- of names. Written by the server's package catalogues.
--
-- The blobs have tables of their own so that the small row in builds can be read and updated
-- without them.

-- Every named type of a build.
create table catalogues (
    build_id bytea  primary key references builds on delete cascade,
    bytes    bigint not null,
    blob     bytea  not null
);

-- Every symbol of a build's debug file.
create table symbol_tables (
    build_id bytea  primary key references builds on delete cascade,
    bytes    bigint not null,
    blob     bytea  not null
);

-- The blobs are compressed already and are read in slices. Without PostgreSQL's compression a slice
-- costs only the pages that it covers.
alter table catalogues alter column blob set storage external;
alter table symbol_tables alter column blob set storage external;
