-- What the author of a pin has seen, so that only a later change asks for a review. Written by the
-- server's package pins.

alter table pins
    -- The extracted value, as JSON, when the pin was made, edited, restored or acknowledged; null if
    -- there was none.
    add column seen text,
    -- Why an active pin needs a review; null if it needs none.
    add column review text check (review in ('value_changed', 'item_vanished')),
    -- Reason of the latest acknowledgement since the pin was made, edited or restored.
    add column acknowledged text check (length(acknowledged) between 1 and 2000);

update pins set seen = extracted;

create index pins_to_review on pins (created_at desc, id desc) where review is not null;

alter table pin_history
    drop constraint pin_history_action_check,
    add constraint pin_history_action_check
        check (action in ('create', 'edit', 'retire', 'restore', 'expire', 'copy', 'acknowledge')),
    add column acknowledged text;
