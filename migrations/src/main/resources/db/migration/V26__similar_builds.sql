-- Builds whose layouts a build without debug information may share. Written by the server's package
-- builds.

-- The architecture of a build whose file is not stored. Null in rows of earlier servers.
alter table build_identities
    add column bits       smallint check (bits in (32, 64)),
    add column byte_order text     check (byte_order in ('little', 'big'));

-- The versions of a project, by the first project that a file itself states.
create index build_identities_by_project on build_identities (
    (jsonb_path_query_first(fields, 'strict $[*] ? (@[0] == "project" && @[3] == false)[1]') #>> '{}'),
    machine, version_order, build_id) where version_order is not null;

-- Executables are read again for the variants that tell such builds apart.
update build_identities set work_due = now(), attempts = 0
    where fields @> '[["project"]]' and build_id in (select build_id from debug_files);
