-- A version for each stored part of a build, so that a new version of one part leaves the others as they are.
-- Written by the server's package builds.
alter table debug_files
    -- The version of the reader of the symbols; extractor_version is that of the types. Null of rows that a
    -- server of the previous release wrote: the same as extractor_version.
    add column symbols_version integer;

-- As for extractor_version: servers look every few seconds for builds whose symbols are behind.
create index debug_files_by_symbols_version on debug_files (coalesce(symbols_version, extractor_version))
    where symbol_count is null;
