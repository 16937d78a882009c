-- A build may be answered from an upload, while no source has it. Then "upstream" is just the word upload, and the row says
-- who uploaded the file, and how much debug information it has: the same token may replace it by a richer one.
alter table builds drop constraint builds_origin_check;
alter table builds add constraint builds_origin_check check (origin in ('local', 'debuginfod', 'upload'));
alter table builds
    -- Id of the token. Not tied to the tokens: the file stays when its token goes. Null for an upload without one.
    add column upload_token     uuid,
    add column upload_label     text,
    add column debug_format     text check (debug_format in ('dwarf', 'btf')),
    add column debug_info_bytes bigint,
    add constraint builds_upload_check check (state <> 'extracted' or origin <> 'upload'
        or (upload_label is not null and debug_format is not null and debug_info_bytes is not null));

-- Other files that were seen for a build than the one that answers. They are told of, and never mixed in.
create table build_conflicts (
    build_id       bytea       not null references builds on delete cascade,
    file_sha256    bytea       not null check (octet_length(file_sha256) = 32),
    origin         text        not null check (origin in ('local', 'debuginfod', 'upload')),
    -- The upstream's URL, the local folder, or the word upload.
    source         text        not null,
    upload_token   uuid,
    upload_label   text,
    file_bytes     bigint      not null,
    machine        text        not null,
    bits           smallint    not null check (bits in (32, 64)),
    byte_order     text        not null check (byte_order in ('little', 'big')),
    -- Whether the file has other layouts than the one that answered when it was seen; null if nobody could compare.
    layouts_differ boolean,
    seen_at        timestamptz not null default now(),
    primary key (build_id, file_sha256)
);
