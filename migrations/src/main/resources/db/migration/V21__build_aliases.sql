-- Alias keys of builds: Go build-id, OpenTelemetry's htlhash and SHA-256 of files. Written by the
-- server's package builds.

-- A build without a GNU build-id is stored under an alias key: its text, filled up with spaces to at
-- least 65 bytes, so that it never equals a GNU build-id.
alter table builds drop constraint builds_build_id_check,
    add constraint builds_build_id_check check (octet_length(build_id) between 8 and 256);
alter table demand drop constraint demand_build_id_check,
    add constraint demand_build_id_check check (octet_length(build_id) between 8 and 256);
alter table prewarm_items drop constraint prewarm_items_build_id_check,
    add constraint prewarm_items_build_id_check check (octet_length(build_id) between 8 and 256);

-- The builds that have a key besides the one that they are stored under. Two builds have the same
-- key only if it does not identify a program; then it answers for neither.
create table build_aliases (
    alias    bytea not null check (octet_length(alias) between 8 and 256),
    build_id bytea not null references builds on delete cascade,
    -- Where the file came from. Keys out of uploads count only while no source has shown them.
    origin   text  not null check (origin in ('local', 'debuginfod', 'upload')),
    primary key (alias, build_id)
);

-- The keys of a build, and their deletion with it.
create index build_aliases_by_build on build_aliases (build_id);
