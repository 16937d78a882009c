-- Debug files that are few among millions. Written by the server's package builds.

-- Builds of which only symbols are stored: the count of builds without stored data, and their
-- deletion, leave them out.
create index debug_files_with_symbols_only on debug_files (build_id) where symbol_count is not null;

-- Uploaded builds, which every backup contains.
create index debug_files_of_uploads on debug_files (build_id) where origin = 'upload';
