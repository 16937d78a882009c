package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.corpus.GoNames;
import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.GoFunction.Abi;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.GoCompiler;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
