-- What an extraction cost, and the second file that it was made of, if there was one. Builds that were extracted before
-- do not say.
alter table builds
    add column fetched_bytes          bigint not null default 0,
    add column supplementary_build_id bytea  check (octet_length(supplementary_build_id) between 8 and 64),
    add column supplementary_upstream text,
    add column supplementary_sha256   bytea  check (octet_length(supplementary_sha256) = 32),
    add column supplementary_bytes    bigint,
    add check ((supplementary_build_id is null) = (supplementary_upstream is null)),
    add check ((supplementary_build_id is null) = (supplementary_sha256 is null)),
    add check ((supplementary_build_id is null) = (supplementary_bytes is null));
