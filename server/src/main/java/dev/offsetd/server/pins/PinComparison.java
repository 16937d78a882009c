package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.overlay.ExtractedValues;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.store.TypesTooLargeException;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.storage.CatalogueListener;
import dev.offsetd.server.storage.Catalogues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * Compares every pin of a build with the debug information after each extraction. The result is stored in the transaction that
 * stores the types, so the stored agreement is consistent even after a crash.
 */
@Component
class PinComparison implements CatalogueListener {

    private static final Logger log = LoggerFactory.getLogger(PinComparison.class);

    private final PinRows rows;
    private final Catalogues catalogues;
    private final ComputePool threads;

    PinComparison(PinRows rows, Catalogues catalogues, @Qualifier(ComputePool.FILES) ComputePool threads) {
        this.rows = rows;
        this.catalogues = catalogues;
        this.threads = threads;
    }

    /** The values of the pins are computed here, without a transaction: a thousand pins of a large type take long. */
    @Override
    public Runnable storing(BuildId id, Supplier<StoredCatalogue> types) {
        List<PinDraft> drafts =
                rows.allOf(id.toBytes()).stream().map(row -> row.pin().draft()).toList();
        try {
            Extracted extracted =
                    drafts.isEmpty() ? new Extracted(types) : threads.run(() -> extracted(drafts, types.get()));
            return () -> store(id, extracted);
        } catch (RuntimeException e) {
            // Pins that cannot be compared must not prevent their build from being stored.
            log.error("build {}: its pins cannot be compared and keep their agreement", id, e);
            return () -> {};
        }
    }

    private Extracted extracted(List<PinDraft> drafts, StoredCatalogue types) {
        return catalogues.reading(types, drafts.size(), () -> {
            Extracted extracted = new Extracted(() -> types);
            drafts.forEach(extracted::of);
            return extracted;
        });
    }

    /** A pin that was added meanwhile is compared here. */
    private void store(BuildId id, Extracted extracted) {
        List<PinRow> pins = rows.allOf(id.toBytes());
        if (!pins.isEmpty()) {
            pins.forEach(row -> row.compareWith(extracted.of(row.pin().draft())));
            rows.flush();
        }
    }

    /** Values of items by new types. Shares layouts and values among pins. */
    private static final class Extracted {

        private final Supplier<StoredCatalogue> types;
        private @Nullable ItemResolver resolver;

        /** By item; null if it has none. */
        private final Map<String, @Nullable PinnedValue> values = new HashMap<>();

        Extracted(Supplier<StoredCatalogue> types) {
            this.types = types;
        }

        /** Returns the value of a draft's item; null if it has none. */
        @Nullable
        PinnedValue of(PinDraft draft) {
            String item = draft.item();
            if (!values.containsKey(item)) {
                values.put(item, compute(draft.buildId(), item).orElse(null));
            }
            return values.get(item);
        }

        private Optional<PinnedValue> compute(BuildId id, String item) {
            try {
                return resolved(item);
            } catch (DeadlineExceededException | CancellationException e) {
                throw e;
            } catch (RuntimeException e) {
                log.error("build {}: the pin of {} cannot be compared", id, item, e);
                return Optional.empty();
            }
        }

        private Optional<PinnedValue> resolved(String item) {
            try {
                return ExtractedValues.of(
                        resolver().resolve(PinItem.of(item).item()).outcome());
            } catch (TypesTooLargeException e) {
                // The types of the pins before it count too, so it is tried again without them.
                resolver = null;
                return ExtractedValues.of(
                        resolver().resolve(PinItem.of(item).item()).outcome());
            }
        }

        private ItemResolver resolver() {
            if (resolver == null) {
                resolver = new ItemResolver(BuildContents.ofTypes(types.get().sharingLayouts()), null);
            }
            return resolver;
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
