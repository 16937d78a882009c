package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Go program without debug information answers from its type descriptors as its DWARF does. */
class GoDescriptorsIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private static final String SOURCE = """
            package main

            import "sync"

            type Celsius float64
            type Names []string
            type Table map[string]Pair[string, Celsius]
            type Handler func(n int, rest ...string) error
            type Stringer interface{ String() string }
            type Pair[K comparable, V any] struct {
            	Key   K
            	Value V
            }
            type Base struct {
            	ID   uint32
            	Flag bool
            }
            type Shape struct {
            	Base
            	*sync.Mutex
            	Name    string
            	Points  [3]struct{ X, Y int16 }
            	Names   Names
            	Table   Table
            	Any     interface{}
            	Err     error
            	Named   Stringer
            	Ch      chan<- *Shape
            	Do      Handler
            	C       complex64
            	_       byte
            	Self    *Shape
            	Pair    Pair[string, int]
            	Grid    [2][3]Base
            	Wide    int64
            	Pointer uintptr
            	Lock    sync.RWMutex
            	Empty   struct{}
            }

            //go:noinline
            func show(shape *Shape, table Table, handler Handler, names Names, celsius Celsius, stringer Stringer) {
            	for _, value := range []interface{}{*shape, table, handler, names, celsius, stringer} {
            		println(value)
            	}
            }

            func main() { show(&Shape{}, Table{}, nil, Names{}, 1, nil) }
            """;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void write() throws IOException {
        Files.writeString(folder.resolve("go.mod"), "module example.com/shapes\n\ngo 1.18\n");
        Files.writeString(folder.resolve("main.go"), SOURCE);
    }

    /** Compiles the program into a file of this name. */
    private static Path compiled(String name, String environment, List<String> options) throws IOException {
        List<String> words =
                new ArrayList<>(List.of("build", "-o", folder.resolve(name).toString()));
        words.addAll(options);
        RequiredTool go =
                RequiredTool.require("go").with("GOTOOLCHAIN", "local").with("GOFLAGS", "-mod=mod");
        for (String variable : environment.split(" ", -1)) {
            String[] parts = variable.split("=", 2);
            go = go.with(parts[0], parts[1]);
        }
        go.outputIn(folder, words.toArray());
        return folder.resolve(name);
    }

    private static List<Definition> definitions(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types().definitions();
    }

    private static Map<String, List<Definition>> byName(Path file) throws IOException, ExtractionException {
        return definitions(file).stream()
                .filter(definition -> definition.language().name().equals("Go"))
                .collect(Collectors.groupingBy(definition -> TypeNames.normalize(definition.qualifiedName())));
    }

    /** Requires equal layouts of each type that both files have, and returns the names of these types. */
    private static Set<String> requireEqual(Path withDwarf, Path without) throws IOException, ExtractionException {
        Map<String, List<Definition>> dwarf = byName(withDwarf);
        LayoutEquality equality = new LayoutEquality();
        Set<String> both = new TreeSet<>();
        for (Definition descriptor : definitions(without)) {
            String name = TypeNames.normalize(descriptor.qualifiedName());
            for (Definition expected : dwarf.getOrDefault(name, List.of())) {
                both.add(name);
                assertThat(equality.areEqual(expected.shape(), descriptor.shape()))
                        .as("%s: %s in DWARF, %s in the descriptor", name, expected.shape(), descriptor.shape())
                        .isTrue();
            }
        }
        return both;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GOARCH=amd64 | -buildmode=exe",
                "GOARCH=amd64 | -buildmode=pie",
                "GOARCH=amd64 CGO_ENABLED=1 | -buildmode=c-shared",
                "GOARCH=386 CGO_ENABLED=0 | -buildmode=exe",
                "GOARCH=arm64 CGO_ENABLED=0 | -buildmode=exe",
                "GOARCH=arm64 CGO_ENABLED=0 | -buildmode=pie",
                "GOARCH=s390x CGO_ENABLED=0 | -buildmode=exe",
                "GOARCH=mips CGO_ENABLED=0 | -buildmode=exe"
            })
    void everyTypeThatBothHaveIsTheSame(String environment, String mode) throws IOException, ExtractionException {
        Path dwarf = compiled("with", environment, List.of(mode));
        Path without = compiled("without", environment, List.of(mode, "-ldflags=-w"));
        if (mode.equals("-buildmode=c-shared")) {
            // The parts in C keep their debug information.
            RequiredTool.require("strip").output(without);
        }

        assertThat(DebugInfo.read(dwarf, OPTIONS, DebugInfo::facts).hasDwarf()).isTrue();
        assertThat(DebugInfo.read(without, OPTIONS, DebugInfo::facts).hasDwarf())
                .isFalse();
        assertThat(DebugInfo.read(without, OPTIONS, DebugInfo::facts).hasGoTypes())
                .isTrue();
        assertThat(requireEqual(dwarf, without))
                .contains(
                        "main.Shape",
                        "main.Base",
                        "main.Pair[string,int]",
                        "main.Names",
                        "main.Celsius",
                        "main.Table",
                        "main.Handler",
                        "main.Stringer",
                        "sync.RWMutex",
                        "error",
                        "string",
                        "int64")
                .hasSizeGreaterThan(60);
    }

    @Test
    void strippedProgramAnswersAsBefore() throws IOException, ExtractionException {
        Path dwarf = compiled("dwarf", "GOARCH=amd64", List.of());
        Path stripped = compiled("stripped", "GOARCH=amd64", List.of("-ldflags=-s -w"));
        RequiredTool.require("strip").output(stripped);

        assertThat(requireEqual(dwarf, stripped)).contains("main.Shape");
        try (DebugInfo info = DebugInfo.open(stripped)) {
            Struct shape = info.struct("main.Shape").orElseThrow();
            assertThat(shape.member("Name").byteOffset()).isEqualTo(16);
            assertThat(info.struct("main.Gone")).isEmpty();
        }
        assertThat(definitions(stripped))
                .filteredOn(definition -> definition.name().equals("main.Shape"))
                .singleElement()
                .satisfies(shape -> {
                    assertThat(shape.kind()).isEqualTo(TypeKind.STRUCT);
                    assertThat(shape.language().name()).isEqualTo("Go");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "CGO_ENABLED=0, -buildmode=exe",
        "CGO_ENABLED=0, -buildmode=pie",
        "GOARCH=386 CGO_ENABLED=0, -buildmode=exe",
        "GOARCH=mips CGO_ENABLED=0, -buildmode=exe",
        "GOARCH=s390x CGO_ENABLED=0, -buildmode=exe"
    })
    void programWithoutSectionHeadersAnswersAsBefore(String environment, String mode)
            throws IOException, ExtractionException {
        Path dwarf = compiled("dwarf", environment, List.of(mode));
        Path without = compiled("without", environment, List.of(mode, "-ldflags=-s -w"));
        RequiredTool.require("llvm-objcopy").output("--strip-sections", without);

        assertThat(requireEqual(dwarf, without)).contains("main.Shape").hasSizeGreaterThan(60);
    }

    /** The pointers of the descriptors are in a section that GNU strip does not know, so the linker strips. */
    @Test
    void programWithPackedRelocationsAnswersAsBefore() throws IOException, ExtractionException {
        RequiredTool.require("clang");
        RequiredTool.require("ld.lld");
        Path dwarf = compiled("dwarf", "CGO_ENABLED=1", List.of("-buildmode=pie"));
        String link = "-ldflags=-w -linkmode=external -extld clang"
                + " -extldflags \"-fuse-ld=lld -Wl,--pack-dyn-relocs=android -Wl,--strip-debug\"";
        Path packed = compiled("packed", "CGO_ENABLED=1", List.of("-buildmode=pie", link));

        assertThat(indexOf(Files.readAllBytes(packed), "APS2".getBytes(StandardCharsets.US_ASCII), 0))
                .isPositive();
        assertThat(requireEqual(dwarf, packed)).contains("main.Shape").hasSizeGreaterThan(60);
    }

    @Test
    void versionWhoseModuleDataIsUnknownIsUnsupported() throws IOException {
        Path program = compiled("old", "GOARCH=amd64", List.of("-ldflags=-w"));
        byte[] bytes = Files.readAllBytes(program);
        byte[] version = "go1.".getBytes(StandardCharsets.US_ASCII);
        int magic = indexOf(bytes, "\u00ff Go buildinf:".getBytes(StandardCharsets.ISO_8859_1), 0);
        int minor = indexOf(bytes, version, magic) + version.length;
        bytes[minor] = '1';
        bytes[minor + 1] = '7';
        Path old = folder.resolve("changed");

        assertThatThrownBy(() -> DebugInfo.read(Files.write(old, bytes), OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("expected 1.19 or later");
    }

    private static int indexOf(byte[] bytes, byte[] wanted, int from) {
        for (int at = from; at < bytes.length - wanted.length; at++) {
            if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
                return at;
            }
        }
        throw new AssertionError("not in the file");
    }

    @Test
    void programThatIsNotGoHasNoTypes() throws IOException {
        Path source = Files.writeString(folder.resolve("plain.txt"), "int main(void) { return 0; }");
        Path program = folder.resolve("plain");
        RequiredTool.require("gcc").output("-x", "c", "-s", "-o", program, source);

        assertThatThrownBy(() -> DebugInfo.read(program, OPTIONS, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class);
    }
}
