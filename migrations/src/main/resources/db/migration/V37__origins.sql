-- Origins are not listed here: servers of two releases that know different ones share the database during an
-- upgrade, and a server shows the origins that it does not know.
-- Written by the server's package builds.
alter table debug_files drop constraint debug_files_origin_check;
alter table source_outcomes drop constraint source_outcomes_origin_check;
alter table build_conflicts drop constraint build_conflicts_origin_check;
alter table build_aliases drop constraint build_aliases_origin_check;
