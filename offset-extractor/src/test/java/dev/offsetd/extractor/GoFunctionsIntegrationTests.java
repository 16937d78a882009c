package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.corpus.GoNames;
import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.GoFunction.Abi;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.GoCompiler;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions of stripped Go programs, with the {@code .symtab} that they had before as the judge. */
class GoFunctionsIntegrationTests {

    @TempDir
    private static Path folder;

    @BeforeAll
    static void write() throws IOException {
        GoCompiler.writeModule(folder, "functions.go", "functions_c.go");
    }

    private static GoFunction go(Symbol function) {
        return Objects.requireNonNull(function.go());
    }

    private static void requireAgreement(SecondOpinion.Result result) {
        assertThat(result.differences()).as(result.tool()).isEmpty();
        assertThat(result.compared()).isGreaterThan(1_500);
    }

    @ParameterizedTest
    @CsvSource({
        "GOARCH=amd64 CGO_ENABLED=0, -buildmode=exe",
        "GOARCH=amd64 CGO_ENABLED=0, -buildmode=pie",
        "GOARCH=amd64 CGO_ENABLED=1, -buildmode=pie",
        "GOARCH=amd64 CGO_ENABLED=1, -buildmode=exe",
        "GOARCH=arm64 CGO_ENABLED=0, -buildmode=exe",
        "GOARCH=arm64 CGO_ENABLED=0, -buildmode=pie",
    })
    void strippedProgramHasTheFunctionsOfItsSymtab(String environment, String mode)
            throws IOException, ExtractionException {
        Path program = GoCompiler.installed().build(folder, environment, mode);
        requireAgreement(GoNames.comparedWithSymtab(program));
        RequiredTool.require("eu-strip").output(program);
        List<Symbol> found = GoNames.functions(program);

        assertThat(found)
                .filteredOn(function -> function.name().equals("main.twice"))
                .singleElement()
                .satisfies(twice -> {
                    assertThat(go(twice).sourceFile()).endsWith("/functions.go");
                    assertThat(go(twice).abi()).isNull();
                });
        assertThat(found).anyMatch(function -> function.name().equals("main.Box[...].Get"));
        assertThat(found).anyMatch(function -> go(function).abi() == Abi.ABI0);
    }

    @Test
    void programThatWasLinkedWithoutSymtabHasTheFunctionsOfGosym() throws IOException, ExtractionException {
        RequiredTool gosym = GoNames.gosym(GoCompiler.installed(), folder.resolve("gosym"));
        Path program = GoCompiler.installed().build(folder, "GOARCH=amd64 CGO_ENABLED=0", "-ldflags=-s -w");

        assertThat(GoNames.functions(program))
                .anyMatch(function -> function.name().equals("main.main"));
        requireAgreement(GoNames.comparedWithGosym(program, gosym));
    }

    @ParameterizedTest
    @CsvSource({"trixie, 1.24, exe", "trixie, 1.24, pie", "forky, 1.26, exe", "forky, 1.26, pie"})
    void strippedProgramOfALaterCompilerHasTheFunctionsOfItsSymtab(String release, String version, String mode)
            throws IOException, ExtractionException {
        GoCompiler compiler = GoCompiler.unpacked(release, version, folder);
        requireAgreement(
                GoNames.comparedWithSymtab(compiler.build(folder, "GOARCH=amd64 CGO_ENABLED=0", "-buildmode=" + mode)));
    }

    /** A table of addresses instead of offsets. */
    @ParameterizedTest
    @CsvSource({
        "GOARCH=amd64 CGO_ENABLED=0, -buildmode=exe",
        "GOARCH=amd64 CGO_ENABLED=0, -buildmode=pie",
        "GOARCH=amd64 CGO_ENABLED=1, -buildmode=pie",
        "GOARCH=arm64 CGO_ENABLED=0, -buildmode=exe",
        "GOARCH=mips CGO_ENABLED=0, -buildmode=exe",
    })
    void strippedProgramOfGo115HasTheFunctionsOfItsSymtab(String environment, String mode)
            throws IOException, ExtractionException {
        Path module = folder.resolve("plain");
        GoCompiler.writeModule(module, "plain_functions.go", "functions_c.go");
        Path program = GoCompiler.unpacked("bullseye", "1.15", folder).build(module, environment, mode);
        requireAgreement(GoNames.comparedWithSymtab(program));
        RequiredTool.require("eu-strip").output(program);

        assertThat(GoNames.functions(program))
                .filteredOn(function -> function.name().equals("main.twice"))
                .singleElement()
                .satisfies(twice -> assertThat(go(twice).sourceFile()).endsWith("/plain_functions.go"));
    }

