-- The change counter, by which servers invalidate cached answers. Written by the server's package
-- changes.
--
-- A transaction that changes the answers of a build takes the next value and writes it to
-- builds.generation. The row stays locked until that transaction ends, so values become visible in
-- order: a server that sees one has missed none before it.
create table change_counter (
    -- Limits the table to one row.
    one        boolean primary key default true check (one),
    value      bigint  not null,
    -- The value at the last change that may affect any build, such as a new type set. A server that
    -- has not polled since then drops all cached answers.
    everything bigint  not null default 0
);

insert into change_counter (value) values (0);
