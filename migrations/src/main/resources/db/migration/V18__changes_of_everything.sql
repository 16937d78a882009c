-- The counter's value when something changed that answers of any build may follow from, such as a type set. A server that
-- has not looked since then drops all answers that it has in memory.
alter table change_counter add column everything bigint not null default 0;
