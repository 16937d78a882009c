-- Time of the newest index that a watch has verified, also if the run did not read all of it: an older one is a replay.
-- Earlier versions kept it in the state alone, where it still counts.
alter table watches add column newest_index_at timestamptz;
