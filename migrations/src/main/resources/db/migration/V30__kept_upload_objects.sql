-- Chunks of kept uploads in an object store (offsetd.store.s3). Written by the server's package
-- catalogues.

-- A chunk has its bytes or refers to an object, as rows of catalogues do. Servers of the previous
-- release write chunks without their size.
alter table kept_uploads
    alter column content drop not null,
    add column bytes  bigint,
    add column object bytea references stored_objects,
    add column parts  bytea,
    add constraint kept_uploads_place
        check (num_nonnulls(content, object) = 1 and num_nonnulls(parts, object) in (0, 2)
            and (object is null or bytes is not null));

create index kept_uploads_object on kept_uploads (object) where object is not null;

create trigger object_may_be_unused after delete on kept_uploads
    for each row when (old.object is not null) execute function object_may_be_unused();
create trigger object_is_replaced after update on kept_uploads
    for each row when (old.object is not null and new.object is distinct from old.object)
    execute function object_may_be_unused();
