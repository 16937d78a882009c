package dev.offsetd.server.pins;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.operations.Word;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** One revision of a pin; rows are never updated. */
@Entity
@Immutable
@Table(name = "pin_history")
class PinHistoryRow {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    @SuppressWarnings("unused") // the database counts the rows
    private @Nullable Long id;

    @SuppressWarnings("unused") // read in queries
    private UUID pinId;

    private int revision;
    private String action;
    private String who;

    @Column(name = "token_id")
    @SuppressWarnings("unused") // for people who read the table
    private @Nullable UUID token;

    private Instant at;
    private String item;
    private String value;
    private String reason;
    private @Nullable Instant expiresAt;
    private String state;
    private @Nullable String acknowledged;

    /** For Hibernate, which sets the fields afterwards. */
    @SuppressWarnings("NullAway.Init")
    PinHistoryRow() {}

    /** @param pin as it is after the change */
    PinHistoryRow(Pin pin, Pin.Action action, Caller who) {
        this.pinId = pin.id();
        this.revision = pin.revision();
        this.action = action.word();
        this.who = who.name();
        this.token = who.token();
        this.at = pin.editedAt();
        this.item = pin.draft().item();
        this.value = PinJson.text(pin.draft().value());
        this.reason = pin.draft().reason();
        this.expiresAt = pin.draft().expiresAt();
        this.state = pin.state().word();
        this.acknowledged = action == Pin.Action.ACKNOWLEDGE ? pin.acknowledged() : null;
    }

    /** @param pin as it is now; a pin stays at its build */
    Pin.Revision revision(Pin pin) {
        return new Pin.Revision(
                revision,
                action,
                who,
                at,
                new PinDraft(pin.draft().buildId(), item, PinJson.ofText(value), reason, expiresAt),
                Word.of(Pin.State.class, state),
                acknowledged);
    }
}