    /** Compilers that Debian does not have any more: Go 1.16.2, 1.17.2 and 1.18.1. */
    @ParameterizedTest
    @ValueSource(strings = {"0.9.7", "0.13.15", "0.14.39"})
    void strippedProgramOfNpmHasTheFunctionsOfGosym(String version) throws IOException, ExtractionException {
        Path npm = Files.createDirectories(folder.resolve("npm"));
        RequiredTool gosym = GoNames.gosym(GoCompiler.installed(), folder.resolve("gosym"));
        String archive = RequiredTool.require("npm")
                .outputIn(npm, "pack", "--silent", "esbuild-linux-64@" + version)
                .strip();
        RequiredTool.require("tar").outputIn(npm, "-xzf", archive);

        requireAgreement(GoNames.comparedWithGosym(npm.resolve("package/bin/esbuild"), gosym));
    }

    @Test
    void lineTableWithAnotherMagicNumberIsRefusedByVersion() throws IOException, ExtractionException {
        Path program = GoCompiler.installed().build(folder, "GOARCH=amd64 CGO_ENABLED=0", "-ldflags=-s -w");
        byte[] bytes = Files.readAllBytes(program);
        int header = lineTable(bytes);
        bytes[header] = 0x11;
        Files.write(program, bytes);

        SymbolReport symbols = DebugInfo.read(program, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::symbolTables);
        assertThat(symbols.tables()).isEmpty();
        assertThat(Omission.summary(symbols.omissions()))
                .contains("the line table of Go \"1.", "starts with 0xffffff11");
    }

    private static int lineTable(byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; ; at += Long.BYTES) {
            if (words.getLong(at) == 0x0801_0000_ffff_fff0L || words.getLong(at) == 0x0801_0000_ffff_fff1L) {
                return at;
            }
        }
    }

    @Test
    void lineTableThatCannotBeReadLeavesTheTypes() throws IOException, ExtractionException {
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        Path program = GoCompiler.installed().build(folder, "GOARCH=amd64 CGO_ENABLED=0", "-ldflags=-s -w");
        long table = DebugInfo.read(program, options, DebugInfo::sections).stream()
                .filter(section -> section.name().equals(".gopclntab"))
                .mapToLong(ElfSection::offset)
                .sum();
        byte[] bytes = Files.readAllBytes(program);
        // The number of functions, behind a header of eight bytes.
        Arrays.fill(bytes, (int) table + 8, (int) table + 16, (byte) 0x7f);
        Path damaged = Files.write(folder.resolve("damaged"), bytes);

        SymbolReport symbols = DebugInfo.read(damaged, options, DebugInfo::symbolTables);
        assertThat(symbols.tables()).isEmpty();
        assertThat(Omission.summary(symbols.omissions())).startsWith("1 symbol table was left out, because of damage:");
        assertThat(DebugInfo.read(damaged, options, DebugInfo::extractAll)
                        .types()
                        .definitions())
                .isNotEmpty();
    }

    /** Only the packer of Debian 11 runs with the libraries of Debian 12. */
    @Test
    void packedProgramIsRefusedByName() throws IOException {
        Path program = GoCompiler.installed().build(folder, "GOARCH=amd64 CGO_ENABLED=0", "-ldflags=-s -w");
        Path packer = DebianPackages.unpackedOfRelease("bullseye", "upx-ucl", "amd64");
        Path library = DebianPackages.unpackedOfRelease("bullseye", "libucl1", "amd64");
        Path packed = folder.resolve("packed");
        Files.deleteIfExists(packed);
        RequiredTool.at(packer.resolve("usr/bin/upx-ucl"))
                .with("LD_LIBRARY_PATH", library.resolve("usr/lib/x86_64-linux-gnu"))
                .output("-q", "-1", "-o", packed, program);

        assertThatThrownBy(() -> GoNames.functions(packed))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("packed by UPX");
    }
}
