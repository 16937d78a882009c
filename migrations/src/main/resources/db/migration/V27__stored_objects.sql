-- Bytes in an object store instead of in rows (offsetd.store.s3). Written by the server's package
-- catalogues.

-- Every object that a server may have written. The row is committed before the object is written,
-- so an object without a row does not exist.
create table stored_objects (
    -- Of the object's bytes; its name in the bucket.
    sha256          bytea  primary key check (octet_length(sha256) = 32),
    bytes           bigint not null check (bytes >= 0),
    -- When the object was written or a row stopped to refer to it, if no server has looked for
    -- references since.
    unused_since    timestamptz default now(),
    -- While a server deletes the object: the time until which no other server may write it.
    condemned_until timestamptz
);
create index stored_objects_unused_since on stored_objects (unused_since) where unused_since is not null;

-- The name of this database in its bucket, so that another bucket is recognized.
create table object_store (
    id uuid not null default gen_random_uuid()
);
insert into object_store default values;

-- A row has its bytes or refers to an object. Parts has the SHA-256 of each 256 KiB of the object.
alter table catalogues
    alter column blob drop not null,
    add column object bytea references stored_objects,
    add column parts  bytea,
    add constraint catalogues_place check (num_nonnulls(blob, object) = 1 and num_nonnulls(parts, object) in (0, 2));
alter table symbol_tables
    alter column blob drop not null,
    add column object bytea references stored_objects,
    add column parts  bytea,
    add constraint symbol_tables_place check (num_nonnulls(blob, object) = 1 and num_nonnulls(parts, object) in (0, 2));

-- Two builds may have equal bytes.
create index catalogues_object on catalogues (object) where object is not null;
create index symbol_tables_object on symbol_tables (object) where object is not null;

create function object_may_be_unused() returns trigger language plpgsql as $$
begin
    update stored_objects set unused_since = now() where sha256 = old.object;
    return null;
end
$$;

create trigger object_may_be_unused after delete on catalogues
    for each row when (old.object is not null) execute function object_may_be_unused();
create trigger object_is_replaced after update on catalogues
    for each row when (old.object is not null and new.object is distinct from old.object)
    execute function object_may_be_unused();
create trigger object_may_be_unused after delete on symbol_tables
    for each row when (old.object is not null) execute function object_may_be_unused();
create trigger object_is_replaced after update on symbol_tables
    for each row when (old.object is not null and new.object is distinct from old.object)
    execute function object_may_be_unused();
