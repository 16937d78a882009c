-- Whether the uploaded file that answers for a build has line tables; null if that is not known. Written
-- by the server's package builds.
alter table debug_files add column has_lines boolean;
