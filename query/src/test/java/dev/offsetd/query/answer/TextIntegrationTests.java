package dev.offsetd.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.overlay.PinnedTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text output compared with pahole's, and header output checked by a compiler. */
class TextIntegrationTests {

    private static final Pattern HEAD = Pattern.compile("(?:struct|union) (\\w+) \\{");
    private static final Pattern NUMBER = Pattern.compile("([a-z_ ]+): ([0-9]+)");
    private static final Pattern MEMBER = Pattern.compile(".*/\\* +([0-9]+)(?:: *([0-9]+))? +([0-9]+) \\*/");

    @TempDir
    Path folder;

    /** Offsets, bits and sizes of the members of a type in order, and the totals printed below them. */
    private record Said(List<List<Long>> members, Map<String, Long> sums) {

        /**
         * Returns the number of bits that no member uses. Only the total is comparable, because tools draw the line
         * between bit-fields and bytes differently.
         */
        long freeBits() {
            return 8 * (sum("sum holes") + sum("padding")) + sum("sum bit holes") + sum("bit_padding");
        }

        long sum(String name) {
            return sums.getOrDefault(name, 0L);
        }

        boolean hasBitFields() {
            return sums.containsKey("sum bitfield members");
        }
    }

    /** Reads types by name, without those that have two different definitions. */
    private static Map<String, Said> read(List<String> lines) {
        Map<String, Said> types = new TreeMap<>();
        List<String> twice = new ArrayList<>();
        String name = "";
        Said said = new Said(new ArrayList<>(), new TreeMap<>());
        for (String line : lines) {
            Matcher head = HEAD.matcher(line);
            String text = line.strip();
            if (head.matches()) {
                name = head.group(1);
                said = new Said(new ArrayList<>(), new TreeMap<>());
            } else if (line.startsWith("}") && !name.isEmpty()) {
                Said known = types.put(name, said);
                if (known != null && !known.equals(said)) {
                    twice.add(name);
                }
                name = "";
            } else if (MEMBER.matcher(line).matches() && !text.startsWith("/*")) {
                Matcher member = MEMBER.matcher(line);
                if (member.matches()) {
                    String bits = member.group(2);
                    said.members.add(List.of(
                            Long.parseLong(member.group(1)),
                            bits == null ? -1 : Long.parseLong(bits),
                            Long.parseLong(member.group(3))));
                }
            } else if (text.startsWith("/* ") && depth(line) == 1) {
                Matcher number = NUMBER.matcher(text);
                while (number.find()) {
                    said.sums.putIfAbsent(number.group(1).strip(), Long.valueOf(number.group(2)));
                }
            }
        }
        twice.forEach(types::remove);
        return types;
    }

    /** Returns the indentation level of a line, in tabs or eight spaces. */
    private static int depth(String line) {
        String spaces = line.replace("\t", "        ");
        return (spaces.length() - spaces.stripLeading().length()) / 8;
    }

