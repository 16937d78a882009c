-- The audit: who changed what, when and from where. One row per change, inserted in the transaction
-- that makes the change. Written by the server's package audit.
create table audit (
    id         bigint      generated always as identity primary key,
    at         timestamptz not null default now(),
    -- Label of the token, name of the user, or "operator" for a command on the server's machine.
    who        text        not null,
    -- Not a foreign key: the row outlives the token.
    token_id   uuid,
    address    text        not null,
    action     text        not null,
    subject    text        not null,
    -- Null if the subject did not exist before, or does not exist after.
    before     jsonb,
    after      jsonb,
    request_id text        not null
);

-- The filters of the list: by subject, by time, by person, by kind of change.
create index audit_by_subject on audit (subject, id desc);
create index audit_by_time on audit (at desc, id desc);
create index audit_by_who on audit (who, at desc, id desc);
create index audit_by_action on audit (action, at desc, id desc);

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'rows of audit are never changed or deleted';
end $$;

-- Guards against mistakes. The owner of the table can still drop the trigger.
create trigger audit_is_append_only before update or delete or truncate on audit
    for each statement execute function audit_is_append_only();
