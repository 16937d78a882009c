-- The path at which a client found a file of the build, with the names inside of archives after each
-- "!". It names the build once that is stored. Written by the server's package prewarms.
alter table prewarm_items add column name text check (char_length(name) between 1 and 1000);
