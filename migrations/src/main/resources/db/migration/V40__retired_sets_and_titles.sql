-- Sets that administrators have retired: lists leave them out, their versions stay. Written by the
-- server's package typesets.
alter table type_sets add column retired_at timestamptz;

-- The list of builds by name. Written by the server's package builds.
create index build_identities_by_title on build_identities (lower(title) collate "C", build_id) where title <> '';
