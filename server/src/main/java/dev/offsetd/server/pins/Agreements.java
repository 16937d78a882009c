package dev.offsetd.server.pins;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.overlay.ExtractedValues;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.catalogues.CatalogueListener;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Compares every pin of a build with the debug information after each extraction. This happens in the transaction that
 * stores the types, so the stored agreement is consistent even after a crash.
 */
@Component
class Agreements implements CatalogueListener {

    private static final Logger log = LoggerFactory.getLogger(Agreements.class);

    private final PinRows rows;

    Agreements(PinRows rows) {
        this.rows = rows;
    }

    @Override
    public void stored(BuildId id, Supplier<TypeIndex> types) {
        List<PinRow> pins = rows.allOf(id.toBytes());
        if (pins.isEmpty()) {
            return;
        }
        TypeIndex index = types.get();
        pins.forEach(row -> row.compareWith(extracted(row.pin().draft(), index)));
        rows.flush();
    }

    /** Returns the value of a draft's item in these types. */
    static Optional<PinnedValue> extracted(PinDraft draft, TypeIndex types) {
        try {
            return ExtractedValues.of(PinItem.of(draft.item()).item(), types);
        } catch (RuntimeException e) {
            // A pin that cannot be compared must not prevent its build from being stored.
            log.error("build {}: the pin of {} cannot be compared", draft.buildId(), draft.item(), e);
            return Optional.empty();
        }
    }

    /** Returns the agreement of a value with the extracted one. */
    static Pin.Agreement of(PinnedValue pinned, Optional<PinnedValue> extracted) {
        return extracted
                .map(value -> ExtractedValues.same(pinned, value) ? Pin.Agreement.AGREES : Pin.Agreement.DISAGREES)
                .orElse(Pin.Agreement.UNKNOWN);
    }
}
