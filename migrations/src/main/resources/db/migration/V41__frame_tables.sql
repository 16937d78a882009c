-- Functions and lines of builds, by address. Made on the first request for them. Written by the server's package storage.
create table frame_tables (
    build_id bytea  primary key references builds on delete cascade,
    bytes    bigint not null,
    blob     bytea,
    object   bytea  references stored_objects,
    constraint frame_tables_place check (num_nonnulls(blob, object) = 1)
);
alter table frame_tables alter column blob set storage external;
create index frame_tables_object on frame_tables (object) where object is not null;
create trigger object_may_be_unused after delete on frame_tables
    for each row when (old.object is not null) execute function object_may_be_unused();
create trigger object_is_replaced after update on frame_tables
    for each row when (old.object is not null and new.object is distinct from old.object)
    execute function object_may_be_unused();

-- The last attempt to read them. Written by the server's package builds.
alter table debug_files
    -- The file that answered for the build then. The rest holds while it does.
    add column frames_sha256         bytea check (octet_length(frames_sha256) = 32),
    add column frames_version        integer,
    -- Why there are none; null if they are stored.
    add column frames_problem_code   text,
    add column frames_problem_detail text,
    add column frames_retry_at       timestamptz,
    add constraint debug_files_frames_check check (
        num_nonnulls(frames_sha256, frames_version) in (0, 2)
        and num_nonnulls(frames_problem_code, frames_problem_detail, frames_retry_at) in (0, 3));
