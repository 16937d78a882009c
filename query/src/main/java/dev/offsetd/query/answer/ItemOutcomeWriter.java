package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.MemberTree;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes the properties of answers into the object that is open. */
final class ItemOutcomeWriter {

    private final JsonGenerator out;
    private final View view;
    private final PinnedTypes pins;
    private final String source;
    private final MemberTree trees;
    private final PlacementWriter placements;

    /** @param source key of the provenance of what no pin overrides */
    ItemOutcomeWriter(JsonGenerator out, View view, PinnedTypes pins, String source, int expandedLevels) {
        this.out = out;
        this.view = view;
        this.pins = pins;
        this.source = source;
        this.trees = new MemberTree(expandedLevels);
        this.placements = new PlacementWriter(out, pins);
    }

    void writeOutcome(ItemOutcome outcome) {
        writeFacts(outcome);
        if (outcome instanceof ItemOutcome.TypeFound type && type.kind().isTag()) {
            out.writeStringProperty("language", type.definition().language().name());
        }
        Provenance pinned = provenance(outcome);
        if (pinned != null) {
            AppliedPins.write(out, pinned);
        } else if (!(outcome instanceof ItemOutcome.Missed)) {
            out.writeStringProperty("source", source);
        }
        switch (outcome) {
            case ItemOutcome.TypeFound type -> {
                writeAlsoMatches(type.alsoMatches());
                // Without a source, a member has that of the type.
                writeContents(type, pinned == null ? null : source);
            }
            case ItemOutcome.PathFound path -> writeAlsoMatches(path.alsoMatches());
            case ItemOutcome.PlanFound plan -> writeAlsoMatches(plan.alsoMatches());
            case ItemOutcome.Ambiguous ambiguous -> writeVariants(ambiguous);
            default -> {}
        }
    }

