-- What administrators look at. The list of builds that had a result lately, whatever it was.
create index builds_by_result on builds (settled_at desc, build_id) where settled_at is not null;

-- The builds that servers work on right now: a handful among as many rows as there are builds. Signs of life change neither
-- column, so they cost this index nothing.
create index leases_held on extraction_lease (build_id) where owner is not null;

-- How many builds each source is known not to have. Only those whose time has not come are counted, and only so many.
create index misses_by_retry on source_outcomes (retry_at desc) where outcome = 'not_found';

-- The audit, newest first, from any time on; and what one person, or one kind of change, did.
create index audit_by_time on audit (at desc, id desc);
create index audit_by_who on audit (who, at desc, id desc);
create index audit_by_action on audit (action, at desc, id desc);
