package dev.offsetd.query.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.Answers;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.Bpftool;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.Gdb;
import dev.offsetd.extractor.testkit.Pahole;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** BTF that is made of DWARF: other tools read it, and find the layouts that they and we find in the DWARF. */
class BtfIntegrationTests {

    @TempDir
    private static Path folder;

    private static ExtractionReport read(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 2), DebugInfo::extractAll);
    }

    private static Path btf(ExtractionReport report) throws IOException {
        return Files.write(folder.resolve("made.btf"), ExportedLayouts.btf(report));
    }

    private static Path libc() throws IOException {
        return DebianPackages.largestDebugFile("libc6-dbg", "amd64");
    }

    static Stream<Path> files() throws IOException {
        Path fixture = Fixture.named("gcc12-dwarf5-x86_64-el").folder();
        return Stream.concat(
                Stream.of(libc()),
                Stream.of(
                                "gcc12-dwarf5-x86_64-el/layout.debug",
                                "gcc12-dwarf5-i386-el/layout.debug",
                                "gcc12-dwarf5-s390x-eb/layout.debug",
                                "gcc12-dwarf5-cxx-x86_64-el/cxx.debug",
                                "rustc-dwarf4-x86_64-el/enums.o",
                                "go119-dwarf4-x86_64-el/types.debug")
                        .map(fixture::resolveSibling));
    }

    @ParameterizedTest
    @MethodSource("files")
    void bpftoolFindsInTheBtfWhatOurReaderFinds(Path file) throws IOException, ExtractionException {
        ExtractionReport report = read(file);
        Path made = btf(report);
        TypeCatalogue ours =
                ExportedLayouts.read(Files.readAllBytes(made), report.elf().architecture());
        int pointerBytes = report.elf().architecture().bits() / 8;
        Map<String, Long> sizes = ours.definitions().stream()
                .filter(definition ->
                        definition.kind().isTag() && !definition.name().isEmpty() && !definition.isDeclaration())
                .collect(Collectors.toMap(
                        definition -> definition.kind().word() + " " + definition.name(),
                        definition -> definition.shape().byteSize(),
                        (first, second) -> first,
                        TreeMap::new));
        Map<String, Long> dumped = new TreeMap<>();
        for (ExpectedDefinition definition : Bpftool.definitions(RequiredTool.require("bpftool"), made, pointerBytes)) {
            dumped.putIfAbsent(definition.kind() + " " + definition.name(), definition.size());
        }
        assertThat(dumped).isNotEmpty().isEqualTo(sizes);
    }

    @Test
    void bpftoolFindsTheMembersThatAreInTheDwarfOfTheCLibrary() throws IOException, ExtractionException {
        Map<String, String> fromDwarf = unique(Answers.comparable(libc()));
        Map<String, String> fromBtf =
                unique(Bpftool.definitions(RequiredTool.require("bpftool"), btf(read(libc())), 8));
        assertThat(fromBtf.keySet()).hasSizeGreaterThan(500);
        fromDwarf.keySet().retainAll(fromBtf.keySet());
        fromBtf.keySet().retainAll(fromDwarf.keySet());
        assertThat(fromBtf).hasSizeGreaterThan(500).isEqualTo(fromDwarf);
    }

    /** Consumers that see the types as bpftool writes them: a compiler must find every member where gdb does. */
    @Test
    void cThatBpftoolWritesHasTheOffsetsOfTheDwarf() throws IOException, ExtractionException {
        ExtractionReport report = read(libc());
        Files.writeString(
                folder.resolve("types.h"),
                RequiredTool.require("bpftool").output("btf", "dump", "file", btf(report), "format", "c"));
        List<String> lines = new ArrayList<>(List.of("#include \"types.h\""));
        for (String tag : List.of("malloc_state", "link_map", "pthread", "_IO_FILE", "tcache_perthread_struct")) {
            String type = "struct " + tag;
            List<String> fields = ((ItemOutcome.TypeFound)
                            ItemResolver.resolve(ItemParser.parse(type), report.types(), null)
                                    .outcome())
                    .fields().entrySet().stream()
                            .filter(field ->
                                    field.getValue().getFirst() instanceof Placement.Fixed fixed && !fixed.isBitField())
                            .map(Map.Entry::getKey)
                            .toList();
            List<Long> offsets = new Gdb(libc()).offsets(type, fields);
            for (int i = 0; i < fields.size(); i++) {
                lines.add("_Static_assert(__builtin_offsetof(" + type + ", " + fields.get(i) + ") == " + offsets.get(i)
                        + ", \"\");");
            }
            lines.add("_Static_assert(sizeof(" + type + ") == "
                    + new Gdb(libc()).sizes(List.of(type)).getFirst() + ", \"\");");
        }
        assertThat(lines).hasSizeGreaterThan(150);
        Path source = Files.write(folder.resolve("offsets.c"), lines);
        RequiredTool.require("gcc").outputIn(folder, "-fsyntax-only", source);
    }

    private static Map<String, String> unique(Collection<ExpectedDefinition> definitions) {
        return definitions.stream()
                .collect(Collectors.groupingBy(
                        definition -> definition.kind() + " " + definition.name(),
                        Collectors.mapping(BtfIntegrationTests::text, Collectors.toSet())))
                .entrySet()
                .stream()
                .filter(entry -> entry.getValue().size() == 1)
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().iterator().next(), (a, b) -> a, TreeMap::new));
    }

    private static String text(ExpectedDefinition definition) {
        return definition.size() + " " + definition.enumerators()
                + definition.members().stream()
                        .map(member ->
                                member.name() + "@" + member.bitOffset() + ":" + member.bitSize() + "+" + member.size())
                        .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"malloc_state", "link_map", "pthread", "rtld_global", "_IO_FILE", "_IO_strfile_"})
    void paholeFindsTheLayoutThatItFindsInTheDwarf(String tag) throws IOException, ExtractionException {
        Path made = btf(read(libc()));
        assertThat(Pahole.layout(made, tag, "btf")).isEqualTo(Pahole.layout(libc(), tag));
    }

    /** pahole lists the types of BTF, with their sizes and holes, in the same form as those of DWARF. */
    @Test
    void paholeFindsTheSizesThatItFindsInTheDwarf() throws IOException, ExtractionException {
        RequiredTool pahole = RequiredTool.require("pahole");
        Map<String, String> fromBtf = sizes(pahole.output("-F", "btf", "-s", btf(read(libc()))));
        Map<String, String> fromDwarf = sizes(pahole.output("-F", "dwarf", "-s", libc()));
        fromDwarf.keySet().retainAll(fromBtf.keySet());
        assertThat(fromDwarf).hasSizeGreaterThan(300);
        fromBtf.keySet().retainAll(fromDwarf.keySet());
        assertThat(fromBtf).isEqualTo(fromDwarf);
    }

    private static Map<String, String> sizes(String out) {
        return out
                .lines()
                .map(line -> line.split("\t", 2))
                .filter(line -> line.length == 2)
                .collect(Collectors.toMap(
                        line -> line[0],
                        line -> line[1],
                        (one, other) -> one.equals(other) ? one : "several",
                        TreeMap::new))
                .entrySet()
                .stream()
                .filter(entry -> !entry.getValue().equals("several"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));
    }
}