    private @Nullable Provenance provenance(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.TypeFound type -> pins.of(type.definition());
            case ItemOutcome.PathFound path -> pins.of(path.placement());
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                Stream.concat(plan.pointers().stream(), Stream.of(plan.target()))
                        .map(pins::of)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
            case ItemOutcome.VariableFound found -> provenance(found.part());
            default -> null;
        };
    }

    /** Writes the properties common to an answer and to a variant of an ambiguous one. */
    void writeFacts(ItemOutcome outcome) {
        switch (outcome) {
            case ItemOutcome.TypeFound type -> writeType(type);
            case ItemOutcome.PathFound path -> {
                writeScope(path.definition());
                placements.writePlace(path.placement());
            }
            case ItemOutcome.PlanFound plan -> {
                writeScope(plan.definition());
                placements.writePlan(plan.plan());
            }
            case ItemOutcome.VariableFound found -> writeVariable(found);
            case ItemOutcome.EnumeratorFound enumerator -> writeEnumerator(enumerator);
            case ItemOutcome.CrossesPointer crosses -> {
                if (crosses.pointee() != null) {
                    out.writeStringProperty("pointee", crosses.pointee());
                }
                out.writeObjectPropertyStart("at");
                out.writeStringProperty("path", crosses.at());
                placements.writePlace(crosses.placement());
                AppliedPins.write(out, pins.of(crosses.placement()));
                out.writeEndObject();
            }
            case ItemOutcome.Computed computed -> {
                out.writeObjectPropertyStart("at");
                out.writeStringProperty("path", computed.at());
                out.writeEndObject();
                out.writeStringProperty("reason", computed.reason());
            }
            case ItemOutcome.Missed missed -> {
                if (missed.detail() != null) {
                    out.writeStringProperty("detail", missed.detail());
                }
            }
            case ItemOutcome.StaticFound found -> {
                Variable variable = found.variable();
                out.writeStringProperty("kind", "symbol");
                if (variable.linkageName() != null) {
                    out.writeStringProperty("symbol", variable.linkageName());
                }
                if (variable.address() != null) {
                    SymbolWriter.writeHex(out, "address", variable.address());
                }
                PlacementWriter.writeSize(out, variable.type().byteSize());
                out.writeStringProperty("type", variable.type().spelling());
                out.writeStringProperty("language", variable.language().name());
            }
            case ItemOutcome.SymbolsFound symbols -> writeSymbols(symbols);
            case ItemOutcome.TlsFound(TlsSegment tls) -> {
                out.writeStringProperty("kind", "tls");
                out.writeName("tls");
                SymbolWriter.write(out, tls);
            }
            case ItemOutcome.SetFound set -> {
                out.writeStringProperty("kind", "set");
                out.writeStringProperty("set", set.name());
                out.writeNumberProperty("version", set.version());
                writeCoverage(set.coverage());
            }
            case ItemOutcome.Ambiguous _ -> {}
        }
    }

    /** Writes where a variable is, followed by the place in it. */
    private void writeVariable(ItemOutcome.VariableFound found) {
        Variable variable = found.variable();
        if (found.symbol() != null) {
            out.writeStringProperty("symbol", found.symbol().name());
        }
        found.address().ifPresent(address -> SymbolWriter.writeHex(out, "address", address));
        found.fileOffset().ifPresent(offset -> SymbolWriter.writeHex(out, "fileOffset", offset));
        if (found.program() != null && found.address().isPresent()) {
            SymbolWriter.writeMissing(out, found.program().offsets());
        }
        if (found.symbol() != null) {
            out.writeStringProperty("section", found.symbol().section().name());
        }
        if (found.isThreadLocal()) {
            out.writeBooleanProperty("threadLocal", true);
        }
        String problem = found.problem();
        if (problem == null) {
            writeFacts(found.part());
        } else {
            out.writeStringProperty("detail", problem);
        }
        out.writeStringProperty("language", variable.language().name());
    }

    private void writeSymbols(ItemOutcome.SymbolsFound found) {
        out.writeStringProperty("kind", "symbol");
        out.writeArrayPropertyStart("symbols");
        for (Symbol symbol : found.symbols()) {
            SymbolWriter.write(out, symbol, found.program());
        }
        out.writeEndArray();
        if (found.program() != null && found.symbols().stream().anyMatch(Symbol::isPlace)) {
            SymbolWriter.writeMissing(out, found.program().offsets());
        }
        if (found.total() > found.symbols().size()) {
            out.writeBooleanProperty("truncated", true);
            out.writeNumberProperty("total", found.total());
        }
    }

    private void writeCoverage(Coverage coverage) {
        out.writeObjectPropertyStart("coverage");
        writeShare(Need.REQUIRED, coverage.required());
        writeShare(Need.OPTIONAL, coverage.optional());
        out.writeArrayPropertyStart("missing");
        for (Coverage.MissingEntry missing : coverage.missing()) {
            out.writeStartObject();
            switch (missing) {
                case Coverage.MissingEntry.MissingSingle one -> {
                    out.writeStringProperty("item", one.item().text());
                    out.writeStringProperty("need", one.need().word());
                    out.writeStringProperty("status", one.item().status().word());
                }
                case Coverage.MissingEntry.MissingGroup group -> {
                    out.writeStringProperty("group", group.name());
                    out.writeStringProperty("need", group.need().word());
                    out.writeArrayPropertyStart("items");
                    for (Coverage.MissingItem item : group.items()) {
                        out.writeStartObject();
                        out.writeStringProperty("item", item.text());
                        out.writeStringProperty("status", item.status().word());
                        out.writeEndObject();
                    }
                    out.writeEndArray();
                }
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private void writeShare(Need need, Coverage.Share share) {
        out.writeObjectPropertyStart(need.word());
        out.writeNumberProperty("found", share.found());
        out.writeNumberProperty("of", share.of());
        out.writeEndObject();
    }

    private void writeType(ItemOutcome.TypeFound type) {
        Definition definition = type.definition();
        TypeShape shape = definition.shape();
        TypeShape peeled = shape.peeled();
        out.writeStringProperty("kind", type.kind().word());
        if (type.viaTypedef()) {
            out.writeStringProperty("via", "typedef");
        }
        writeScope(definition);
        PlacementWriter.writeSize(out, shape.byteSize());
        placements.writeResolvedFrom(shape);
        if (peeled instanceof AggregateShape aggregate && aggregate.alignment() > 0) {
            out.writeNumberProperty("align", aggregate.alignment());
        }
        if (!type.kind().isTag() && shape instanceof AliasShape alias) {
            placements.writeSpelling(alias.target(), false);
            PlacementWriter.writeByteOrder(out, shape);
            placements.writeCounts(shape);
        }
    }

    /** @param source the provenance of members that are not pinned; null if it is that of the answer */
    private void writeContents(ItemOutcome.TypeFound type, @Nullable String source) {
        switch (type.definition().shape().peeled()) {
            case AggregateShape aggregate
            when view == View.MEMBERS -> placements.writeMembers(trees.entries(aggregate), source);
            case AggregateShape _ -> writeFields(type.fields(), source);
            case EnumShape enumeration -> writeEnumerators(enumeration);
            default -> {}
        }
    }

    private void writeFields(Map<String, List<Placement>> fields, @Nullable String source) {
        boolean ambiguous = false;
        out.writeObjectPropertyStart("fields");
        for (Map.Entry<String, List<Placement>> field : fields.entrySet()) {
            if (isClear(field.getValue())) {
                out.writeName(field.getKey());
                placements.writePlacement(field.getValue().getFirst(), source);
            } else {
                ambiguous = true;
            }
        }
        out.writeEndObject();
        if (ambiguous) {
            out.writeObjectPropertyStart("ambiguousFields");
            for (Map.Entry<String, List<Placement>> field : fields.entrySet()) {
                if (!isClear(field.getValue())) {
                    out.writeName(field.getKey());
                    placements.writePlacements(field.getValue(), source);
                }
            }
            out.writeEndObject();
        }
    }

    /** Returns whether a name has one placement, or only placements known at run time. */
    private static boolean isClear(List<Placement> placements) {
        return placements.size() == 1 || placements.stream().allMatch(Placement.Computed.class::isInstance);
    }

    private void writeEnumerators(EnumShape enumeration) {
        out.writeArrayPropertyStart("enumerators");
        for (Enumerator enumerator : enumeration.enumerators()) {
            out.writeStartObject();
            out.writeStringProperty("name", enumerator.name());
            writeValue(enumerator, enumeration);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void writeEnumerator(ItemOutcome.EnumeratorFound enumerator) {
        Definition enumeration = enumerator.found().enumeration();
        writeScope(enumeration);
        out.writeStringProperty("kind", "enumerator");
        writeValue(enumerator.found().enumerator(), enumeration.shape().peeled());
        PlacementWriter.writeSize(out, enumeration.shape().byteSize());
        out.writeStringProperty("type", enumeration.shape().spelling());
        if (!enumeration.name().isEmpty()) {
            out.writeStringProperty("enumeration", enumeration.qualifiedName());
        }
    }

    /** Writes values of 8-byte enumerations in hex, because not every JSON reader has 64-bit numbers. */
    private void writeValue(Enumerator enumerator, TypeShape enumeration) {
        long value = enumerator.value();
        boolean signed = !(enumeration instanceof EnumShape shape) || shape.signed();
        long bytes = enumeration.byteSize();
        out.writeName("value");
        if (!enumerator.known()) {
            out.writeNull();
        } else if (bytes == Long.BYTES) {
            out.writeString("0x" + Long.toHexString(value));
        } else if (signed) {
            out.writeNumber(value);
        } else if (bytes > 0 && bytes < Long.BYTES) {
            out.writeNumber(value & ((1L << (bytes * Byte.SIZE)) - 1));
        } else {
            out.writeNumber(new BigInteger(Long.toUnsignedString(value)));
        }
    }

    private void writeVariants(ItemOutcome.Ambiguous ambiguous) {
        out.writeArrayPropertyStart("definitions");
        for (ItemOutcome.DifferingAnswer variant : ambiguous.variants()) {
            out.writeStartObject();
            writeOrigin(variant.definition());
            out.writeStringProperty("status", variant.outcome().status().word());
            writeFacts(variant.outcome());
            AppliedPins.write(out, provenance(variant.outcome()));
            if (variant.outcome() instanceof ItemOutcome.Ambiguous inner) {
                writeVariants(inner);
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        if (ambiguous.total() > ambiguous.variants().size()) {
            out.writeNumberProperty("total", ambiguous.total());
        }
    }

    private void writeAlsoMatches(List<Definition> definitions) {
        if (definitions.isEmpty()) {
            return;
        }
        out.writeArrayPropertyStart("alsoMatches");
        for (Definition definition : definitions) {
            out.writeStartObject();
            out.writeStringProperty("kind", definition.kind().word());
            writeOrigin(definition);
            PlacementWriter.writeSize(out, definition.shape().byteSize());
            if (definition.shape() instanceof AliasShape alias) {
                out.writeStringProperty("type", alias.target().spelling());
            }
            AppliedPins.write(out, pins.of(definition));
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void writeOrigin(Definition definition) {
        out.writeStringProperty("unit", definition.unit());
        out.writeStringProperty("language", definition.language().name());
        if (!definition.name().isEmpty()) {
            out.writeStringProperty("name", definition.qualifiedName());
        }
    }

    private void writeScope(Definition definition) {
        if (definition.function() != null) {
            out.writeStringProperty("scope", definition.function());
        }
    }

    /** Writes a type or member that was found as an array; returns whether the outcome is one. */
    boolean writeFlat(ItemOutcome outcome) {
        switch (outcome) {
            case ItemOutcome.TypeFound type ->
                placements.writeFlat(type.definition().shape().byteSize());
            case ItemOutcome.PathFound path
            when path.placement().type().byteOrder() == null -> placements.writeFlat(path.placement());
            default -> {
                return false;
            }
        }
        return true;
    }

    void writeFlatFields(String item, ItemOutcome.TypeFound type, Set<String> items) {
        for (Map.Entry<String, List<Placement>> field : type.fields().entrySet()) {
            String key = item + "." + field.getKey();
            if (items.contains(key)) {
                continue;
            }
            out.writeName(key);
            if (!isClear(field.getValue())) {
                out.writeStartObject();
                out.writeStringProperty("status", ItemStatus.AMBIGUOUS.word());
                out.writeName("placements");
                placements.writePlacements(field.getValue(), null);
                out.writeEndObject();
            } else if (field.getValue().getFirst() instanceof Placement.Fixed place
                    && place.type().byteOrder() == null) {
                placements.writeFlat(place);
            } else {
                placements.writePlacement(field.getValue().getFirst(), null);
            }
        }
    }
}
