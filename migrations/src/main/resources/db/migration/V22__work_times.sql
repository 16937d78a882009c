-- When the work on a build began, so that every server tells clients of it and estimates its end.
-- Written by the server's package builds.
alter table extraction_lease
    -- When the lease was claimed. Null while no server works on the build, or if one of the previous
    -- release does.
    add column started_at        timestamptz,
    -- When the first bytes of the debug file arrived; null unless it is being received. Both are
    -- times of the database's clock.
    add column transfer_began_at timestamptz;
