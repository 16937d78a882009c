package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.python.DebugOffsets;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An interpreter without debug information answers from CPython's debug offsets as its DWARF does. */
class PythonDebugOffsetsIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private static final Path FIXTURES = Path.of("src/test/resources/fixtures/python-debug-offsets");

    @TempDir
    private Path folder;

    /** Compiles an interpreter that has nothing but its state, with the layouts in {@code interpreter.c}. */
    private Path compiled(String name, String... options) throws IOException {
        Path source = FIXTURES.resolve("interpreter.c").toAbsolutePath();
        Path file = folder.resolve(name);
        Object[] words = Stream.concat(
                        Arrays.stream(options), Stream.of("-shared", "-fPIC", "-o", file.toString(), source.toString()))
                .toArray();
        RequiredTool.require("gcc").output(words);
        return file;
    }

    /** Returns the numbers of a build: sizes of types, and offsets of members that do not depend on the running program. */
    private static Map<String, Long> numbers(Path file) throws IOException, ExtractionException {
        return numbers(
                DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types().definitions());
    }

    private static Map<String, Long> numbers(List<Definition> definitions) {
        Map<String, Long> numbers = new TreeMap<>();
        for (Definition definition : definitions) {
            if (definition.shape().peeled() instanceof AggregateShape aggregate && definition.function() == null) {
                add(definition.kind().word() + " " + definition.name(), 0, aggregate, numbers);
            }
        }
        return numbers;
    }

    private static void add(String path, long offset, AggregateShape shape, Map<String, Long> numbers) {
        if (shape.byteSize() != TypeShape.UNKNOWN_SIZE) {
            numbers.putIfAbsent("sizeof " + path, shape.byteSize());
        }
        for (Member member : shape.members()) {
            if (!(member.location() instanceof MemberLocation.Fixed(long bits)) || member.isBitField()) {
                continue;
            }
            String inner = member.name() == null ? path : path + "." + member.name();
            long place = offset + bits / Byte.SIZE;
            if (member.name() != null) {
                numbers.put(inner, place);
            }
            if (member.type().peeled() instanceof AggregateShape nested) {
                add(inner, place, nested, numbers);
            }
        }
    }

    /** Requires that the numbers that both have are the same, and returns how many these are. */
    private static int requireEqual(Path withDwarf, Path without) throws IOException, ExtractionException {
        assertThat(DebugInfo.read(withDwarf, OPTIONS, DebugInfo::facts).hasDwarf())
                .isTrue();
        assertThat(DebugInfo.read(without, OPTIONS, DebugInfo::facts).hasDwarf())
                .isFalse();
        assertThat(DebugInfo.read(without, OPTIONS, DebugInfo::facts).hasDebugOffsets())
                .isTrue();
        Map<String, Long> table = numbers(without);
        Map<String, Long> dwarf = numbers(withDwarf);
        dwarf.keySet().retainAll(table.keySet());
        table.keySet().retainAll(dwarf.keySet());
        assertThat(table).isEqualTo(dwarf);
        return table.size();
    }

    @Test
    void numbersAreThoseOfDwarf() throws IOException, ExtractionException {
        Path dwarf = compiled("with", "-g");
        Path without = compiled("without", "-s");

        assertThat(requireEqual(dwarf, without)).isGreaterThan(100);
    }

    /** {@code BUILD.md} says how the tables and the numbers were made. */
    @ParameterizedTest
    @ValueSource(strings = {"3.13t", "3.14", "3.15"})
    void numbersAreThoseThatGdbPrints(String version) throws IOException, ExtractionException {
        Section table = new Section(
                DebugOffsets.SECTION,
                MemorySegment.ofArray(Files.readAllBytes(FIXTURES.resolve(version + ".table"))),
                ByteOrder.LITTLE_ENDIAN);
        List<String> numbers = numbers(DebugOffsets.definitions(table)).entrySet().stream()
                .map(number -> number.getKey() + " = " + number.getValue())
                .toList();

        assertThat(numbers).isEqualTo(Files.readAllLines(FIXTURES.resolve(version + ".txt")));
    }

    @Test
    void structHasItsMembersWithoutTheirTypes() throws IOException, ExtractionException {
        try (DebugInfo info = DebugInfo.open(compiled("struct", "-s"))) {
            Struct thread = info.struct("_ts").orElseThrow();
            assertThat(thread.member("current_frame").byteOffset()).isEqualTo(64);
            assertThat(thread.member("current_frame").type().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertThat(info.struct("PyFrameObject")).isEmpty();
        }
    }

    @Test
    void structOfDwarfContainsThatOfTheTable() throws IOException, ExtractionException {
        try (DebugInfo dwarf = DebugInfo.open(compiled("whole", "-g"));
                DebugInfo table = DebugInfo.open(compiled("partial", "-s"))) {
            AggregateShape whole = dwarf.struct("_is").orElseThrow().shape();
            AggregateShape partial = table.struct("_is").orElseThrow().shape();

            assertThat(partial.isPartial()).isTrue();
            assertThat(whole.isPartial()).isFalse();
            assertThat(whole.contains(partial)).isTrue();
            assertThat(dwarf.struct("_ts").orElseThrow().shape().contains(partial))
                    .isFalse();
        }
    }

    @Test
    void otherSectionOfThisNameIsNoSource() throws IOException, ExtractionException {
        Path file = compiled("old", "-s", "-DCOOKIE=\"no table\"");

        assertThat(DebugInfo.read(file, OPTIONS, DebugInfo::facts).hasDebugOffsets())
                .isFalse();
        assertThatThrownBy(() -> DebugInfo.read(file, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("no DWARF and no BTF");
    }

    @Test
    void preReleaseIsUnsupported() throws IOException {
        Path file = compiled("beta", "-s", "-DVERSION=0x030d00b1");

        assertThatThrownBy(() -> DebugInfo.read(file, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining(".PyRuntime+0x8: debug offsets of CPython 3.13.0b1 are not supported");
    }

    @ParameterizedTest
    @ValueSource(strings = {"amd64", "s390x"})
    void debiansLibraryHasTheNumbersOfItsDebugFile(String architecture) throws IOException, ExtractionException {
        String release = DebianPackages.firstListed(List.of("trixie", "forky", "sid"), architecture);
        Path debug = DebianPackages.unpackedOfRelease(release, "python3.13-dbg", architecture);
        Path library =
                find(DebianPackages.unpackedOfRelease(release, "libpython3.13", architecture), "libpython3.13.so.1.0");
        Path dwarf = find(
                debug,
                DebugInfo.read(library, OPTIONS, DebugInfo::buildId)
                        .orElseThrow()
                        .debugFilePath());

        assertThat(requireEqual(dwarf, library)).isGreaterThan(100);
    }

    private static Path find(Path root, String end) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.endsWith(end) && Files.isRegularFile(file))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no file " + end + " in " + root));
        }
    }
}
