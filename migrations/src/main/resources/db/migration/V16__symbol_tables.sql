-- Every symbol of a build's debug file, as one blob with its own index, stored beside the catalogue by the same extraction.
create table symbol_tables (
    build_id bytea primary key references builds on delete cascade,
    bytes    bigint not null,
    blob     bytea  not null
);

-- As with catalogues: compressed already, and read in slices.
alter table symbol_tables alter column blob set storage external;
