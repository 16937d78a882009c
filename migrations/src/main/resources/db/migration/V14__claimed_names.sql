-- The name that a client gave a build that no source has, such as the path of its executable. It is
-- a claim: nothing verifies it, and the last one stays. Written by the server's package demand.
alter table demand add column claimed_name text check (char_length(claimed_name) between 1 and 200);
