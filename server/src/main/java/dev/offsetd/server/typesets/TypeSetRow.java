package dev.offsetd.server.typesets;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Name of a set with its current version. */
@Entity
@Table(name = "type_sets")
class TypeSetRow {

    @Id
    @Column(name = "name")
    @SuppressWarnings("unused") // read in queries
    private String name;

    @Column(name = "version")
    private int version;

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
}
