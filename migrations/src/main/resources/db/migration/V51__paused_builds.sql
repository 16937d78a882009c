-- Until when no file of a build is read, because a server had to end itself while it read one. A stored
-- build keeps its state, so only the lease can say so. Written by the server's package builds.
alter table extraction_lease add column paused_until timestamptz;
