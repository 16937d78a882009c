-- The modules that Go programs are built from, with their versions. Written by the server's package
-- builds.

-- Those that the build information of a program names, and the standard library as std, with the
-- version of Go. Builds that were stored before have none until they are stored again.
create table go_modules (
    build_id            bytea not null references builds on delete cascade,
    path                text  not null,
    -- The version that the program requires; empty if the module has none.
    version             text  not null,
    -- The module or folder whose code is used instead, and its version, which is empty for a folder.
    -- Null if the module is not replaced.
    replacement         text,
    replacement_version text,
    primary key (build_id, path)
);

-- The programs that have a module.
create index go_modules_by_path on go_modules (path, build_id);
