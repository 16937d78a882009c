-- Whether similar builds answered for the build when the item failed. Null for items that have not
-- failed, that request no types, and of earlier servers.
alter table prewarm_items add column by_consensus boolean;
