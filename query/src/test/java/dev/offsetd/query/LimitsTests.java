package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.LimitsWith;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every limit: a file that needs just what it allows is read, one that needs more is refused and told so. */
class LimitsTests {

    private static final int NAME_CHARS = 200;

    /** Past the first a section goes to a file, which {@code DecompressorTests} look at; {@code SymbolReaderTests} have the rest. */
    private static final Set<String> TESTED_ELSEWHERE =
            Set.of("maxHeapSectionBytes", "maxKeptBytes", "maxSymbols", "maxSymbolNameBytes", "maxMiniDebugInfoBytes");

    @TempDir
    private Path folder;

    /**
     * A file, and what it needs of a limit.
     *
     * @param needs the least value with which the file is read
     */
    record Case(String limit, long needs, ElfWriter file) {

        @Override
        public String toString() {
            return limit;
        }
    }

    static List<Case> cases() {
        ElfWriter point = elf(unit(baseType("int", 4, DW_ATE_signed), struct("point", 4, member("x", "int", 0))));
        return List.of(
                new Case("maxFileBytes", point.toBytes().length, point),
                compressed(),
                new Case("maxUnits", 3, elf(point(1), point(2), point(3))),
                new Case(
                        "maxAttributesPerAbbreviation", 9, elf(unit(baseType("int", 4, DW_ATE_signed), attributes(9)))),
                new Case("maxMembersPerType", 20, elf(unit(baseType("int", 4, DW_ATE_signed), structWithMembers(20)))),
                new Case("maxMembersPerType", 30, elf(unit(enumWithEnumerators(30)))),
                new Case("maxDieDepth", 40, elf(unit(nested(40)))),
                new Case("maxTypeDepth", 30, elf(unit(typedefs(30)))),
                new Case("maxNameBytes", NAME_CHARS, elf(unit(baseType("n".repeat(NAME_CHARS), 4, DW_ATE_signed)))),
                // Members, types and the section headers of an ELF file are entries; here the types are most.
                new Case("maxEntries", 101, elf(unit(typedefs(100)))));
    }

