-- Only so many builds without anything stored are remembered; the sweep wants the ones whose last attempt is longest ago.
create index builds_by_last_attempt on builds (settled_at desc) where state in ('not_found', 'unusable', 'failed');
