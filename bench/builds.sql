-- Made-up builds, in a database that no server uses, of two real ones. Variables: builds; small and large, the build-ids of
-- the two; uploads, one of how many builds is an upload. The indexes are made last.
\set ON_ERROR_STOP on
set maintenance_work_mem = '768MB';
set synchronous_commit = off;
set jit = off;

create temporary table large as
select name::regclass as oid from unnest(array['builds', 'debug_files', 'source_outcomes', 'catalogues', 'symbol_tables',
    'build_identities', 'extraction_lease']) name;

-- Constraints and indexes of the large tables, and references to them, to make them again. The foreign keys come last and go
-- first.
create temporary table set_aside as
select row_number() over () as n, format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop_it,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make_it,
    contype = 'f' as is_reference, false as is_index
from pg_constraint
where contype in ('p', 'f') and (conrelid in (select oid from large) or confrelid in (select oid from large));
insert into set_aside
select row_number() over (), format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), false, true
from pg_index i
where indrelid in (select oid from large) and not exists (select from pg_constraint where conindid = indexrelid);
select drop_it from set_aside order by is_reference desc, is_index \gexec

-- Two of a hundred thousand or more builds never have the same id.
create function pg_temp.made_up_id(kind text, n bigint) returns bytea language sql immutable parallel safe
    return decode(md5(kind || n) || substr(md5(n || kind), 1, 8), 'hex');

-- One build of ten is large. The ids are in random order, the times in the order of the rows.
create temporary table templates as
select b.*, n from (values (:'large', 0)) t (id, n) join builds b on b.build_id = decode(t.id, 'hex')
union all
select b.*, n from generate_series(1, 9) n join builds b on b.build_id = decode(:'small', 'hex');

insert into builds (build_id, state, generation, wanted_at, settled_at, settled_attempt)
select pg_temp.made_up_id('build', n), 'extracted', n, at, at, 1
from (select n, now() - interval '1095 days' * ((:builds - n) / :builds::float8) as at from generate_series(1, :builds::bigint) n) made_up;

create function pg_temp.fill(name text, builds bigint, changes jsonb) returns void language plpgsql as $$
declare
    columns text := (select string_agg(format('%I', attname), ', ' order by attnum) from pg_attribute
        where attrelid = name::regclass and attnum > 0 and not attisdropped and attname <> 'build_id');
    vals text := (select string_agg(coalesce(changes ->> attname, format('f.%I', attname)), ', ' order by attnum)
        from pg_attribute where attrelid = name::regclass and attnum > 0 and not attisdropped and attname <> 'build_id');
begin
    execute format('create temporary table those as select t.n as template, f.* from %s f join templates t using (build_id)', name);
    execute format('insert into %s (build_id, %s) select pg_temp.made_up_id(''build'', n), %s
        from generate_series(1, %s::bigint) n join those f on f.template = n %% 10', name, columns, vals, builds);
    drop table those;
end $$;

select pg_temp.fill('debug_files', :builds, jsonb_build_object(
    'origin', format('case when n %% %s = 0 then ''upload'' else ''debuginfod'' end', :uploads),
    'upstream', format('case when n %% %s = 0 then ''upload'' else ''https://debuginfod.elfutils.org'' end', :uploads),
    'upload_label', format('case when n %% %s = 0 then ''ci'' end', :uploads),
    'debug_format', format('case when n %% %s = 0 then ''dwarf'' end', :uploads),
    'debug_info_bytes', format('case when n %% %s = 0 then f.bytes end', :uploads),
    'sha256', 'sha256(n::text::bytea)',
    'read_at', format('now() - interval ''1095 days'' * ((%s - n) / %s::float8)', :builds, :builds),
    'machine', 'case when n % 8 < 5 then ''x86_64'' else ''aarch64'' end'));
select pg_temp.fill('extraction_lease', :builds, '{}');
select pg_temp.fill('source_outcomes', :builds, jsonb_build_object(
    'origin', '''debuginfod''', 'source', '''https://debuginfod.elfutils.org''',
    'asked_at', format('now() - interval ''1095 days'' * ((%s - n) / %s::float8)', :builds, :builds)));
select pg_temp.fill('catalogues', :builds, '{}');
select pg_temp.fill('symbol_tables', :builds, '{}');

\i :identities

-- More builds that no source has, and more unmet demand, than servers keep.
insert into builds (build_id, state, generation, wanted_at, settled_at, settled_attempt, problem_code, problem_detail, retry_at,
    problem_extractor_version)
select pg_temp.made_up_id('unknown', n), 'not_found', 0, now() - n * interval '1 minute', now() - n * interval '1 minute', 1,
    'build_not_found', 'no source has the build', now() + interval '1 day', 1
from generate_series(1, 120000) n;
insert into extraction_lease (build_id, attempt) select pg_temp.made_up_id('unknown', n), 1 from generate_series(1, 120000) n;
insert into source_outcomes (build_id, source, origin, outcome, code, detail, misses, asked_at, retry_at)
select pg_temp.made_up_id('unknown', n), 'https://debuginfod.elfutils.org', 'debuginfod', 'not_found', 'not_found', '404', 1,
    now() - n * interval '1 minute', now() + interval '1 day'
from generate_series(1, 120000) n;
insert into demand (build_id, asked, first_asked, last_asked, cause)
select case when n % 100 = 0 then pg_temp.made_up_id('build', n) else pg_temp.made_up_id('demand', n) end,
    1 + 1000000 / n, now() - n * interval '1 minute', now() - n * interval '30 seconds', 'not_found'
from generate_series(1, 120000) n;

select make_it from set_aside order by is_reference, is_index, n \gexec

-- What people made: 20,000 pins with two revisions each and 200,000 entries of the audit.
insert into pins (id, build_id, item, item_key, value, reason, state, author, created_at, edited_by, edited_at, revision)
select md5(n::text)::uuid, pg_temp.made_up_id('build', n * (:builds / 20000)), 'made_up.item', sha256('made_up.item'),
    '{"offset": 8, "size": 4}', 'the vendor moved it', case when n % 4 = 0 then 'retired' else 'active' end, 'operator',
    now() - n * interval '1 hour', 'operator', now() - n * interval '1 hour', 2
from generate_series(1, 20000) n;
insert into pin_history (pin_id, revision, action, who, at, item, value, reason, state)
select p.id, r, case r when 1 then 'create' else 'edit' end, p.author, p.created_at, p.item, p.value, p.reason, 'active'
from pins p, generate_series(1, 2) r;
insert into audit (at, who, address, action, subject, after, request_id)
select now() - (200000 - n) * interval '5 minutes', 'operator-' || n % 20, '10.0.0.1',
    (array['pin.create', 'pin.edit', 'token.create', 'prewarm.create'])[1 + n % 4], 'subject ' || n, '{"made": "up"}', 'made-up-' || n
from generate_series(1, 200000) n;
update change_counter set value = :builds + 1;
analyze;
