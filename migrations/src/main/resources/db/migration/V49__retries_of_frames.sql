-- A stored table that an earlier reader made stays if it cannot be made again: then only the time of the next
-- attempt is set. Written by the server's package builds.
alter table debug_files
    drop constraint debug_files_frames_check,
    add constraint debug_files_frames_check check (
        num_nonnulls(frames_sha256, frames_version) in (0, 2)
        and num_nonnulls(frames_problem_code, frames_problem_detail) in (0, 2)
        and (frames_problem_code is null or frames_retry_at is not null));
