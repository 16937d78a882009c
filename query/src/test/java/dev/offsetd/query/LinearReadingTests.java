package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.bits;
import static dev.offsetd.extractor.testkit.Types.define;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.CollidingNames;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.NameStyle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Inputs whose parts are all compared with each other by a reader that is not careful. Each would take more than the two
 * seconds of processor time that {@link HostileRun} grants.
 */
@ChecklistRow(2)
@Tag("long")
class LinearReadingTests {

    /** Not what these tests are about. */
    private static final long ANY_MEMORY = Long.MAX_VALUE;

    @TempDir
    private Path folder;

    private Path written(Part... parts) throws IOException {
        return DwarfWriter.write(DwarfStyle.DEFAULT, unit("test.cc", DW_LANG_C_plus_plus_14, parts))
                .writeTo(folder.resolve("file"));
    }

    private static TypeCatalogue read(Path file) throws IOException {
        return HostileRun.answer(
                        "file",
                        ANY_MEMORY,
                        () -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                                .types())
                .orElseThrow();
    }

    @Test
    void typesWhoseNamesShareAHashAreReadInLinearTime() throws IOException {
        Path file = written(CollidingNames.many().stream()
                .map(name -> die(DW_TAG_structure_type, name(name), byteSize(1)))
                .toArray(Part[]::new));
        assertThat(read(file).definitions()).hasSize(CollidingNames.MANY);
    }

    @Test
    void typesWhoseNamesShareAHashAreExportedInLinearTime() throws IOException {
        TypeCatalogue build = new TypeCatalogue(
                CollidingNames.many().stream()
                        .map(name -> define(Types.struct(name, 1)))
                        .toList(),
                List.of(),
                Set.of(),
                List.of());
        ExportedTypes types = HostileRun.answer(
                        "export", ANY_MEMORY, () -> ExportedTypes.whole(build, NameStyle.SPELLED))
                .orElseThrow();
        assertThat(types).isNotNull();
    }

    @Test
    void namesThatShareAHashAreRequestedInLinearTime() throws IOException {
        Set<String> names = new HashSet<>(CollidingNames.many());
        RequestedNames requested = HostileRun.answer("request", ANY_MEMORY, () -> new RequestedNames(names, Set.of()))
                .orElseThrow();
        assertThat(requested.types()).hasSize(CollidingNames.MANY);
    }

    /** The places of two members stand seven numbers apart in the key, and {@code Arrays.hashCode} weighs by powers of 31. */
    @Test
    void layoutsThatShareAHashAreToldApartInLinearTime() throws IOException {
        long weight = 31L * 31 * 31 * 31 * 31 * 31 * 31;
        List<AggregateShape> shapes = IntStream.range(0, CollidingNames.MANY)
                .mapToObj(
                        i -> Types.struct("s", 8, bits("a", i, 1, INT), bits("b", -i * weight & 0xffff_ffffL, 1, INT)))
                .toList();
        int classes = HostileRun.answer("layouts", ANY_MEMORY, () -> {
                    LayoutEquality equality = new LayoutEquality();
                    return (int) shapes.stream()
                            .mapToInt(equality::classOf)
                            .distinct()
                            .count();
                })
                .orElseThrow();
        assertThat(classes).isEqualTo(CollidingNames.MANY);
    }

    /** Each qualified name has the names of all around it. */
    @Test
    void namesOfInlineNamespacesInsideEachOtherAreKeptUpToALimit() throws IOException {
        int levels = 300;
        Part inner = die(DW_TAG_structure_type, name("innermost"), byteSize(4));
        for (int level = levels; level > 0; level--) {
            inner = die(
                    DW_TAG_namespace,
                    name("n" + level + "_".repeat(500)),
                    attribute(DW_AT_export_symbols, DW_FORM_flag, 1),
                    inner);
        }
        Set<String> kept = read(written(inner)).inlineNamespaces();
        assertThat(kept).contains("n1" + "_".repeat(500)).hasSizeLessThan(levels);
        assertThat(kept.stream().mapToInt(String::length).sum()).isBetween(1 << 19, 1 << 20);
    }

    @Test
    void enumeratorsAreReadOnceForAllTemplateArgumentsOfTheirEnumeration() throws IOException {
        int count = 20_000;
        Part[] enumerators = Stream.concat(
                        Stream.of(label("e"), name("e"), byteSize(4)),
                        IntStream.range(0, count)
                                .mapToObj(i -> die(
                                        DW_TAG_enumerator,
                                        name("v" + i),
                                        attribute(DW_AT_const_value, DW_FORM_udata, i))))
                .toArray(Part[]::new);
        Part[] arguments = Stream.concat(
                        Stream.of(name("t"), byteSize(1)),
                        IntStream.range(0, count)
                                .mapToObj(i -> die(
                                        DW_TAG_template_value_parameter,
                                        type("e"),
                                        attribute(DW_AT_const_value, DW_FORM_udata, count - 1 - i))))
                .toArray(Part[]::new);
        TypeCatalogue types =
                read(written(die(DW_TAG_enumeration_type, enumerators), die(DW_TAG_structure_type, arguments)));
        assertThat(types.definitions().getLast().name())
                .startsWith("t<v19999, v19998, ")
                .endsWith(", v0>");
    }

    /** The caches of names by their place forget the one name for the other. */
    @Test
    void longNamesAreReadOnceForAllTheirTypes() throws IOException {
        String long1 = "a".repeat((1 << 19) - 1);
        String long2 = "b".repeat((1 << 19) - 1);
        Path file = written(IntStream.range(0, 40_000)
                .mapToObj(i -> die(
                        DW_TAG_structure_type,
                        attribute(DW_AT_name, DW_FORM_strp, i % 2 == 0 ? long1 : long2),
                        byteSize(1)))
                .toArray(Part[]::new));
        assertThat(read(file).definitions()).hasSize(2);
    }

    @Test
    void declaredTypesAreSoughtInLinearTime() throws IOException {
        int count = 20_000;
        Part[] members = Stream.concat(
                        Stream.of(name("holder"), byteSize(8L * count)),
                        IntStream.range(0, count).mapToObj(i -> member("m" + i, "d" + i, 8L * i)))
                .toArray(Part[]::new);
        Path file = written(Stream.of(
                        IntStream.range(0, count)
                                .mapToObj(i -> die(
                                        DW_TAG_structure_type,
                                        label("d" + i),
                                        name("declared" + i),
                                        attribute(DW_AT_declaration, DW_FORM_flag_present, 1))),
                        Stream.of(die(DW_TAG_structure_type, members)),
                        IntStream.range(0, 2 * count)
                                .mapToObj(i -> die(DW_TAG_structure_type, name("other" + i), byteSize(1))))
                .flatMap(parts -> parts)
                .toArray(Part[]::new));
        RequestedNames names = new RequestedNames(Set.of("holder"), Set.of());
        TypeCatalogue found = HostileRun.answer(
                        "file",
                        ANY_MEMORY,
                        () -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), info -> info.extract(names))
                                .types())
                .orElseThrow();
        assertThat(found.definitionsNamed("holder")).hasSize(1);
    }
}
