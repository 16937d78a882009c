package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.GoFunction.Abi;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions of stripped Go programs, with the {@code .symtab} that they had before as the judge. */
class GoFunctionsIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private static final String SOURCE = """
            package main

            import (
            	"fmt"
            	"math/big"
            	"os"
            	"sort"
            )

            type Box[T any] struct{ value T }

            //go:noinline
            func (b Box[T]) Get() T { return b.value }

            //go:noinline
            func twice(n int) int { return 2 * n }

            func main() {
            	numbers := []int{3, len(os.Args), twice(4)}
            	sort.Ints(numbers)
            	fmt.Println(numbers, Box[int]{1}.Get(), Box[string]{"x"}.Get(), big.NewInt(7).Exp(big.NewInt(3), big.NewInt(4), nil))
            }
            """;

    private static final String WITH_C = """
            package main

            // static int thrice(int n) { return 3 * n; }
            import "C"

            func init() { println(C.thrice(4)) }
            """;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void write() throws IOException {
        Files.writeString(folder.resolve("go.mod"), "module example.com/functions\n\ngo 1.18\n");
        Files.writeString(folder.resolve("main.go"), SOURCE);
        Files.writeString(folder.resolve("withc.go"), WITH_C);
    }

    private static Path compiled(RequiredTool go, String environment, String... options) throws IOException {
        RequiredTool configured =
                go.with("GOTOOLCHAIN", "local").with("GOFLAGS", "-mod=mod").with("GOPROXY", "off");
        for (String variable : environment.split(" ", -1)) {
            String[] parts = variable.split("=", 2);
            configured = configured.with(parts[0], parts[1]);
        }
        List<String> words = new ArrayList<>(List.of("build", "-o", "program"));
        words.addAll(List.of(options));
        configured.outputIn(folder, words.toArray());
        return folder.resolve("program");
    }

    private static List<Symbol> symbols(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::symbols).toList();
    }

    private static boolean isFrom(Symbol symbol, SymbolSource.Table table) {
        return symbol.sources().getFirst().table() == table;
    }

    private static List<Symbol> functions(Path stripped) throws IOException, ExtractionException {
        return symbols(stripped).stream()
                .filter(symbol -> isFrom(symbol, SymbolSource.Table.GOPCLNTAB))
                .toList();
    }

    private static GoFunction go(Symbol function) {
        return Objects.requireNonNull(function.go());
    }

    /** Returns a name as both tables have it: the line table has no type arguments, and no mark of the calling convention. */
    private static String common(String name) {
        return name.replaceAll("\\.abi(0|internal)$", "").replaceAll("\\[.*]", "[...]");
    }

    /** Requires that a program without {@code .symtab} has the functions of the table that it had before. */
    private static List<Symbol> requireFunctionsOfSymtab(Path program) throws IOException, ExtractionException {
        Map<Long, List<Symbol>> before = new HashMap<>();
        for (Symbol symbol : symbols(program)) {
            if (isFrom(symbol, SymbolSource.Table.SYMTAB) && symbol.isPlace()) {
                before.computeIfAbsent(symbol.value(), _ -> new ArrayList<>()).add(symbol);
            }
        }
        RequiredTool.require("eu-strip").output("-o", folder.resolve("stripped"), program);
        List<Symbol> found = functions(folder.resolve("stripped"));
        assertThat(found).hasSizeGreaterThan(1_500);
        for (Symbol function : found) {
            List<Symbol> there = before.getOrDefault(function.value(), List.of());
            assertThat(there).as(function.toString()).anySatisfy(symbol -> {
                assertThat(common(symbol.name())).isEqualTo(common(function.name()));
                assertThat(function.size()).isGreaterThanOrEqualTo(symbol.size());
                assertThat(function.section()).isEqualTo(symbol.section());
            });
            if (go(function).abi() != null) {
                boolean isMarked =
                        there.stream().anyMatch(symbol -> symbol.name().endsWith(".abi0"));
                assertThat(go(function).abi()).as(function.toString()).isEqualTo(isMarked ? Abi.ABI0 : Abi.INTERNAL);
            }
        }
        List<Long> starts = found.stream().map(Symbol::value).toList();
        assertThat(before.values().stream().flatMap(List::stream))
                .filteredOn(symbol -> symbol.type() == SymbolType.FUNC
                        && symbol.size() > 0
                        && symbol.name().contains(".")
                        && !symbol.name().endsWith(".cold")
                        && symbol.section().name().equals(".text"))
                .filteredOn(symbol -> !starts.contains(symbol.value()))
                .isEmpty();
        return found;
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
        List<Symbol> found = requireFunctionsOfSymtab(compiled(RequiredTool.require("go"), environment, mode));

        assertThat(found)
                .filteredOn(function -> function.name().equals("main.twice"))
                .singleElement()
                .satisfies(twice -> {
                    assertThat(go(twice).sourceFile()).endsWith("/main.go");
                    assertThat(go(twice).abi()).isNull();
                });
        assertThat(found).anyMatch(function -> function.name().equals("main.Box[...].Get"));
        assertThat(found).anyMatch(function -> go(function).abi() == Abi.ABI0);
    }

    @Test
    void programThatWasLinkedWithoutSymtabHasFunctions() throws IOException, ExtractionException {
        Path program = compiled(RequiredTool.require("go"), "GOARCH=amd64 CGO_ENABLED=0", "-ldflags=-s -w");

        assertThat(functions(program)).anyMatch(function -> function.name().equals("main.main"));
    }

    @ParameterizedTest
    @CsvSource({"trixie, 1.24, exe", "trixie, 1.24, pie", "forky, 1.26, exe", "forky, 1.26, pie"})
    void strippedProgramOfALaterCompilerHasTheFunctionsOfItsSymtab(String release, String version, String mode)
            throws IOException, ExtractionException {
        Path tools = DebianPackages.unpackedOfRelease(release, "golang-" + version + "-go", "amd64")
                .resolve("usr/lib/go-" + version);
        Path sources = DebianPackages.unpackedOfRelease(release, "golang-" + version + "-src", "amd64")
                .resolve("usr/share/go-" + version);
        Path root = Files.createDirectories(folder.resolve("go-" + version + mode));
        Files.createDirectories(root.resolve("pkg"));
        for (String part : List.of("bin", "pkg/tool", "pkg/include", "VERSION")) {
            Files.createSymbolicLink(root.resolve(part), tools.resolve(part));
        }
        Files.createSymbolicLink(root.resolve("src"), sources.resolve("src"));

        requireFunctionsOfSymtab(compiled(
                RequiredTool.at(root.resolve("bin/go"))
                        .with("GOROOT", root)
                        .with("GOCACHE", folder.resolve("cache-" + version)),
                "GOARCH=amd64 CGO_ENABLED=0",
                "-buildmode=" + mode));
    }

    @Test
    void packedProgramIsRefusedByName() throws IOException {
        Path program = compiled(RequiredTool.require("go"), "GOARCH=amd64 CGO_ENABLED=0", "-ldflags=-s -w");
        byte[] bytes = Files.readAllBytes(program);
        int headersEnd = 64 + 56 * bytes[56];
        byte[] mark = "UPX!".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(mark, 0, bytes, headersEnd + 4, mark.length);
        Path packed = Files.write(folder.resolve("packed"), bytes);

        assertThatThrownBy(() -> symbols(packed))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("packed by UPX");
    }
}
