-- What builds are called: soname, file names, project, version, package, compiler and more. Written
-- by the server's package builds.

-- One row per build whose types are stored, written in the transaction that stores them. Older
-- builds get theirs when they are renewed.
create table build_identities (
    build_id      bytea    primary key references builds on delete cascade,
    -- An array of arrays of kind, value, source and whether the value is derived, the preferred
    -- value of a kind first.
    fields        jsonb    not null,
    -- Name, version and distribution in one line; empty if no name is known. Lists show it.
    title         text     not null,
    -- The words that find the build: names have weight A, versions B, distributions C, all others
    -- D. Not a text search configuration's output: versions and sonames must not be stemmed or
    -- split.
    words         tsvector not null,

    -- All versions of one library or program have the same family: a soname without its version,
    -- else the file name or project. Null if no name is known.
    family        text,
    machine       text     not null,
    -- Sorts as versions do: 3.4.9 before 3.4.10. Null if no version is known.
    version_order text     collate "C",

    -- Type sets of which the build has every required item, among the words as @name. Determined
    -- after the result is stored.
    sets          text[]   not null default '{}',
    -- When a server looks next for what the debug file lacks: the sets, and the soname and version
    -- strings of the executable. A server claims the work by moving the time on, so the claim of
    -- one that dies expires. Null once there is nothing more to do.
    work_due      timestamptz default now(),
    attempts      integer  not null default 0,
    -- Why the last attempt found no executable.
    problem       text
);

-- Without a list of pending entries, which every search would have to read through.
create index build_identities_by_word on build_identities using gin (words) with (fastupdate = off);

-- Work that is due: a few rows in a large table.
create index build_identities_by_work on build_identities (work_due) where work_due is not null;

-- The previous version of a build on the same architecture.
create index build_identities_by_version on build_identities (family, machine, version_order, build_id)
    where family is not null and version_order is not null;

-- The filter by architecture, in the order of the list.
create index debug_files_by_machine on debug_files (machine, build_id) where symbol_count is null;
