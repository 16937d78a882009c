package dev.offsetd.query.overlay;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.View;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** A build with a few types, and pins on them. */
record PinnedBuild(Optional<TypeIndex> types, PinOverlay pins, PinnedTypes pinned) {

    private static final JsonMapper JSON = new JsonMapper();

    private static final PinnedBuild PLAIN = written(DwarfStyle.DEFAULT);

    PinnedBuild(Optional<TypeIndex> types, PinOverlay pins) {
        this(types, pins, pins.over(types.orElse(null)));
    }

    /** The types without pins. */
    static PinnedBuild plain() {
        return PLAIN;
    }

    /** A build of which nothing is known. */
    static PinnedBuild unknown() {
        return new PinnedBuild(Optional.empty(), PinOverlay.NONE);
    }

    /** The types as a debug file of this style has them. */
    static PinnedBuild written(DwarfStyle style) {
        try {
            Path file = Files.createTempFile("pins", ".debug");
            try {
                DwarfWriter.write(style, SomeTypes.units()).writeTo(file);
                return new PinnedBuild(
                        Optional.of(DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                                .types()),
                        PinOverlay.NONE);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ExtractionException e) {
            throw new IllegalStateException(e);
        }
    }

    static PinnedValue.OfMember place(long offset, long size) {
        return new PinnedValue.OfMember(offset, size, null, null);
    }

    static PinnedValue.OfMember place(long offset, long size, @Nullable String type) {
        return new PinnedValue.OfMember(offset, size, null, type);
    }

    /** A bit-field. */
    static PinnedValue.OfMember bits(long bitOffset, int bitSize) {
        long first = bitOffset / 8;
        return new PinnedValue.OfMember(
                first, (bitOffset + bitSize - 1) / 8 - first + 1, new PinnedValue.Bits(bitOffset, bitSize), null);
    }

    static PinnedValue.OfType type(long size, Map<String, PinnedValue.OfMember> members) {
        return new PinnedValue.OfType(size, members);
    }

    /** Two members in this order. */
    static Map<String, PinnedValue.OfMember> members(
            String first, PinnedValue.OfMember firstPlace, String second, PinnedValue.OfMember secondPlace) {
        Map<String, PinnedValue.OfMember> members = new LinkedHashMap<>();
        members.put(first, firstPlace);
        members.put(second, secondPlace);
        return members;
    }

    /** The build with one more pin; the sources are p2, p3, ... */
    PinnedBuild pin(String item, PinnedValue value) {
        List<PinnedItem> all = new ArrayList<>(pins.all());
        all.add(new PinnedItem("p" + (all.size() + 2), ItemParser.parse(item), value));
        return new PinnedBuild(types, PinOverlay.of(all));
    }

    BuildContents contents() {
        return new BuildContents(pinned.index().orElse(null), null);
    }

    TypeIndex index() {
        return pinned.index().orElseThrow();
    }

    List<ItemAnswer> answers(String... items) {
        BuildContents contents = contents();
        return ItemParser.parseEach(List.of(items)).stream()
                .map(item -> ItemResolver.resolve(item, contents, null))
                .toList();
    }

    ItemAnswer answer(String item) {
        return ItemResolver.resolve(ItemParser.parse(item), contents(), null);
    }

    /** The answers, and the pins that had a say in them. */
    String json(View view, String... items) {
        List<ItemAnswer> answers = answers(items);
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(text)) {
            out.writeStartObject();
            out.writeName("offsets");
            new AnswerWriter(view, pinned).writeAnswers(out, answers, "p1");
            AppliedPins.write(out, "pinned", AppliedPins.of(answers, pinned));
            out.writeEndObject();
        }
        return text.toString();
    }

    PinCheck check(String item, PinnedValue value) {
        Item parsed = ItemParser.parse(item);
        return PinCheck.check(parsed, value, types.orElse(null), pins);
    }
}
