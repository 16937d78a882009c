package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfIdentity;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.query.symbol.SymbolsWriter;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slim files of compiler output and distribution packages: the answers are unchanged, and other tools can read them.
 */
class SlimFileIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);

    private static final String SOURCE = """
            #include <map>
            #include <string>
            struct base { virtual ~base() {} long word; };
            struct derived : virtual base { unsigned bits : 3; std::map<std::string, int> names; };
            thread_local int counter = 7;
            thread_local long others[4];
            derived *made() { static derived one; counter++; others[1]++; return &one; }
            int main() { return made()->names.size() + counter; }
            """;

    private static final String C_SOURCE = """
            struct inner { char tag; unsigned low : 3, high : 9; };
            struct point { long x; struct inner in[3]; double y; } origin = {1, {{2, 3, 4}}, 5};
            static __thread int counter;
            long sum(struct point *p) { counter++; return p->x + p->in[1].low; }
            int main(void) { return (int) sum(&origin); }
            """;

    private static final Set<String> COMPILED = Set.of("fail", "outer", "outer.cold", "main");

    /** The inlined function is in two parts: the compiler moves the call of a cold function to other cold code. */
    private static final String INLINING_SOURCE = """
            __attribute__((cold, noinline)) void fail(long x) { __builtin_printf("%ld\\n", x); }
            static inline __attribute__((always_inline)) long inner(long x) {
                if (__builtin_expect(x < 0, 0)) { fail(x); x = -x; }
                return x * 3;
            }
            long outer(long *p, int n) { long sum = 0; while (n-- > 0) sum += inner(p[n]); return sum; }
            int main(int count, char **arguments) { return (int) outer((long *) arguments, count); }
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "g++ -gdwarf-5 -O2",
                "g++ -gdwarf-4 -fdebug-types-section -gz=zlib",
                "g++ -gdwarf-5 -fdebug-types-section -gz=zlib-gnu -fPIC -shared",
                "clang++ -gdwarf-5",
                "g++ -g -c -ffunction-sections -fdebug-types-section"
            })
    void programSaysTheSame(String command) throws Exception {
        Path source = Files.writeString(folder.resolve("program.cc"), SOURCE);
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        Path program = folder.resolve("program");
        words.addAll(List.of("-o", program.toString(), source.toString()));
        RequiredTool.require(words.getFirst())
                .output(words.subList(1, words.size()).toArray());

        Path slim = requireSame(program);

        assertThat(Files.size(slim)).isLessThan(Files.size(program));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gcc -g -static", "s390x-linux-gnu-gcc -g -shared -fPIC -nostdlib"})
    void programInCSaysTheSame(String command) throws Exception {
        Path source = Files.writeString(folder.resolve("program.c"), C_SOURCE);
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        Path program = folder.resolve("program");
        words.addAll(List.of("-Wl,--build-id,-soname,libone.so.1", "-o", program.toString(), source.toString()));
        RequiredTool.require(words.getFirst())
                .output(words.subList(1, words.size()).toArray());

        requireSame(program);
    }

    @Test
    void debugFileOfThisMachinesLibraryCSaysTheSame() throws Exception {
        Path libc = DebianPackages.largestDebugFile("libc6-dbg", "amd64");

        Path slim = requireSame(libc);

        assertThat(Files.size(slim)).isLessThan(Files.size(libc));
    }

    @Test
    void slimFileOfASlimFileIsTheSame() throws Exception {
        Path source = Files.writeString(folder.resolve("program.c"), C_SOURCE);
        Path program = folder.resolve("program");
        RequiredTool.require("gcc").output("-g", "-Wl,--build-id", "-o", program, source);

        Path once = slimOf(program);

        assertThat(slimOf(once)).hasSameBinaryContentAs(once);
        assertThat(slimOf(program)).hasSameBinaryContentAs(once);
        assertThat(Files.readString(once, StandardCharsets.ISO_8859_1))
                .as("the compiler stays, the code goes")
                .contains("GCC: (")
                .doesNotContain("/ld-linux-x86-64.so.2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-gdwarf-4", "-gdwarf-5"})
    void slimFileWithFunctionsHasInlinedFunctionsWithoutLines(String version) throws Exception {
        Path source = Files.writeString(folder.resolve("inlining.c"), INLINING_SOURCE);
        Path program = folder.resolve("inlining");
        RequiredTool.require("gcc").output(version, "-O2", "-Wl,--build-id", "-o", program, source);
        Path slim = folder.resolve("slim");
        try (OutputStream out = Files.newOutputStream(slim)) {
            DebugInfo.read(program, OPTIONS, info -> info.writeSlimWithFunctions(out));
        }

        List<String> functions = functions(program);
        assertThat(functions).contains("inner, outer");
        assertThat(functions(slim)).isEqualTo(functions);
        assertThat(functions(slimOf(program))).isNotEqualTo(functions);
        assertThat(DebugInfo.read(slim, OPTIONS, DebugInfo::allFrames).files()).isEmpty();
        assertThat(Files.size(slim)).isLessThan(Files.size(program));
    }

    /** Returns the functions at each address of those that the compiler saw, the innermost first. */
    private static List<String> functions(Path file) throws Exception {
        FrameTable table = DebugInfo.read(file, OPTIONS, DebugInfo::allFrames);
        List<String> functions = new ArrayList<>();
        for (Symbol symbol :
                DebugInfo.read(file, OPTIONS, info -> info.symbols().toList())) {
            for (long i = 0; COMPILED.contains(symbol.name()) && i < symbol.size(); i++) {
                functions.add(table.at(symbol.value() + i).stream()
                        .map(Frame::function)
                        .collect(Collectors.joining(", ")));
            }
        }
        return functions;
    }

    private Path requireSame(Path file) throws Exception {
        Path slim = slimOf(file);
        ExtractionReport before = DebugInfo.read(file, OPTIONS, DebugInfo::extractAll);
        ExtractionReport after = DebugInfo.read(slim, OPTIONS, DebugInfo::extractAll);
        assertThat(CatalogueWriter.encode(after.types())).isEqualTo(CatalogueWriter.encode(before.types()));
        assertThat(after.debugInfoBytes()).isEqualTo(before.debugInfoBytes());
        assertThat(after.elf())
                .usingRecursiveComparison()
                .ignoringFields("fileBytes", "hasLines")
                .isEqualTo(before.elf());
        assertThat(after.elf().hasLines()).isFalse();
        assertThat(symbols(slim)).isEqualTo(symbols(file));
        assertThat(DebugInfo.read(slim, OPTIONS, DebugInfo::identity))
                .isEqualTo(DebugInfo.read(file, OPTIONS, DebugInfo::identity));
        try (InputStream in = Files.newInputStream(slim)) {
            assertThat(ElfIdentity.read(in).buildId()).isEqualTo(before.elf().buildId());
        }
        assertThat(complaints(file)).containsAll(complaints(slim));
        return slim;
    }

    private static byte[] symbols(Path file) throws Exception {
        // A slim file says nothing of where the bytes of its program are.
        SymbolReport report = DebugInfo.read(file, OPTIONS, DebugInfo::symbolTables);
        return SymbolsWriter.encode(SymbolTable.of(report.tables(), report.values(), report.tls(), List.of()));
    }

    /** Returns the warnings that readelf prints about a file. */
    private static List<String> complaints(Path file) throws Exception {
        Path readelf = RequiredTool.require("readelf").path();
        List<String> complaints = new ArrayList<>();
        for (String what : List.of("--all", "--debug-dump=info,abbrev")) {
            Process process = new ProcessBuilder(readelf.toString(), "--wide", what, file.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (InputStream errors = process.getErrorStream()) {
                new String(errors.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .forEach(complaints::add);
            }
            assertThat(process.waitFor()).isZero();
        }
        return complaints;
    }

    private Path slimOf(Path file) throws Exception {
        Path slim = Files.createTempFile(folder, "slim", "");
        long bytes;
        try (OutputStream out = Files.newOutputStream(slim)) {
            bytes = DebugInfo.read(file, OPTIONS, info -> info.writeSlim(out));
        }
        assertThat(slim).hasSize(bytes);
        return slim;
    }
}
