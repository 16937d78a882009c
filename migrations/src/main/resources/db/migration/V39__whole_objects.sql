-- Objects are read whole and verified by their hash, so their parts need no hashes. No release has written any. Written by the
-- server's package storage.

-- The constraints that name the column go with it, and come back without it.
alter table catalogues
    drop column parts,
    add constraint catalogues_place check (num_nonnulls(blob, object) = 1);
alter table symbol_tables
    drop column parts,
    add constraint symbol_tables_place check (num_nonnulls(blob, object) = 1);
alter table kept_uploads
    drop column parts,
    add constraint kept_uploads_place
        check (num_nonnulls(content, object) = 1 and (object is null or bytes is not null));
