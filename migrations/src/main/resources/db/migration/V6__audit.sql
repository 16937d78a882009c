-- Who changed what, when, from where. One row for every change, written in the transaction that makes it.
create table audit (
    id         bigint      generated always as identity primary key,
    at         timestamptz not null default now(),
    -- Label of the token, or "operator" for a command on the server's own machine.
    who        text        not null,
    -- Not a reference: the row outlives the token.
    token_id   uuid,
    address    text        not null,
    action     text        not null,
    subject    text        not null,
    -- Null where there was nothing before, or is nothing after.
    before     jsonb,
    after      jsonb,
    request_id text        not null
);

create index audit_by_subject on audit (subject, id desc);

-- What the program cannot do by mistake, nobody else does by mistake either. Whoever owns the table can still drop the
-- triggers; that is then no mistake.
create function audit_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'rows of audit are never changed or deleted';
end $$;

create trigger audit_is_append_only before update or delete or truncate on audit
    for each statement execute function audit_is_append_only();