    private static ElfWriter elf(Unit... units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT.withSiblings(false), units).toElf();
    }

    private static Unit point(int number) {
        return unit(struct("point" + number, 4));
    }

    private static Case compressed() {
        DwarfSections sections = DwarfWriter.write(DwarfStyle.DEFAULT, unit(struct("point", 4)));
        ElfWriter elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN);
        long bytes = 0;
        for (String name : List.of(".debug_info", ".debug_abbrev", ".debug_str")) {
            elf.compressed(name, sections.section(name), ElfWriter.ELFCOMPRESS_ZLIB);
            bytes += sections.section(name).length;
        }
        return new Case("maxDecompressedBytes", bytes, elf);
    }

    private static Part attributes(int count) {
        Part[] parts = new Part[count];
        parts[0] = name("s");
        for (int i = 1; i < count; i++) {
            parts[i] = attribute(0x3abc, DW_FORM_flag_present, 1);
        }
        return die(DW_TAG_structure_type, parts);
    }

    private static Part structWithMembers(int count) {
        Part[] parts = new Part[count];
        for (int i = 0; i < count; i++) {
            parts[i] = member("m", "int", 0);
        }
        return struct("s", 4, parts);
    }

    private static Part enumWithEnumerators(int count) {
        Part[] parts = new Part[count + 2];
        parts[0] = name("e");
        parts[1] = byteSize(4);
        for (int i = 0; i < count; i++) {
            parts[i + 2] = die(DW_TAG_enumerator, name("E"), attribute(DW_AT_const_value, DW_FORM_data1, i));
        }
        return die(DW_TAG_enumeration_type, parts);
    }

    private static Part nested(int depth) {
        Part inner = struct("s", 4);
        for (int i = 0; i < depth; i++) {
            inner = die(DW_TAG_lexical_block, inner);
        }
        return inner;
    }

    private static Part[] typedefs(int count) {
        Part[] parts = new Part[count + 1];
        parts[0] = baseType("t0", 4, DW_ATE_signed);
        for (int i = 1; i <= count; i++) {
            // All but the first are typedefs of one that is before, in chains of 30.
            parts[i] = typedef("t" + i, "t" + (i % 30 == 1 ? 0 : i - 1));
        }
        return parts;
    }

    private void read(ElfWriter file, Limits limits) throws IOException, ExtractionException {
        DebugInfo.read(file.writeTo(folder.resolve("file")), new ReadOptions(limits, 1), DebugInfo::extractAll);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @ChecklistRow(1)
    void limitIsWhatIsReadAndNoMore(Case each) throws IOException, ExtractionException {
        read(each.file(), LimitsWith.of(each.limit(), each.needs()));
        assertRefused(each.file(), each.limit(), each.needs() - 1);
    }

    private void assertRefused(ElfWriter file, String limit, long allowed) {
        assertThatThrownBy(() -> read(file, LimitsWith.of(limit, allowed)))
                .isInstanceOfSatisfying(LimitExceededException.class, e -> {
                    assertThat(e.limit()).isEqualTo(limit);
                    assertThat(e.allowed()).isEqualTo(allowed);
                })
                .hasMessageMatching(".*: limit " + limit + " of " + allowed + " exceeded \\(.*\\d.*\\)");
    }

    /** The stack has room for the largest depth that can be allowed, when the types are read and when they are stored. */
    @Test
    void largestTypeDepthIsReadAndStored() throws IOException, ExtractionException {
        Part[] parts = new Part[500];
        parts[0] = struct("s0", 4);
        for (int i = 1; i < parts.length; i++) {
            parts[i] = struct("s" + i, 4, member("m", "s" + (i - 1), 0));
        }
        Path file = elf(unit(parts)).writeTo(folder.resolve("deep"));
        ReadOptions options = new ReadOptions(LimitsWith.of("maxTypeDepth", 500), 1);
        TypeCatalogue types =
                DebugInfo.read(file, options, DebugInfo::extractAll).types();
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(types));
        TypeShape shape = stored.definitionsNamed("s499").getFirst().shape();
        // Level by level: to compare the records as values takes more of the stack than to read them.
        for (int i = parts.length - 1; i > 0; i--) {
            assertThat(shape.spelling()).isEqualTo("struct s" + i);
            shape = ((AggregateShape) shape).members().getFirst().type();
        }
        assertThat(shape.spelling()).isEqualTo("struct s0");
        assertThatThrownBy(() -> LimitsWith.of("maxTypeDepth", 501))
                .rootCause()
                .hasMessage("maxTypeDepth is 501; expected at most 500: types are followed by recursion");
    }

    /** Names and spellings count as often as they are kept, so the number is found by trying. */
    @Test
    void textOfAFileIsKeptUpToItsLimit() throws IOException, ExtractionException {
        ElfWriter file = elf(unit(typedefs(200)));
        long allowed = 1;
        while (allowed < 1 << 20 && isOver(file, allowed)) {
            allowed++;
        }
        assertThat(allowed).isBetween(200L * 4, 200L * 40);
        assertRefused(file, "maxTextChars", allowed - 1);
    }

    private boolean isOver(ElfWriter file, long maxTextChars) throws IOException, ExtractionException {
        try {
            read(file, LimitsWith.of("maxTextChars", maxTextChars));
            return false;
        } catch (LimitExceededException e) {
            assertThat(e.limit()).isEqualTo("maxTextChars");
            return true;
        }
    }

    @Test
    @ChecklistRow(1)
    void timeIsUpAfterItsLimit() {
        ElfWriter file = elf(point(1));
        assertThatThrownBy(() -> read(file, LimitsWith.of("maxDuration", 1)))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo("maxDuration"))
                .hasMessageMatching("file: limit maxDuration of 0 exceeded \\(.*\\)");
    }

    @Test
    @ChecklistRow(1)
    void everyLimitHasItsTest() {
        Map<String, Long> tested = new TreeMap<>();
        cases().forEach(each -> tested.put(each.limit(), each.needs()));
        Set<String> names = new TreeSet<>(tested.keySet());
        names.addAll(TESTED_ELSEWHERE);
        names.addAll(Set.of("maxTextChars", "maxDuration"));
        assertThat(names).containsExactlyInAnyOrderElementsOf(LimitsWith.names());
    }

    @ParameterizedTest
    @MethodSource("dev.offsetd.extractor.testkit.LimitsWith#names")
    void limitsAreMoreThanNothing(String name) {
        assertThatThrownBy(() -> LimitsWith.of(name, 0))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .rootCause()
                .hasMessageStartingWith(name + " is ");
    }
}
