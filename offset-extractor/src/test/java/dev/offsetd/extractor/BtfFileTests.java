package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.Fixture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that has BTF and no DWARF answers as the DWARF that its BTF was made of. */
class BtfFileTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);
    private static final Fixture WITH_DWARF = Fixture.named("gcc12-dwarf4-x86_64-el");

    @TempDir
    private Path folder;

    private static Path file() {
        return WITH_DWARF.folder().resolveSibling("pahole-btf-x86_64-el").resolve("layout.debug");
    }

    /** Members as text, by kind and name, of the types that a file has once. BTF multiplies an array's dimensions. */
    private static Map<String, String> layouts(Path file) throws IOException, ExtractionException {
        return Answers.comparable(file).stream()
                .collect(Collectors.groupingBy(
                        definition -> definition.kind() + " " + definition.name(), TreeMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .filter(entry -> entry.getValue().stream()
                                .map(BtfFileTests::text)
                                .distinct()
                                .count()
                        == 1)
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> text(entry.getValue().getFirst())));
    }

    private static String text(ExpectedDefinition definition) {
        String members = definition.members().stream()
                .map(member -> member.name() + " " + member.bitOffset() + " " + member.bitSize() + " " + member.size())
                .collect(Collectors.joining("\n"));
        return definition.size() + "\n" + members + definition.enumerators();
    }

    @Test
    void everyTypeThatBothHaveIsTheSame() throws IOException, ExtractionException {
        Map<String, String> fromDwarf = layouts(WITH_DWARF.debugFile());
        Map<String, String> fromBtf = layouts(file());
        fromDwarf.keySet().retainAll(fromBtf.keySet());
        fromBtf.keySet().retainAll(fromDwarf.keySet());
        assertThat(fromBtf).hasSizeGreaterThan(20).containsKeys("struct bits", "struct packed_bits", "enum negative");
        assertThat(fromBtf).isEqualTo(fromDwarf);
    }

    /** {@code /sys/kernel/btf/vmlinux}, BTFHub, and this project's own exports. */
    @Test
    void btfWithoutElfAnswersAsTheFileThatItIsOf() throws IOException, ExtractionException {
        Path raw = raw(file());
        assertThat(layouts(raw)).isEqualTo(layouts(file())).isNotEmpty();
        try (DebugInfo info = DebugInfo.open(raw)) {
            assertThat(info.facts().hasBtf()).isTrue();
            assertThat(info.facts().hasDwarf()).isFalse();
            assertThat(info.architecture().bits()).isEqualTo(64);
            assertThat(info.buildId()).isEmpty();
            assertThat(info.symbols()).isEmpty();
        }
    }

    @Test
    void btfWithoutElfIsTheBaseOfAModule() throws IOException, ExtractionException {
        Path folder = WITH_DWARF.folder().resolveSibling("pahole-btf-split-x86_64-el");
        Path kernel = folder.resolve("kernel.debug");
        Path module = folder.resolve("module.debug");
        assertThat(DebugInfo.read(module, OPTIONS.withBaseBtf(raw(kernel)), DebugInfo::extractAll)
                        .types()
                        .definitions())
                .isEqualTo(DebugInfo.read(module, OPTIONS.withBaseBtf(kernel), DebugInfo::extractAll)
                        .types()
                        .definitions());
    }

    private Path raw(Path elf) throws IOException, ExtractionException {
        ElfSection btf = DebugInfo.read(elf, OPTIONS, DebugInfo::sections).stream()
                .filter(section -> section.name().equals(".BTF"))
                .findAny()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(elf);
        return Files.write(folder.resolve("raw.btf"), Arrays.copyOfRange(bytes, (int) btf.offset(), (int)
                (btf.offset() + btf.bytes())));
    }

    @Test
    void btfWithoutElfOfAnotherVersionIsNamed() throws IOException {
        byte[] header = new byte[24];
        ByteBuffer.wrap(header).order(ByteOrder.BIG_ENDIAN).putInt(0xeb9f_0200).putInt(24);
        Path file = Files.write(folder.resolve("vmlinux"), header);
        assertThatThrownBy(() -> DebugInfo.read(file, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageStartingWith(".BTF+0x2: version 2 ");
    }

    @Test
    void headersAndReportSayThatItIsBtf() throws IOException, ExtractionException {
        ElfFacts facts = DebugInfo.read(file(), OPTIONS, DebugInfo::facts);
        assertThat(facts.hasDwarf()).isFalse();
        assertThat(facts.hasBtf()).isTrue();
        assertThat(DebugInfo.read(WITH_DWARF.debugFile(), OPTIONS, DebugInfo::facts)
                        .hasBtf())
                .isFalse();
        ExtractionReport report = DebugInfo.read(file(), OPTIONS, DebugInfo::extractAll);
        assertThat(report.debugInfoBytes()).isBetween(1_000L, facts.fileBytes());
    }

    @Test
    void extractingAFewNamesAnswersThemAsTheWholeCatalogueDoes() throws IOException, ExtractionException {
        List<Definition> few = DebugInfo.read(
                        file(),
                        OPTIONS,
                        info -> info.extract(
                                new RequestedNames(Set.of("nested", "VALUE", "no_such_type"), Set.of("GREEN"))))
                .types()
                .definitions();
        assertThat(few).extracting(Definition::name).containsExactlyInAnyOrder("nested", "VALUE", "colour");
        assertThat(DebugInfo.read(file(), OPTIONS, DebugInfo::extractAll)
                        .types()
                        .definitions())
                .containsAll(few);
    }

    /** Like in a kernel module: ids and string offsets count on from the kernel's. */
    @Nested
    class Split {

        private final Path kernel = splitFile("kernel.debug");
        private final Path module = splitFile("module.debug");

        @Test
        void withItsBaseItAnswersAsTheDwarfOfBothDoes() throws IOException, ExtractionException {
            TypeCatalogue types = DebugInfo.read(module, OPTIONS.withBaseBtf(kernel), DebugInfo::extractAll)
                    .types();
            TypeCatalogue fromDwarf = DebugInfo.read(WITH_DWARF.debugFile(), OPTIONS, DebugInfo::extractAll)
                    .types();
            for (String name : List.of("defined_elsewhere", "differing", "equal_in_both", "VALUE")) {
                assertThat(types.definitionsNamed(name))
                        .extracting(Definition::shape)
                        .containsExactlyInAnyOrderElementsOf(fromDwarf.definitionsNamed(name).stream()
                                .map(Definition::shape)
                                .toList());
            }
        }

        @Test
        void withoutItsBaseItIsRefused() {
            assertThatThrownBy(() -> DebugInfo.read(module, OPTIONS, DebugInfo::extractAll))
                    .isInstanceOf(UnsupportedInputException.class)
                    .hasMessageStartingWith(".BTF+0x")
                    .hasMessageContaining("needs the kernel's own .BTF");
        }

        @Test
        void baseThatIsSplitItselfIsRefused() {
            assertThatThrownBy(() -> DebugInfo.read(module, OPTIONS.withBaseBtf(module), DebugInfo::extractAll))
                    .isInstanceOf(UnsupportedInputException.class)
                    .hasMessageContaining("the BTF that was given as its base is split itself");
        }

        @Test
        void baseThatIsUnreadableIsNamed(@TempDir Path folder) throws IOException {
            Path base = Files.writeString(folder.resolve("base"), "text");
            assertThatThrownBy(() -> DebugInfo.read(module, OPTIONS.withBaseBtf(base), DebugInfo::extractAll))
                    .isInstanceOf(UnsupportedInputException.class)
                    .hasMessageStartingWith(
                            ".BTF: the file that was given as its base, \"" + base + "\", is unreadable");
        }

        /** An id or a string past the end of both; that the base is another build's can show in nothing else. */
        @Test
        void baseThatIsTooSmallIsNoticed() {
            assertThatThrownBy(() ->
                            DebugInfo.read(module, OPTIONS.withBaseBtf(WITH_DWARF.debugFile()), DebugInfo::extractAll))
                    .isInstanceOf(MalformedInputException.class);
        }

        private static Path splitFile(String name) {
            return WITH_DWARF
                    .folder()
                    .resolveSibling("pahole-btf-split-x86_64-el")
                    .resolve(name);
        }
    }
}
