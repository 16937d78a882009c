package dev.offsetd.server.audit;

import org.springframework.data.repository.Repository;

/** The rows of the audit; they can only be added to. */
interface AuditEntries extends Repository<AuditEntry, Long> {

    AuditEntry save(AuditEntry entry);
}
