package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.MissingUnit;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.SectionRanges;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.OffsetResolver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files whose units are in {@code .dwo} files or in a {@code .dwp} beside them. */
class SplitDwarfTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "gcc12-dwarf5-split-dwo, gcc12-dwarf5-x86_64-el",
        "gcc12-dwarf4-split-dwo, gcc12-dwarf4-x86_64-el",
        "gcc12-dwarf5-split-typeunits-dwo, gcc12-dwarf5-x86_64-el",
        "gcc12-dwarf5-split-dwp, gcc12-dwarf5-x86_64-el",
        "gcc12-dwarf4-split-typeunits-dwp, gcc12-dwarf4-x86_64-el",
        "clang14-dwarf5-split-typeunits-dwp, clang14-dwarf5-x86_64-el"
    })
    void answersAsTheUnsplitFile(String split, String whole) throws IOException, ExtractionException {
        assertThat(shapes(OPTIONS, fixture(split).resolve("layout.debug")))
                .isNotEmpty()
                .isEqualTo(shapes(OPTIONS, Fixture.named(whole).debugFile()));
    }

    @Test
    void wantedTypesAreFound() throws IOException, ExtractionException {
        ExtractionReport report = DebugInfo.read(
                fixture("gcc12-dwarf5-split-dwo").resolve("layout.debug"),
                OPTIONS,
                info -> info.extract(new RequestedNames(Set.of("arrays"), Set.of("GREEN"))));
        assertThat(report.types().definitionsNamed("arrays")).singleElement().satisfies(definition -> {
            assertThat(definition.section()).isEqualTo(".debug_info.dwo");
            assertThat(definition.language().name()).isEqualTo("C11");
        });
        assertThat(report.types().enumeratorsNamed("GREEN")).hasSize(1);
    }

    /** A {@code .dwo} file can be read without the file that links to it. */
    @Test
    void splitFileAnswersForItsUnit() throws IOException, ExtractionException {
        Path dwo = fixture("gcc12-dwarf5-split-typeunits-dwo").resolve("layout.dwo");
        assertThat(DebugInfo.read(dwo, OPTIONS, DebugInfo::facts).hasDwarf()).isTrue();
        assertThat(DebugInfo.read(dwo, OPTIONS, DebugInfo::extractAll).types().definitionsNamed("equal_in_both"))
                .hasSize(1);
    }

    @Test
    void packageFileAnswersForAllUnits() throws IOException, ExtractionException {
        Path packaged = fixture("gcc12-dwarf5-split-dwp");
        assertThat(shapes(OPTIONS, packaged.resolve("layout.debug.dwp")))
                .isEqualTo(shapes(OPTIONS, packaged.resolve("layout.debug")));
    }

    @Test
    void packageBesideTheTargetOfASymbolicLinkIsFound() throws IOException, ExtractionException {
        copy("gcc12-dwarf5-split-dwp", "layout.debug", "layout.debug.dwp");
        Path program = folder.resolve("layout.debug");
        Path link = Files.createSymbolicLink(
                Files.createDirectory(folder.resolve("bin")).resolve("link"), program);

        assertThat(shapes(OPTIONS, link)).isNotEmpty().isEqualTo(shapes(OPTIONS, program));
    }

    @Test
    void missingFileIsNamedWithItsId() throws IOException {
        copy("gcc12-dwarf5-split-dwo", "layout.debug", "layout.dwo");
        assertThatThrownBy(() -> DebugInfo.read(folder.resolve("layout.debug"), OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageStartingWith(".debug_info+0x")
                .hasMessageContaining("needs \"second.dwo\" with DWO id ");
    }

    /** The remaining units answer. For a name that they do not have, the answer lists the missing files. */
    @ParameterizedTest
    @CsvSource({
        "second.dwo, arrays, defined_elsewhere, declaration_only: the build only declares it; ",
        "layout.dwo, defined_elsewhere, arrays, type_not_found: "
    })
    void missingFileLeavesTheOthersAnswered(String missing, String there, String lost, String status)
            throws IOException, ExtractionException {
        copy("gcc12-dwarf5-split-dwo", "layout.debug", missing.equals("second.dwo") ? "layout.dwo" : "second.dwo");
        Path file = folder.resolve("layout.debug");
        ExtractionReport report = DebugInfo.read(
                file,
                OPTIONS.leavingOutMissingUnits(),
                info -> info.extract(new RequestedNames(Set.of(there, lost), Set.of("NO_SUCH"))));
        assertThat(report.missing())
                .singleElement()
                .extracting(MissingUnit::file)
                .isEqualTo(missing);
        assertThat(status(report, there)).isEqualTo("found");
        assertThat(status(report, there + ".no_such"))
                .startsWith("field_not_found: \"" + there
                        + "\" has no member \"no_such\"; it may be in the debug information that is missing: ");
        assertThat(status(report, "enumerator NO_SUCH"))
                .startsWith("type_not_found: it may be in the debug information that is missing: ");
        for (String item : List.of(lost, lost + ".member")) {
            assertThat(status(report, item))
                    .startsWith(status.stripTrailing()
                            + " it may be in the debug information that is missing: 1 unit was not read, because it is in"
                            + " another file: \"" + missing + "\" (DWO id ");
        }
        OffsetAnswer resolved = OffsetResolver.resolve(OffsetExpression.parse("no_such+1"), report.types(), null);
        assertThat(resolved)
                .isInstanceOfSatisfying(
                        OffsetAnswer.Missed.class,
                        missed -> assertThat(missed.detail())
                                .contains("has this name; it may be in the debug information that is missing: "));
    }

    /** If no unit is left, the file is rejected even with {@code leavingOutMissingUnits}. */
    @Test
    void fileWithoutAnyOfItsUnitsIsRefused() throws IOException {
        copy("gcc12-dwarf5-split-dwo", "layout.debug");
        assertThatThrownBy(() -> DebugInfo.read(
                        folder.resolve("layout.debug"), OPTIONS.leavingOutMissingUnits(), DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs \"layout.dwo\" with DWO id ");
    }

    private static String status(ExtractionReport report, String item) {
        ItemOutcome outcome = ItemResolver.resolve(ItemParser.parse(item), report.types(), null)
                .outcome();
        return outcome.status().word()
                + (outcome instanceof ItemOutcome.Missed missed && missed.detail() != null
                        ? ": " + missed.detail()
                        : "");
    }

    /** A file left over from an older build matches by name but not by id. */
    @Test
    void fileOfAnotherBuildIsNotTaken() throws IOException {
        copy("gcc12-dwarf5-split-dwo", "layout.debug", "layout.dwo");
        Files.copy(fixture("gcc12-dwarf4-split-dwo").resolve("second.dwo"), folder.resolve("second.dwo"));
        assertThatThrownBy(() -> DebugInfo.read(folder.resolve("layout.debug"), OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs \"second.dwo\" with DWO id ")
                .hasMessageContaining("second.dwo\" has other units");
    }

    @Test
    void fileOfAnotherFormatIsSkipped() throws IOException {
        copy("gcc12-dwarf5-split-dwo", "layout.debug", "layout.dwo");
        Files.writeString(folder.resolve("second.dwo"), "not an ELF file, but as long as the header of one is");
        assertThatThrownBy(() -> DebugInfo.read(folder.resolve("layout.debug"), OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs \"second.dwo\"")
                .hasMessageContaining("second.dwo\" is unreadable, or has no split units");
    }

    @Test
    void damagedPackageHidesNoOtherFile() throws IOException, ExtractionException {
        copy("gcc12-dwarf5-split-dwo", "layout.debug", "layout.dwo", "second.dwo");
        damage(fixture("gcc12-dwarf5-split-dwp").resolve("layout.debug.dwp"), "layout.debug.dwp");

        assertThat(shapes(OPTIONS, folder.resolve("layout.debug")))
                .isNotEmpty()
                .isEqualTo(shapes(OPTIONS, fixture("gcc12-dwarf5-split-dwo").resolve("layout.debug")));
    }

    @Test
    void damagedFileLeavesTheOthersAnswered() throws IOException, ExtractionException {
        copy("gcc12-dwarf5-split-dwo", "layout.debug", "layout.dwo");
        damage(fixture("gcc12-dwarf5-split-dwo").resolve("second.dwo"), "second.dwo");
        ExtractionReport report =
                DebugInfo.read(folder.resolve("layout.debug"), OPTIONS.leavingOutMissingUnits(), DebugInfo::extractAll);

        assertThat(status(report, "arrays")).isEqualTo("found");
        assertThat(report.missing()).singleElement().satisfies(unit -> {
            assertThat(unit.file()).isEqualTo("second.dwo");
            assertThat(unit.toString()).contains("second.dwo\" is unreadable, or has no split units");
        });
    }

    /** Copies a file with a unit that ends outside its section. */
    private void damage(Path sound, String name) throws IOException {
        byte[] file = Files.readAllBytes(sound);
        ByteBuffer.wrap(file)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(SectionRanges.of(file).section(".debug_info.dwo")[0], 0x7000_0000);
        Files.write(folder.resolve(name), file);
    }

    /** The paths come from an untrusted file, so other folders are searched only on request. */
    @Test
    void otherFoldersAreSearchedOnlyOnRequest() throws IOException, ExtractionException {
        Path build = Files.createDirectories(folder.resolve("build"));
        Path away = Files.createDirectories(folder.resolve("deploy").resolve("debug"));
        Path linking =
                Files.copy(fixture("gcc12-dwarf5-split-dwo").resolve("layout.debug"), away.resolve("layout.debug"));
        for (String dwo : List.of("layout.dwo", "second.dwo")) {
            Files.copy(fixture("gcc12-dwarf5-split-dwo").resolve(dwo), build.resolve(dwo));
        }
        assertThatThrownBy(() -> DebugInfo.read(linking, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class);
        Path found = Files.createDirectories(away.resolve("fixtures"));
        for (String dwo : List.of("layout.dwo", "second.dwo")) {
            Files.copy(build.resolve(dwo), found.resolve(dwo));
        }
        assertThat(shapes(OPTIONS, linking)).isEqualTo(shapes(OPTIONS.followingAnyPath(), linking));
    }

    private void copy(String fixture, String... names) throws IOException {
        for (String name : names) {
            Files.copy(fixture(fixture).resolve(name), folder.resolve(name));
        }
    }

    private static Path fixture(String name) {
        return Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling(name);
    }

    private static List<String> shapes(ReadOptions options, Path file) throws IOException, ExtractionException {
        Stream<Definition> definitions =
                DebugInfo.read(file, options, DebugInfo::extractAll).types().definitions().stream();
        return definitions
                .map(definition -> definition.kind() + " " + definition.qualifiedName() + " " + definition.function()
                        + " " + definition.language().name() + " " + definition.shape())
                .sorted()
                .toList();
    }
}
