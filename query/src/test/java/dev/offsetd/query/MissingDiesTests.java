package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Label;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Text;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every DIE of a file is removed or renamed, one at a time. The answers from the stored catalogue never have a wrong
 * offset, and are never complete if a requested item is missing.
 */
@ChecklistRow(29)
class MissingDiesTests {

    private static final String RENAMED = "renamed";

    /** Every member of the types of {@link #WHOLE}, and a type and an enumerator. */
    private static final String ASKED = "point.x, point.y, line.from, line.to, line.to.x, line.to.y, line.flags,"
            + " line.ready, line.mode, line.as.word, line.as.place.y, line.ends[1].x, line_t.to.y, line.low,"
            + " line.next, colour, enumerator GREEN";

    @TempDir
    private Path folder;

    static Stream<DwarfStyle> styles() {
        DwarfStyle style = DwarfStyle.DEFAULT;
        return Stream.of(
                style,
                style.withVersion(4),
                style.withVersion(2),
                style.withVersion(3).withOrder(ByteOrder.BIG_ENDIAN));
    }

    /** Nested structs, a named and an unnamed union, an array, bit-fields, an enumeration and a typedef. */
    private static final Die WHOLE = die(
            DW_TAG_compile_unit,
            name("test.c"),
            attribute(DW_AT_language, DW_FORM_data1, DW_LANG_C99),
            strOffsetsBase(),
            baseType("int", 4, DW_ATE_signed),
            struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
            die(
                    DW_TAG_array_type,
                    label("points"),
                    type("point"),
                    die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, DW_FORM_data1, 1))),
            die(
                    DW_TAG_enumeration_type,
                    label("colour"),
                    name("colour"),
                    byteSize(4),
                    die(DW_TAG_enumerator, name("RED"), attribute(DW_AT_const_value, DW_FORM_data1, 0)),
                    die(DW_TAG_enumerator, name("GREEN"), attribute(DW_AT_const_value, DW_FORM_data1, 1))),
            die(DW_TAG_union_type, label("either"), byteSize(8), member("word", "int", 0), member("place", "point", 0)),
            die(DW_TAG_union_type, label("unnamed"), byteSize(4), member("low", "int", 0)),
            die(DW_TAG_pointer_type, label("pointer"), type("point")),
            struct(
                    "line",
                    64,
                    member("from", "point", 0),
                    member("to", "point", 8),
                    bitField("flags", "int", 4, 128, 3),
                    bitField("ready", "int", 4, 131, 1),
                    member("mode", "colour", 20),
                    member("as", "either", 24),
                    member("ends", "points", 32),
                    die(DW_TAG_member, type("unnamed"), memberLocation(48)),
                    member("next", "pointer", 56)),
            typedef("line_t", "line"));

    /** Names that the items refer to. A change of any other DIE may leave the answers complete. */
    private static final Set<String> NAMED = Set.of(
            "point", "x", "y", "line", "from", "to", "flags", "ready", "mode", "as", "word", "place", "ends", "line_t",
            "low", "next", "colour", "GREEN");

    @ParameterizedTest
    @MethodSource("styles")
    void withoutAnyOneDieNoOffsetIsWrongAndNothingMissingIsComplete(DwarfStyle style)
            throws IOException, ExtractionException, ItemSyntaxException {
        List<ItemAnswer> before = ask(style, WHOLE).orElseThrow();
        List<Die> dies = dies(WHOLE);
        int answered = 0;
        for (Die missing : dies.subList(1, dies.size())) {
            Optional<List<ItemAnswer>> after = ask(style, without(WHOLE, missing));
            if (after.isPresent()) {
                answered++;
                requireHonest(before, after.get(), nameOf(missing), "without " + missing);
            }
        }
        assertThat(answered).isGreaterThan(dies.size() / 2);
    }

    @ParameterizedTest
    @MethodSource("styles")
    void withAnyOneDieRenamedNoOffsetIsWrongAndNothingMissingIsComplete(DwarfStyle style)
            throws IOException, ExtractionException, ItemSyntaxException {
        List<ItemAnswer> before = ask(style, WHOLE).orElseThrow();
        for (Die die : dies(WHOLE)) {
            if (nameOf(die) != null) {
                Die tree = replaced(WHOLE, die, found -> new Die(found.tag(), renamed(found.parts())));
                requireHonest(before, ask(style, tree).orElseThrow(), nameOf(die), "renamed " + die);
            }
        }
    }

    @Test
    void wholeFileIsComplete() throws IOException, ExtractionException, ItemSyntaxException {
        List<ItemAnswer> answers = ask(DwarfStyle.DEFAULT, WHOLE).orElseThrow();
        assertThat(ItemAnswer.complete(answers)).isTrue();
        assertThat(answers).extracting(MissingDiesTests::place).contains(List.of(128L, 3L), List.of(320L, 4L));
    }

    /** @param name of the missing DIE; null if it has none */
    private static void requireHonest(
            List<ItemAnswer> before, List<ItemAnswer> after, @Nullable String name, String what) {
        for (int i = 0; i < before.size(); i++) {
            ItemAnswer answer = after.get(i);
            if (answer.outcome() instanceof ItemOutcome.PathFound) {
                assertThat(place(answer).getFirst())
                        .as("%s: bit offset of %s", what, answer.item().text())
                        .isEqualTo(place(before.get(i)).getFirst());
            }
        }
        if (name != null && NAMED.contains(name)) {
            assertThat(ItemAnswer.complete(after)).as("%s: complete", what).isFalse();
        }
    }

    /** Returns the bit offset and size of a found item, or an empty list. */
    private static List<Long> place(ItemAnswer answer) {
        if (!(answer.outcome() instanceof ItemOutcome.PathFound found)) {
            return List.of();
        }
        Placement.Fixed place = found.placement();
        return List.of(place.bitOffset(), place.isBitField() ? place.bitSize() : place.size());
    }

    /** Returns the answers from a stored copy of the catalogue, or empty if the file is rejected. */
    private Optional<List<ItemAnswer>> ask(DwarfStyle style, Die root) throws IOException, ItemSyntaxException {
        Path file = Files.write(
                folder.resolve("file"),
                DwarfWriter.write(style, new Unit(null, DW_UT_compile, 0, null, root))
                        .toElf()
                        .toBytes());
        StoredCatalogue stored;
        try {
            stored = StoredCatalogue.of(CatalogueWriter.encode(
                    DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                            .types()));
        } catch (ExtractionException e) {
            return Optional.empty();
        }
        List<ItemAnswer> answers = new ArrayList<>();
        for (Item item : ItemParser.parseList(List.of(ASKED))) {
            answers.add(ItemResolver.resolve(item, stored, null));
        }
        return Optional.of(answers);
    }

    /** Returns the DIE and its descendants, in order. */
    private static List<Die> dies(Die root) {
        List<Die> all = new ArrayList<>(List.of(root));
        for (Part part : root.parts()) {
            if (part instanceof Die child) {
                all.addAll(dies(child));
            }
        }
        return all;
    }

    /** Returns the tree without a DIE, its descendants and all references to them. */
    private static Die without(Die root, Die missing) {
        Set<String> labels = new HashSet<>();
        for (Die die : dies(missing)) {
            for (Part part : die.parts()) {
                if (part instanceof Label label) {
                    labels.add(label.name());
                }
            }
        }
        return pruned(root, missing, labels);
    }

    private static Die pruned(Die die, Die missing, Set<String> labels) {
        List<Part> parts = new ArrayList<>();
        for (Part part : die.parts()) {
            switch (part) {
                case Die child when child.equals(missing) -> {}
                case Die child -> parts.add(pruned(child, missing, labels));
                case Attribute attribute
                when attribute.value() instanceof Ref(String label) && labels.contains(label) -> {}
                default -> parts.add(part);
            }
        }
        return new Die(die.tag(), parts);
    }

    private static Die replaced(Die die, Die old, UnaryOperator<Die> change) {
        if (die.equals(old)) {
            return change.apply(die);
        }
        return new Die(
                die.tag(),
                die.parts().stream()
                        .map(part -> part instanceof Die child ? replaced(child, old, change) : part)
                        .toList());
    }

    private static List<Part> renamed(List<Part> parts) {
        return parts.stream()
                .map(part -> part instanceof Attribute attribute && attribute.attribute() == DW_AT_name
                        ? name(RENAMED)
                        : part)
                .toList();
    }

    private static @Nullable String nameOf(Die die) {
        for (Part part : die.parts()) {
            if (part instanceof Attribute attribute
                    && attribute.attribute() == DW_AT_name
                    && attribute.value() instanceof Text(String text)) {
                return text;
            }
        }
        return null;
    }
}
