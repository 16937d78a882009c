package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.Fixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files whose common types are in a supplementary file, as {@code dwz -m} writes it. */
class SupplementaryFileTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);

    @TempDir
    private Path folder;

    private Path linking;
    private Path shared;

    @BeforeEach
    void copyFixture() throws IOException {
        Path whole = Fixture.named("gcc12-dwarf5-x86_64-el").folder();
        Path fixture = whole.resolveSibling("gcc12-dwarf5-supplementary-el");
        linking = Files.copy(fixture.resolve("layout.debug"), folder.resolve("layout.debug"));
        shared = fixture.resolve("common.dwz");
    }

    @Test
    void foundBesideTheFileItAnswersLikeTheWhole() throws IOException, ExtractionException {
        Files.copy(shared, folder.resolve("common.dwz"));
        assertThat(shapes(OPTIONS, linking)).isEqualTo(shapesOfTheWhole());
    }

    /** Packages record a path of the installed system in the link; here the folders have been moved. */
    @ParameterizedTest
    @ValueSource(
            strings = {".dwz/x86_64-linux-gnu/layout.debug", ".build-id/a8/56369f6860e66f1ed8c5ae5ee45144ffd78c0f.debug"
            })
    void foundInADebugFolderItAnswersLikeTheWhole(String installedAs) throws IOException, ExtractionException {
        Path fixture =
                Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling("gcc12-dwarf5-supplementary-installed");
        Path debugFolder = Files.createDirectories(folder.resolve("elsewhere"));
        Path installed = debugFolder.resolve(installedAs);
        Files.createDirectories(installed.getParent());
        Files.copy(fixture.resolve("common.debug"), installed);
        Path moved = Files.copy(fixture.resolve("layout.debug"), folder.resolve("moved.debug"));
        assertThatThrownBy(() -> DebugInfo.read(moved, OPTIONS, DebugInfo::extractAll))
                .hasMessageContaining("needs \"/usr/lib/debug/.dwz/x86_64-linux-gnu/layout.debug\" with build-id ");
        assertThat(shapes(OPTIONS.withDebugFolders(List.of(folder.resolve("none"), debugFolder)), moved))
                .isEqualTo(shapesOfTheWhole());
    }

    /** The file is already below a debug folder, which therefore need not be configured. */
    @Test
    void foundBelowAFolderAboveItByItsInstalledName() throws IOException, ExtractionException {
        Path fixture =
                Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling("gcc12-dwarf5-supplementary-installed");
        Path deep = Files.createDirectories(folder.resolve(".build-id").resolve("ab"));
        Path moved = Files.copy(fixture.resolve("layout.debug"), deep.resolve("cdef.debug"));
        Path dwz = Files.createDirectories(folder.resolve(".dwz").resolve("x86_64-linux-gnu"));
        Files.copy(fixture.resolve("common.debug"), dwz.resolve("layout.debug"));
        assertThat(shapes(OPTIONS, moved)).isEqualTo(shapesOfTheWhole());
    }

    @Test
    void pathThatLeadsOutOfADebugFolderIsNotFollowed() throws IOException, ExtractionException {
        Path debugFolder = Files.createDirectories(folder.resolve("debug"));
        Files.copy(shared, folder.resolve("away"));
        SupplementaryFile link = new SupplementaryFile(".gnu_debugaltlink", "/usr/lib/debug/.dwz/../../away", "");
        assertThat(link.candidates(debugFolder.resolve("in/x.debug"), LinkedPaths.BESIDE, List.of(debugFolder)))
                .isEmpty();
    }

    @Test
    void foundInADwzFolderAboveItAnswersLikeTheWhole() throws IOException, ExtractionException {
        Path deep = Files.createDirectories(folder.resolve(".build-id").resolve("ab"));
        Path moved = Files.move(linking, deep.resolve("cdef.debug"));
        Files.copy(shared, Files.createDirectories(folder.resolve(".dwz")).resolve("common.dwz"));
        assertThat(shapes(OPTIONS, moved)).isEqualTo(shapesOfTheWhole());
    }

    @Test
    void givenItAnswersLikeTheWhole() throws IOException, ExtractionException {
        assertThat(shapes(OPTIONS.withSupplementaryFile(shared), linking)).isEqualTo(shapesOfTheWhole());
    }

    @Test
    void wantedTypesAreFoundInIt() throws IOException, ExtractionException {
        RequestedNames wanted = new RequestedNames(Set.of("arrays"), Set.of("GREEN"));
        ExtractionReport report =
                DebugInfo.read(linking, OPTIONS.withSupplementaryFile(shared), info -> info.extract(wanted));
        assertThat(report.types().definitionsNamed("arrays"))
                .singleElement()
                .satisfies(
                        definition -> assertThat(definition.language().name()).isEqualTo("C11"));
        assertThat(report.types().enumeratorsNamed("GREEN")).hasSize(1);
    }

    /** Unpacking a few bytes of zstd would take seconds, and gigabytes of a disk. */
    @ParameterizedTest
    @ValueSource(strings = {".gnu_debugaltlink", ".debug_sup", ".gnu_debuglink"})
    @ChecklistRow(3)
    void linkThatIsLargerThanAPathIsRefusedBeforeItIsDecompressed(String section) throws IOException {
        Path file = DwarfWriter.write(DwarfStyle.DEFAULT, unit(baseType("int", 4, DW_ATE_signed)))
                .toElf()
                .compressed(section, new byte[32 << 20], ElfWriter.ELFCOMPRESS_ZSTD)
                .writeTo(folder.resolve("bomb"));
        ReadOptions options = new ReadOptions(Limits.DEFAULT.withMaxDecompressedBytes(1 << 20), 1);
        assertThatThrownBy(() -> DebugInfo.read(
                        file,
                        options,
                        info -> section.equals(".gnu_debuglink") ? info.debugLink() : info.supplementaryLink()))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining(section + ": more than 8192 bytes; expected a path and a checksum");
    }

    /** dwz imports only units that are used. A unit that only a pointer refers to counts as used as well. */
    @Test
    void aUnitIsUsedThatOnlyAnUnnamedTypeRefersTo() throws IOException, ExtractionException {
        byte[] id = {1, 2, 3, 4, 5, 6, 7, 8};
        DwarfSections far =
                DwarfWriter.write(DwarfStyle.DEFAULT, partialUnit(struct("far", 8)), partialUnit(struct("farther", 8)));
        Path farFile = far.toElf().buildId(id).writeTo(folder.resolve("far.dwz"));
        DwarfSections near = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(die(
                        DW_TAG_pointer_type,
                        byteSize(8),
                        attribute(DW_AT_type, DW_FORM_ref_sup4, far.offsetOf("far")))));
        byte[] link = new BinaryWriter(DwarfStyle.DEFAULT.order())
                .string("far.dwz")
                .bytes(id)
                .toBytes();
        Path nearFile = near.toElf().section(".gnu_debugaltlink", link).writeTo(folder.resolve("near.debug"));
        ReadOptions options = OPTIONS.withSupplementaryFile(farFile);
        RequestedNames wanted = new RequestedNames(Set.of("far", "farther"), Set.of());
        for (TypeCatalogue types : List.of(
                DebugInfo.read(nearFile, options, info -> info.extract(wanted)).types(),
                DebugInfo.read(nearFile, options, DebugInfo::extractAll).types())) {
            assertThat(types.definitionsNamed("far")).hasSize(1);
            assertThat(types.definitionsNamed("farther")).isEmpty();
        }
    }

    /** The supplementary file that dwz writes with {@code --dwarf-5} has a checksum instead of a build-id. */
    @Test
    void supplementaryFileOfDwarf5IsKnownByItsChecksum() throws IOException, ExtractionException {
        byte[] checksum = {9, 8, 7, 6, 5, 4, 3, 2, 1};
        DwarfSections far = DwarfWriter.write(DwarfStyle.DEFAULT, partialUnit(struct("far", 8)));
        DwarfSections near = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(die(
                        DW_TAG_pointer_type,
                        byteSize(8),
                        attribute(DW_AT_type, DW_FORM_ref_sup4, far.offsetOf("far")))));
        Path nearFile = near.toElf()
                .section(".debug_sup", debugSup(0, "far.dwz", checksum))
                .writeTo(folder.resolve("near.debug"));
        Path farFile = folder.resolve("far.dwz");

        far.toElf().section(".debug_sup", debugSup(1, "", new byte[] {1, 2, 3})).writeTo(farFile);
        assertThatThrownBy(() -> DebugInfo.read(nearFile, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs \"far.dwz\" with checksum 090807060504030201");

        // A file with the same link is one that was made with it, too.
        far.toElf().section(".debug_sup", debugSup(0, "", checksum)).writeTo(farFile);
        assertThatThrownBy(() -> DebugInfo.read(nearFile, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class);

        far.toElf().section(".debug_sup", debugSup(1, "", checksum)).writeTo(farFile);
        assertThat(DebugInfo.read(nearFile, OPTIONS, DebugInfo::extractAll)
                        .types()
                        .definitionsNamed("far"))
                .hasSize(1);
    }

    /** Its names are by {@code DW_FORM_strp_sup}. */
    @Test
    void supplementaryFileOfDwarf5IsReadAsDwzWritesIt() throws IOException, ExtractionException {
        Path linked = Fixture.named("gcc12-dwarf5-x86_64-el")
                .folder()
                .resolveSibling("odd-constructs")
                .resolve("supplementary.debug");

        try (DebugInfo info = DebugInfo.open(linked)) {
            Struct shared = info.struct("other_shared").orElseThrow();
            assertThat(shared.member("flags").byteOffset()).isEqualTo(80);
            assertThat(info.struct("own").orElseThrow().member("number").byteOffset())
                    .isEqualTo(88);
            assertThat(info.struct("shared").orElseThrow().member("text").byteOffset())
                    .isEqualTo(16);
        }
        Path alone = Files.copy(linked, folder.resolve("alone.debug"));
        assertThatThrownBy(() -> DebugInfo.read(alone, OPTIONS, DebugInfo::extractAll))
                .hasMessageContaining("needs \"supplementary.dwz\" with checksum ");
    }

    private static byte[] debugSup(int isSupplementary, String name, byte... checksum) {
        return new BinaryWriter(DwarfStyle.DEFAULT.order())
                .u16(5)
                .u8(isSupplementary)
                .string(name)
                .u8(checksum.length)
                .bytes(checksum)
                .toBytes();
    }

    @Test
    void missingItIsNamedWithItsBuildId() {
        assertThatThrownBy(() -> DebugInfo.read(linking, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageStartingWith(".gnu_debugaltlink+0x0: ")
                .hasMessageContaining("needs \"common.dwz\" with build-id ");
    }

    @Test
    void supplementaryLinkHasNameAndBuildId() throws IOException, ExtractionException {
        BuildId id = DebugInfo.read(shared, OPTIONS, DebugInfo::buildId).orElseThrow();
        assertThat(DebugInfo.read(linking, OPTIONS, DebugInfo::supplementaryLink))
                .contains(new SupplementaryLink("common.dwz", id));
        assertThat(DebugInfo.read(shared, OPTIONS, DebugInfo::supplementaryLink))
                .isEmpty();
    }

    @Test
    void fileWithAnotherBuildIdIsNotTaken() throws IOException {
        Files.copy(Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(), folder.resolve("common.dwz"));
        assertThatThrownBy(() -> DebugInfo.read(linking, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs \"common.dwz\"")
                .hasMessageContaining("common.dwz\" has build-id ");
    }

    @Test
    void fileOfAnotherFormatIsSkipped() throws IOException {
        Files.writeString(folder.resolve("common.dwz"), "not an ELF file, but as long as the header of one is");
        assertThatThrownBy(() -> DebugInfo.read(linking, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs \"common.dwz\"")
                .hasMessageContaining("common.dwz\" is unreadable: elf header+0x0: ");
    }

    private static List<String> shapesOfTheWhole() throws IOException, ExtractionException {
        return shapes(OPTIONS, Fixture.named("gcc12-dwarf5-x86_64-el").debugFile());
    }

    private static List<String> shapes(ReadOptions options, Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, options, DebugInfo::extractAll).types().definitions().stream()
                .map(SupplementaryFileTests::text)
                .sorted()
                .toList();
    }

    private static String text(Definition definition) {
        return definition.kind() + " " + definition.qualifiedName() + " " + definition.function() + " "
                + definition.language().name() + " " + definition.shape();
    }
}
