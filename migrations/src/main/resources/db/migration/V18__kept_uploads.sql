-- Uploaded files that are kept (offsetd.uploads.keep), and signatures of distributions.

-- The uploaded file that answers for a build, in chunks of 1 MiB. Written by the server's package
-- catalogues. A file is complete when the chunks of its hash have the size in debug_files.
create table kept_uploads (
    build_id bytea   not null references builds on delete cascade,
    sha256   bytea   not null check (octet_length(sha256) = 32),
    -- Index of the chunk, from 0.
    part     integer not null check (part >= 0),
    content  bytea   not null,
    primary key (build_id, sha256, part)
);

-- Debug files are often compressed already.
alter table kept_uploads alter column content set storage external;

-- The signature of an RPM distribution over the file (X-DEBUGINFOD-IMASIGNATURE), in hex.
alter table debug_files add column ima_signature text
    check (char_length(ima_signature) between 2 and 4096);
