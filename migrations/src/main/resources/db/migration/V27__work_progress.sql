-- How far the work under a lease is, for whoever asks another server. Written every half second or so, and only for work that
-- takes longer than that; null until then. No index has these columns, so a write need not touch any.
alter table extraction_lease
    add column phase       text check (phase in ('fetching', 'extracting')),
    -- Bytes of the debug file that are here, and how many it has in all; null if the upstream did not say.
    add column bytes       bigint,
    add column total_bytes bigint;
