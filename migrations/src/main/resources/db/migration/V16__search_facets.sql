-- Words that many builds share, so that a search for them does not read the words of each build.
-- Written by the server's package builds.

-- One row per combination of architecture, distribution, compiler and language: a few thousand for
-- a million builds.
create table identity_facets (
    -- The first 8 bytes of the SHA-256 of the words.
    id    bigint   primary key,
    words tsvector not null
);

alter table build_identities
    -- The row of identity_facets whose words find the build, besides its own words. Null if all its
    -- words are its own: those of builds from before this table, or if the table is full.
    add column facets bigint,
    -- An array of arrays of name, required items found, required items, optional items found and
    -- optional items: the type sets of which the build has a required item. Determined with sets.
    add column coverage jsonb not null default '[]';

-- Builds of some facets, in the order of the list.
create index build_identities_by_facets on build_identities (facets, build_id) where facets is not null;

-- The search estimates how many builds have a word, or a word that begins with it.
alter table build_identities alter column words set statistics 400;
