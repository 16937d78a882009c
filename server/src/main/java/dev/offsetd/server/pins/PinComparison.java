package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.overlay.ExtractedValues;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.storage.CatalogueListener;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Compares every pin of a build with the debug information after each extraction. This happens in the transaction that
 * stores the types, so the stored agreement is consistent even after a crash.
 */
@Component
class PinComparison implements CatalogueListener {

    private static final Logger log = LoggerFactory.getLogger(PinComparison.class);

    private final PinRows rows;

    PinComparison(PinRows rows) {
        this.rows = rows;
    }

    @Override
    public void stored(BuildId id, Supplier<TypeIndex> types) {
        List<PinRow> pins = rows.allOf(id.toBytes());
        if (pins.isEmpty()) {
            return;
        }
        TypeIndex index = types.get();
        pins.forEach(row -> row.compareWith(extracted(row.pin().draft(), index).orElse(null)));
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
    static Pin.Agreement of(PinnedValue pinned, @Nullable PinnedValue extracted) {
        if (extracted == null) {
            return Pin.Agreement.UNKNOWN;
        }
        return ExtractedValues.same(pinned, extracted) ? Pin.Agreement.AGREES : Pin.Agreement.DISAGREES;
    }

    /**
     * Returns why a pin needs a review. A pin usually differs from the debug information, so only a change of the
     * extracted value counts.
     *
     * @param seen the extracted value when the pin was made or acknowledged
     */
    static Optional<Pin.Review> review(
            PinnedValue pinned, @Nullable PinnedValue seen, @Nullable PinnedValue extracted) {
        if (extracted == null) {
            return seen == null ? Optional.empty() : Optional.of(Pin.Review.ITEM_VANISHED);
        }
        boolean expected = of(pinned, extracted) == Pin.Agreement.AGREES
                || (seen != null && ExtractedValues.same(seen, extracted));
        return expected ? Optional.empty() : Optional.of(Pin.Review.VALUE_CHANGED);
    }
}
