package dev.offsetd.server.typesets;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A set by its name, with the version that answers. */
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

    /** The version that answers; 0 in the transaction that makes the set. */
    int version() {
        return version;
    }

    void raiseTo(int next) {
        version = next;
    }
}
