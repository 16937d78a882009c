-- The loaded segments of a build's executable, three numbers each: offset in the file, address, bytes
-- in the file. Written by the server's package builds.identity.
alter table build_identities add column segments bigint[];
