package dev.offsetd.server.typesets;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Name of a set with its current version, and when it was retired. */
@Entity
@Table(name = "type_sets")
class TypeSetRow {

    @Id
    @SuppressWarnings("unused") // read in queries
    private String name;

    private int version;
    private @Nullable Instant retiredAt;

    /** For Hibernate, which fills the fields after it. */
    @SuppressWarnings("NullAway.Init")
    TypeSetRow() {}

    /** Returns the current version; 0 in the transaction that creates the set. */
    int version() {
        return version;
    }

    void raiseTo(int next) {
        version = next;
    }

    boolean isRetired() {
        return retiredAt != null;
    }

    /** @param time null for a set in use */
    void retire(@Nullable Instant time) {
        retiredAt = time;
    }
}
