-- Work that ended its server: a file that leaves no thread for requests must not end one server of
-- the cluster after the other. Written by the server's package builds.
alter table extraction_lease
    -- How often the server that worked on the build had to end itself meanwhile. Servers of the
    -- previous release leave it as it is.
    add column process_ends smallint not null default 0;
