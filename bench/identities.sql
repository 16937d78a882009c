-- Identities for all builds without one, distributed as in Linux distributions: 4,000 projects, of which few have most
-- builds, five libraries each, 600 versions, 7 distributions, and of 200 builds 125 for x86_64, 72 for aarch64, and
-- three for others.
create temporary table made_up_identities as
select build_id, soname, project, version, package, revision, distribution, release, machine, compiler,
    format('%L:3C %L:3C %L:4D %L:4D %L:4D %L:4D %L:4D o2:4D g:4D fpic:4D fcf-protection:4D', distribution, release, machine,
        case machine when 'x86_64' then 'amd64' when 'aarch64' then 'arm64' else machine end, 'gnu', 'c17', compiler)::tsvector
        as shared
from (
    select build_id, 'lib' || name || (n % 5) || '.so.' || n % 4 as soname, name as project,
        name || '-' || n % 3 || '-dbgsym' as package,
        p % 6 || '.' || n / 13 % 12 || '.' || n / 7 % 9 as version, '-' || n % 3 + 1 || '+deb13u' || n % 2 as revision,
        (array['debian', 'debian', 'ubuntu', 'ubuntu', 'fedora', 'fedora', 'alpine'])[1 + n / 17 % 7] as distribution,
        (array['13', '12', '24.04', '22.04', '42', '41', '3.22'])[1 + n / 17 % 7] as release,
        case when n % 200 = 0 then 's390x' when n % 100 = 1 then 'ppc64le' when n / 3 % 8 < 5 then 'x86_64' else 'aarch64' end as machine,
        12 + n % 4 || '.' || n / 5 % 3 || '.0' as compiler
    from (
        select build_id, n, p, translate(substr(md5(p::text), 1, 4 + p % 6), '0123456789', 'ghijklmnop') as name
        from (
            select build_id, n, (power((n * 7919::bigint % 1000003) / 1000003.0, 3) * 4000)::int as p
            from (
                select build_id, row_number() over (order by md5(build_id::text))::int as n
                from builds where not exists (select from build_identities i where i.build_id = builds.build_id)) numbered
        ) projects) named) facts;

insert into identity_facets (id, words)
select distinct hashtextextended(shared::text, 0), shared from made_up_identities on conflict do nothing;

insert into build_identities (build_id, fields, title, words, facets, family, machine, version_order, work_due)
select build_id,
    jsonb_build_array(
        jsonb_build_array('soname', soname, '.dynamic', false),
        jsonb_build_array('project', project, 'DW_AT_comp_dir', true),
        jsonb_build_array('version', version, 'DW_AT_comp_dir', true),
        jsonb_build_array('package', package, '.note.package', false),
        jsonb_build_array('packageVersion', version || revision, '.note.package', false),
        jsonb_build_array('distribution', distribution || ' ' || release, '.note.package', false),
        jsonb_build_array('compiler', 'GNU C17', 'DW_AT_producer', false),
        jsonb_build_array('compilerVersion', compiler, 'DW_AT_producer', false),
        jsonb_build_array('compilerFlags', '-O2 -g -fPIC -fcf-protection', 'DW_AT_producer', false)),
    soname || ' ' || version || ', ' || distribution || ' ' || release,
    format('%L:1A %L:1A %L:1A %L:1A %L:1A %L:2B %L:2B %L:2B',
        soname, substr(soname, 4), project, package, 'dbgsym', version, version || revision, substr(revision, 4))::tsvector,
    hashtextextended(shared::text, 0), split_part(soname, '.', 1), machine, version, null
from made_up_identities;

drop table made_up_identities;
