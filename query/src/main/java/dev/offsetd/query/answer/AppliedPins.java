package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.MemberTree;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Collects the pins that determine values in answers, and writes them. */
public final class AppliedPins {

    private final PinnedTypes pins;
    private final Map<String, AppliedPin> marks = new TreeMap<>();

    AppliedPins(PinnedTypes pins) {
        this.pins = pins;
    }

    /**
     * Returns the pins that determine what these answers show, in the order of their items.
     *
     * @param types the types that the answers are from
     */
    public static List<AppliedPin> of(Collection<ItemAnswer> answers, PinnedTypes types) {
        AppliedPins pins = new AppliedPins(types);
        answers.forEach(answer -> pins.add(answer.outcome()));
        return pins.marks();
    }

    List<AppliedPin> marks() {
        return List.copyOf(marks.values());
    }

    /**
     * Writes an object of pins by item; nothing if there are none.
     *
     * @param property the name of the object in the one that is open
     */
    public static void write(JsonGenerator out, String property, Collection<AppliedPin> pins) {
        if (pins.isEmpty()) {
            return;
        }
        out.writeObjectPropertyStart(property);
        for (AppliedPin pin : pins) {
            out.writeObjectPropertyStart(pin.item());
            out.writeStringProperty("source", pin.source());
            out.writeName("extracted");
            write(out, pin.extracted());
            out.writeEndObject();
        }
        out.writeEndObject();
    }

    /** Writes the provenance of a pinned value into the object that is open; nothing for null. */
    static void write(JsonGenerator out, @Nullable Provenance provenance) {
        if (provenance != null) {
            out.writeStringProperty("source", provenance.pin().source());
            out.writeName("extracted");
            write(out, provenance.extracted());
        }
    }

    /** Writes the value of the debug information that a pin overrides: an object or null. */
    public static void write(JsonGenerator out, AppliedPin.@Nullable Extent extracted) {
        if (extracted == null) {
            out.writeNull();
            return;
        }
        out.writeStartObject();
        switch (extracted) {
            case AppliedPin.Extent.OfType(long bytes) -> PlacementWriter.writeSize(out, bytes);
            case AppliedPin.Extent.OfMember(long bitOffset, long bytes, int bits) -> {
                out.writeNumberProperty("offset", Math.floorDiv(bitOffset, Byte.SIZE));
                PlacementWriter.writeSize(out, bytes);
                if (bits != Member.NOT_A_BIT_FIELD) {
                    out.writeNumberProperty("bitOffset", bitOffset);
                    out.writeNumberProperty("bitSize", bits);
                }
            }
        }
        out.writeEndObject();
    }

    private void add(ItemOutcome outcome) {
        switch (outcome) {
            case ItemOutcome.TypeFound type -> {
                add(pins.of(type.definition()));
                type.fields().values().forEach(places -> places.forEach(this::add));
                if (type.definition().shape().peeled() instanceof AggregateShape aggregate) {
                    addMembers(MemberTree.of(aggregate));
                }
            }
            case ItemOutcome.PathFound path -> add(path.placement());
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) -> {
                plan.pointers().forEach(this::add);
                add(plan.target());
            }
            case ItemOutcome.VariableFound found -> add(found.part());
            case ItemOutcome.CrossesPointer crosses -> add(crosses.placement());
            case ItemOutcome.Ambiguous ambiguous ->
                ambiguous.variants().forEach(variant -> {
                    switch (variant.outcome()) {
                        // An ambiguous answer shows no more than the size of each type.
                        case ItemOutcome.TypeFound type -> add(pins.of(type.definition()));
                        case ItemOutcome other -> add(other);
                    }
                });
            case ItemOutcome.EnumeratorFound _,
                    ItemOutcome.StaticFound _,
                    ItemOutcome.SymbolsFound _,
                    ItemOutcome.TlsFound _,
                    ItemOutcome.SetFound _,
                    ItemOutcome.Computed _,
                    ItemOutcome.Missed _ -> {}
        }
    }

    private void addMembers(List<MemberTree.Entry> entries) {
        for (MemberTree.Entry entry : entries) {
            if (entry instanceof MemberTree.Entry.MemberEntry part) {
                add(part.placement());
                addMembers(part.nested());
            }
        }
    }

    private void add(Placement placement) {
        if (placement instanceof Placement.Fixed fixed) {
            add(pins.of(fixed));
        }
    }

    void add(@Nullable Provenance provenance) {
        if (provenance != null) {
            provenance.pins().forEach(pin -> marks.putIfAbsent(pin.item(), pin));
        }
    }
}
