-- One number for all changes of what builds answer. A transaction that changes an answer takes the next number and gives
-- it to the build as its generation, so servers find what has changed since the last number that they saw. The row is
-- locked until that transaction has ended: numbers become visible in their order, and whoever sees one has missed none
-- before it.
create table change_counter (
    -- There is one row.
    one   boolean primary key default true check (one),
    value bigint  not null
);
insert into change_counter (value) select coalesce(max(generation), 0) from builds;

create index builds_by_generation on builds (generation);
