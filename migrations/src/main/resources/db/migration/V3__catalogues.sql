-- Every named type of a build, as one blob with its own index. Apart from builds, so that the small row of a build can
-- be read and rewritten without it.
create table catalogues (
    build_id bytea primary key references builds on delete cascade,
    bytes    bigint not null,
    blob     bytea  not null
);

-- The blob is compressed already and is read in slices: stored as it is, a slice costs only the pages it lies on.
alter table catalogues alter column blob set storage external;
