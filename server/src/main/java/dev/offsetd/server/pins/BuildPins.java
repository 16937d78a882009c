package dev.offsetd.server.pins;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinOverlay;
import dev.offsetd.query.overlay.PinnedItem;
import dev.offsetd.query.overlay.PinnedTypes;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** The active pins of one build, with their keys in the provenance of answers. */
public final class BuildPins {

    /** No pins. */
    public static final BuildPins NONE = new BuildPins(List.of());

    /** First key of a pin in {@code provenance}; the debug file has the one before. */
    private static final int FIRST_KEY = 2;

    private final Map<String, Pin> byKey = new LinkedHashMap<>();
    private final PinOverlay overlay;

    private BuildPins(List<Pin> active) {
        active.forEach(pin -> byKey.put("p" + (FIRST_KEY + byKey.size()), pin));
        this.overlay = overlay(byKey);
    }

    /** Returns the pins as an overlay; the source of each is its id. */
    public static PinOverlay overlayById(List<Pin> active) {
        Map<String, Pin> byId = new LinkedHashMap<>();
        active.forEach(pin -> byId.put(pin.id().toString(), pin));
        return overlay(byId);
    }

    /** @param bySource pins by the source that marks their values */
    private static PinOverlay overlay(Map<String, Pin> bySource) {
        return PinOverlay.of(bySource.entrySet().stream()
                .map(entry -> new PinnedItem(
                        entry.getKey(),
                        PinItem.of(entry.getValue().draft().item()).item(),
                        entry.getValue().draft().value()))
                .toList());
    }

    /** @param active in the order of their keys */
    static BuildPins of(List<Pin> active) {
        return active.isEmpty() ? NONE : new BuildPins(active);
    }

    /**
     * Applies the pins to the types of the build.
     *
     * @param types by the debug information; null if the build has none
     */
    public PinnedTypes over(@Nullable TypeIndex types) {
        return overlay.over(types);
    }

    PinOverlay overlay() {
        return overlay;
    }

    /**
     * Writes the applied pins into the object {@code provenance}, which is open.
     *
     * @param marks the pins of an answer
     */
    public void writeProvenance(JsonGenerator out, Collection<AppliedPin> marks) {
        Map<Integer, AppliedPin> inOrder = new TreeMap<>();
        marks.forEach(mark -> inOrder.put(Integer.parseInt(mark.source().substring(1)), mark));
        inOrder.values().forEach(mark -> {
            Pin pin = of(mark);
            out.writeObjectPropertyStart(mark.source());
            out.writeStringProperty("origin", "pin");
            out.writeStringProperty("pin", pin.id().toString());
            out.writeStringProperty("reason", pin.draft().reason());
            out.writeStringProperty("author", pin.author());
            out.writeStringProperty("pinnedAt", pin.editedAt().toString());
            Instant expiresAt = pin.draft().expiresAt();
            if (expiresAt != null) {
                out.writeStringProperty("expiresAt", expiresAt.toString());
            }
            out.writeEndObject();
        });
    }

    /** Returns the pin of an answer. */
    public Pin of(AppliedPin mark) {
        Pin pin = byKey.get(mark.source());
        if (pin == null) {
            throw new IllegalArgumentException("no pin has the key " + mark.source());
        }
        return pin;
    }
}
