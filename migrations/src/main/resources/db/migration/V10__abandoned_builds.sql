-- Builds that were asked for, but whose first attempt never ended: their server died, or what was uploaded for them could
-- not serve. The sweep looks for the ones that have waited too long.
create index builds_by_wanted on builds (wanted_at) where state = 'wanted';
