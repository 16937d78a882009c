-- Ways to the thread-local variables of a build's executable: machine, whether it is a program, its
-- PT_TLS segment, and its dynamic relocations as [kind, address, offset in the block]. Written by the
-- server's package builds.identity.
alter table build_identities add column tls jsonb;
