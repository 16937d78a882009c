-- A file whose debug information cannot serve may have symbols that can: they are stored, and answer while the build is
-- unusable. Then the columns of the file say where they are from. Null where no such symbols are stored.
alter table builds
    add column symbols_read_at           timestamptz,
    -- Extractor that read them; extractor_version says which one found the debug information unusable, lately.
    add column symbols_extractor_version integer,
    -- How many there are: a file with more takes the place of one with fewer.
    add column symbol_count              integer,
    add constraint builds_symbols_check check (symbols_read_at is null or (machine is not null and bits is not null
        and byte_order is not null and origin is not null and upstream is not null and file_sha256 is not null
        and file_bytes is not null and verified is not null and symbols_extractor_version is not null
        and symbol_count is not null and (origin <> 'upload' or upload_label is not null)));

-- That an uploaded file cannot serve is one more thing that is known about the build, beside what the sources said.
alter table source_outcomes drop constraint source_outcomes_origin_check;
alter table source_outcomes add constraint source_outcomes_origin_check check (origin in ('local', 'debuginfod', 'upload'));
