package dev.offsetd.server.typesets;

import dev.offsetd.server.access.Caller;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** One version of a set, written once. */
@Entity
@Immutable
@Table(name = "type_set_versions")
class TypeSetVersion {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @SuppressWarnings("unused") // the database counts the rows
    private @Nullable Long id;

    @SuppressWarnings("unused") // read in queries
    private String name;

    @SuppressWarnings("unused") // read in queries
    private int version;

    private String document;
    private String author;

    /** Set by the database. */
    @Column(insertable = false, updatable = false)
    private @Nullable Instant createdAt;

    @Column(name = "token_id")
    @SuppressWarnings("unused") // for direct queries
    private @Nullable UUID token;

    /** For Hibernate, which fills the fields after it. */
    @SuppressWarnings("NullAway.Init")
    TypeSetVersion() {}

    TypeSetVersion(TypeSetDocument document, Caller author) {
        this.name = document.set().name();
        this.version = document.set().version();
        this.document = document.text();
        this.author = author.name();
        this.token = author.token();
    }

    /** Returns this version, which must have been read from the database: a new one has no time yet. */
    TypeSets.SetVersion described() {
        return new TypeSets.SetVersion(document(), author, Objects.requireNonNull(createdAt));
    }

    TypeSetDocument document() {
        return TypeSetDocument.ofText(document);
    }
}
