package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.operations.Word;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

/** Stored pin. */
@Entity
@Table(name = "pins")
class PinRow implements Persistable<UUID> {

    @Id
    private UUID id;

    private byte[] buildId;
    private String item;

    @SuppressWarnings("unused") // read in queries
    private byte[] itemKey;

    private String value;
    private String reason;
    private @Nullable Instant expiresAt;
    private String state;
    private String author;
    private Instant createdAt;
    private String editedBy;
    private Instant editedAt;
    private int revision;
    private String agreement;
    private @Nullable String extracted;
    private @Nullable String seen;
    private @Nullable String review;
    private @Nullable String acknowledged;

    @Transient
    private final boolean isNew;

    /** For Hibernate, which sets the fields afterwards. */
    @SuppressWarnings("NullAway.Init")
    PinRow() {
        isNew = false;
    }

    PinRow(UUID id, PinDraft draft, String author, Instant now) {
        this.id = id;
        this.buildId = draft.buildId().toBytes();
        this.item = draft.item();
        this.itemKey = PinItem.of(draft.item()).key();
        this.value = PinJson.text(draft.value());
        this.reason = draft.reason();
        this.expiresAt = draft.expiresAt();
        this.state = Pin.State.ACTIVE.word();
        this.author = author;
        this.createdAt = now;
        this.editedBy = author;
        this.editedAt = now;
        this.revision = 1;
        this.agreement = Pin.Agreement.UNKNOWN.word();
        this.isNew = true;
    }

    /** Replaces the draft. */
    void setDraft(PinDraft draft) {
        item = draft.item();
        itemKey = PinItem.of(draft.item()).key();
        value = PinJson.text(draft.value());
        reason = draft.reason();
        expiresAt = draft.expiresAt();
    }

    /** Completes a change. */
    void changedTo(Pin.State next, String who, Instant now) {
        state = next.word();
        editedBy = who;
        editedAt = now;
        revision++;
        if (next != Pin.State.ACTIVE) {
            review = null;
        }
    }

    /** Stores the extracted value and the agreement with it; null if the debug information has no value. */
    void compareWith(@Nullable PinnedValue found) {
        agreement = PinComparison.of(PinJson.ofText(value), found).word();
        extracted = found == null ? null : PinJson.text(found);
        if (seen == null && agreement.equals(Pin.Agreement.AGREES.word())) {
            // Found as it was pinned: the item can vanish from now on.
            seen = extracted;
        }
        review = state.equals(Pin.State.ACTIVE.word())
                ? PinComparison.review(PinJson.ofText(value), seen == null ? null : PinJson.ofText(seen), found)
                        .map(Pin.Review::word)
                        .orElse(null)
                : null;
    }

    /** Stores the extracted value as one that the author of the pin has seen. */
    void setSeen(@Nullable PinnedValue found) {
        compareWith(found);
        seen = extracted;
        review = null;
        acknowledged = null;
    }

    /** Accepts the extracted value, for a reason. */
    void acknowledge(String why) {
        seen = extracted;
        review = null;
        acknowledged = why;
    }

    Pin pin() {
        return new Pin(
                id,
                new PinDraft(BuildId.of(buildId), item, PinJson.ofText(value), reason, expiresAt),
                Word.of(Pin.State.class, state),
                author,
                createdAt,
                editedBy,
                editedAt,
                revision,
                Word.of(Pin.Agreement.class, agreement),
                extracted == null ? null : PinJson.ofText(extracted),
                seen == null ? null : PinJson.ofText(seen),
                review == null ? null : Word.of(Pin.Review.class, review),
                acknowledged);
    }

    @Override
    public UUID getId() {
        return id;
    }

    /** Returns whether Spring Data must insert the row; otherwise it would query for the id first. */
    @Override
    public boolean isNew() {
        return isNew;
    }
}
