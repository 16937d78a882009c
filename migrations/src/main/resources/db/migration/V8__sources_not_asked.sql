-- A source that does not work at present is passed over. That it was not asked is part of what a miss says.
alter table source_outcomes drop constraint source_outcomes_outcome_check;
alter table source_outcomes add constraint source_outcomes_outcome_check check (outcome in
    ('fetched', 'not_found', 'refused', 'timed_out', 'broken', 'unusable', 'local_failure', 'not_asked'));
