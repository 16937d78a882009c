-- The number of a claim on the work for an identity. A new file resets the attempts, so these cannot fence the work off.
-- Written by the server's package builds.
alter table build_identities add column claims bigint not null default 0;

-- The entries that the list of releases shows, the latest first: few of those that watches read. Written by the server's
-- package watches.
create index watch_entries_of_releases on watch_entries (seen_at desc, id desc)
    where cause_code is not null or cardinality(build_ids) > 0;
