-- What an earlier extractor has stored is looked for every few seconds, and mostly there is none.
create index builds_by_extractor on builds (extractor_version) where state = 'extracted';
