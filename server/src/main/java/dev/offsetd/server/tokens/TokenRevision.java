package dev.offsetd.server.tokens;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** The one row whose number rises with every token that is made or taken back. */
@Entity
@Table(name = "token_revision")
class TokenRevision {

    @Id
    @Column(name = "only_row")
    @SuppressWarnings("unused") // makes it one row
    private boolean onlyRow;

    @Column(name = "revision")
    @SuppressWarnings("unused") // read and written by queries
    private long revision;
}