    private static List<ItemAnswer> answers(Path file, List<String> items) throws IOException, ExtractionException {
        TypeIndex types = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 2), DebugInfo::extractAll)
                .types();
        return items.stream()
                .map(item -> ItemResolver.resolve(ItemParser.parse(item), types, null))
                .toList();
    }

    private static int compareWithPahole(Path file) throws IOException, ExtractionException {
        Map<String, Said> theirs = read(RequiredTool.require("pahole")
                .output("-F", "dwarf", file)
                .lines()
                .toList());
        List<ItemAnswer> answers = answers(file, List.copyOf(theirs.keySet())).stream()
                .filter(answer -> answer.status() == ItemStatus.FOUND)
                .toList();
        Map<String, Said> ours = read(LayoutText.lines(answers, 0));
        int compared = 0;
        for (Map.Entry<String, Said> type : ours.entrySet()) {
            Said their = theirs.get(type.getKey());
            Said our = type.getValue();
            if (their == null || !their.sums.containsKey("size")) {
                continue;
            }
            assertThat(our.members).as(type.getKey()).isEqualTo(their.members);
            if (our.hasBitFields()) {
                assertThat(our.freeBits()).as(type.getKey()).isEqualTo(their.freeBits());
            }
            for (String sum : List.of("size", "cachelines", "members", "last cacheline")) {
                assertThat(our.sum(sum)).as("%s of %s", sum, type.getKey()).isEqualTo(their.sum(sum));
            }
            if (!our.hasBitFields()) {
                for (String sum : List.of("sum members", "holes", "sum holes", "padding")) {
                    assertThat(our.sum(sum)).as("%s of %s", sum, type.getKey()).isEqualTo(their.sum(sum));
                }
            }
            compared++;
        }
        return compared;
    }

    @Test
    void everyStructOfTheDynamicLoaderIsAsPaholeShowsIt() throws IOException, ExtractionException {
        int compared = 0;
        for (Path file : DebianPackages.debugFiles("libc6-dbg", "amd64")) {
            if (Files.size(file) < 1 << 20) {
                compared += compareWithPahole(file);
            }
        }
        assertThat(compared).isGreaterThan(500);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gcc12-dwarf4-x86_64-el", "gcc12-dwarf3-i386-el"})
    void compiledStructsAreAsPaholeShowsThem(String fixture) throws IOException, ExtractionException {
        assertThat(compareWithPahole(Fixture.named(fixture).debugFile())).isGreaterThan(5);
    }

    /**
     * The compiler that produced the layouts confirms every constant, and two headers of one build can be included
     * together.
     */
    @ParameterizedTest
    @ValueSource(strings = {"gcc", "clang"})
    void headerHoldsForTheSourceThatTheFileWasBuiltFrom(String compiler) throws IOException, ExtractionException {
        Fixture fixture = Fixture.named("gcc12-dwarf5-x86_64-el");
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        List<ItemAnswer> types = answers(
                fixture.debugFile(),
                List.of(
                        "struct point",
                        "nested",
                        "arrays",
                        "bits",
                        "enum colour",
                        "enumerator GREEN",
                        "pointers",
                        "nope",
                        "point.nope",
                        "arrays.points[2].y",
                        "uses_typedefs",
                        "packed_bits"));
        List<ItemAnswer> other = answers(fixture.debugFile(), List.of("nested.inner.b"));
        var elf = DebugInfo.read(fixture.debugFile(), options, DebugInfo::facts);
        Files.write(
                folder.resolve("offsets.h"),
                ConstantsHeader.lines(types, PinnedTypes.NONE, elf.buildId(), elf.architecture()));
        Files.write(
                folder.resolve("other.h"),
                ConstantsHeader.lines(other, PinnedTypes.NONE, elf.buildId(), elf.architecture()));
        Path source = Files.writeString(folder.resolve("check.c"), """
                #include "layout.c"
                #include "offsets.h"
                #include "offsets.h"
                #include "other.h"
                #include <stddef.h>
                #define SAME(what) _Static_assert(what, #what)
                SAME(point_SIZE == sizeof(struct point));
                SAME(point_y_OFFSET == offsetof(struct point, y));
                SAME(nested_SIZE == sizeof(struct nested));
                SAME(nested_origin_OFFSET == offsetof(struct nested, origin));
                SAME(nested_high_OFFSET == offsetof(struct nested, high));
                SAME(nested_deepest_OFFSET == offsetof(struct nested, deepest));
                SAME(nested_deepest_SIZE == sizeof(((struct nested *)0)->deepest));
                SAME(nested_inner_b_OFFSET == offsetof(struct nested, inner.b));
                SAME(arrays_points_2_y_OFFSET == offsetof(struct arrays, points[2].y));
                SAME(arrays_cube_SIZE == sizeof(((struct arrays *)0)->cube));
                SAME(pointers_handlers_OFFSET == offsetof(struct pointers, handlers));
                SAME(colour_BLUE_VALUE == BLUE);
                SAME(GREEN_VALUE == GREEN);
                SAME(bits_SIZE == sizeof(struct bits));
                SAME(bits_plain_OFFSET == offsetof(struct bits, plain));
                int read_c(const void *bits) {
                    unsigned char byte = ((const unsigned char *)bits)[bits_c_OFFSET];
                    return (byte >> bits_c_BIT_OFFSET % 8) & ((1 << bits_c_BIT_SIZE) - 1);
                }
                #ifdef nope_OFFSET
                #error a miss has a number
                #endif
                """);

        RequiredTool.require(compiler)
                .output(
                        "-std=gnu11",
                        "-w",
                        "-fsyntax-only",
                        "-I",
                        fixture.folder().resolveSibling("."),
                        source);
        assertThat(source).exists();
    }
}
