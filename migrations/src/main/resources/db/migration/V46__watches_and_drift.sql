-- What all watches have downloaded on a day, in UTC. It stays when a watch is removed, so that this does not give back a
-- part of the daily limit. Written by the server's package watches.
create table watch_downloads (
    day   date   primary key,
    bytes bigint not null check (bytes >= 0)
);
insert into watch_downloads (day, bytes) select day, sum(day_bytes) from watches where day_bytes > 0 group by day;

-- A debug file of a package whose names tell nothing else has a family, too: the package without the version in its name.
update build_identities set family = left('package:' || lower(regexp_replace(
        jsonb_path_query_first(fields, 'strict $[*] ? (@[0] == "package")[1]') #>> '{}', '[-_.]?[0-9][0-9.]*$', '')), 200)
    where family is null and jsonb_path_exists(fields, 'strict $[*] ? (@[0] == "package")');
