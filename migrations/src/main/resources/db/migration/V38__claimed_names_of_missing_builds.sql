-- The name that a caller gave a build of which no file is stored, such as the path of its executable,
-- and who gave it. It is a claim: nothing verifies it, and it is deleted when a file is stored. Written
-- by the server's package builds.
--
-- It replaces demand.claimed_name, which only builds with demand have, and which only clients gave.
-- Servers of before still use that column.
alter table builds
    add column claimed_name text check (char_length(claimed_name) between 1 and 200),
    add column claimed_by   text check (claimed_by in ('client', 'prewarm', 'push')),
    add constraint builds_claim_check check ((claimed_name is null) = (claimed_by is null));

update builds set claimed_name = d.claimed_name, claimed_by = 'client'
from demand d
where d.build_id = builds.build_id and d.claimed_name is not null and builds.state <> 'extracted';
