-- Which attempt the build's state comes from. Whoever began to wait before that attempt ended takes its result, a failure
-- too, instead of trying again; the retry time only counts for those who ask afterwards.
alter table builds add column settled_attempt bigint not null default 0;
