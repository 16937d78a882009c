package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.symbols.TlsRelocation;
import dev.offsetd.extractor.symbols.TlsRelocation.Kind;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Relocations of thread-local variables, with {@code readelf} and running programs as the judges. */
class TlsAccessIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private static final String LIBRARY = """
            extern __thread int elsewhere;
            __thread char small = 1;
            __thread int exported[4] __attribute__((aligned(32))) = {2};
            static __thread long hidden = 3;
            int *first(void) { return &exported[1]; }
            int *whole(void) { return exported; }
            char *character(void) { return &small; }
            long *local(void) { return &hidden; }
            int *other(void) { return &elsewhere; }
            """;

    private static final String PROGRAM = """
            #include <stdio.h>
            __thread char small = 1;
            __thread int wide[4] __attribute__((aligned(64))) = {2};
            static __thread long zeroed;
            int main(void) {
              char *start = __builtin_thread_pointer();
              printf("small %ld\\n", (long) (&small - start));
              printf("wide %ld\\n", (long) ((char *) wide - start));
              printf("zeroed %ld\\n", (long) ((char *) &zeroed - start));
            }
            """;

    /** Line of {@code readelf -rW}: address, info, type, and value and name of a symbol or an addend alone. */
    private static final Pattern LINE = Pattern.compile(
            "([0-9a-f]{12,16}) +[0-9a-f]+ +R_\\w*?(TLSDESC|DTPMOD|DTPREL|DTPOFF|TPREL|TPOFF|DESC)(?:64)? +"
                    + "(?:([0-9a-f]{16}) +(\\S+) \\+ )?([0-9a-f]+)?");

    private static final Map<String, Kind> KINDS = Map.of(
            "TLSDESC", Kind.DESCRIPTOR,
            "DTPMOD", Kind.MODULE,
            "DTPREL", Kind.BLOCK_OFFSET,
            "DTPOFF", Kind.BLOCK_OFFSET,
            "TPREL", Kind.THREAD_POINTER_OFFSET,
            "TPOFF", Kind.THREAD_POINTER_OFFSET);

    @TempDir
    private static Path folder;

    @BeforeAll
    static void write() throws IOException {
        Files.writeString(folder.resolve("library.c"), LIBRARY);
        Files.writeString(folder.resolve("program.c"), PROGRAM);
    }

    private static Path compiled(String compiler, String source, String options) throws IOException {
        List<Object> words = new ArrayList<>(Arrays.asList((Object[]) options.split(" ", -1)));
        words.addAll(List.of("-O1", source, "-o", "made"));
        RequiredTool.require(compiler).outputIn(folder, words.toArray());
        return folder.resolve("made");
    }

    private static Optional<TlsAccess> access(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::tlsAccess);
    }

    private static Symbol symbol(Path file, String name) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::symbols)
                .filter(symbol -> symbol.name().equals(name) && symbol.type() == SymbolType.TLS)
                .findFirst()
                .orElseThrow();
    }

    private static Set<TlsRelocation> ofReadelf(Path file) throws IOException {
        Set<TlsRelocation> found = new HashSet<>();
        Matcher lines = LINE.matcher(RequiredTool.require("readelf").output("--relocs", "--wide", file));
        while (lines.find()) {
            if (!"elsewhere".equals(lines.group(4))) {
                long value = lines.group(3) == null ? 0 : Long.parseUnsignedLong(lines.group(3), 16);
                long addend = lines.group(5) == null ? 0 : Long.parseUnsignedLong(lines.group(5), 16);
                found.add(new TlsRelocation(
                        Objects.requireNonNull(KINDS.get(lines.group(2))),
                        Long.parseUnsignedLong(lines.group(1), 16),
                        value + addend));
            }
        }
        return found;
    }

    @ParameterizedTest
    @CsvSource({
        "gcc,-fPIC,BLOCK_OFFSET",
        "gcc,-fPIC -mtls-dialect=gnu2,DESCRIPTOR",
        "gcc,-fPIC -mtls-dialect=gnu2 -Wl;-z;now -fuse-ld=lld,DESCRIPTOR",
        "gcc,-fPIC -ftls-model=initial-exec,THREAD_POINTER_OFFSET",
        "clang,-fPIC -fuse-ld=lld,BLOCK_OFFSET",
        "clang,-fPIC --target=aarch64-linux-gnu -nostdlib -fuse-ld=lld,DESCRIPTOR",
        "clang,-fPIC --target=aarch64-linux-gnu -nostdlib -fuse-ld=lld -ftls-model=initial-exec,THREAD_POINTER_OFFSET",
        "clang,-fPIC --target=riscv64-linux-gnu -nostdlib -fuse-ld=lld,BLOCK_OFFSET",
        "clang,-fPIC --target=powerpc64le-linux-gnu -nostdlib -fuse-ld=lld,BLOCK_OFFSET",
        "s390x-linux-gnu-gcc,-fPIC -nostdlib,BLOCK_OFFSET",
    })
    void relocationsOfALibraryAreThoseOfReadelf(String compiler, String options, Kind kind)
            throws IOException, ExtractionException {
        Path library = compiled(compiler, "library.c", "-shared " + options.replace(';', ','));
        TlsAccess access = access(library).orElseThrow();
        assertThat(access.program()).isFalse();
        assertThat(access.relocations()).containsExactlyInAnyOrderElementsOf(ofReadelf(library));
        Symbol exported = symbol(library, "exported");
        assertThat(access.address(kind, exported)).isPresent();
        assertThat(access.of(exported))
                .allMatch(relocation -> relocation.offset() == exported.value() || relocation.kind() == Kind.MODULE);
        assertThat(access.moduleAddress().isPresent()).isEqualTo(kind == Kind.BLOCK_OFFSET);
        assertThat(access.threadPointerOffset(exported)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-no-pie", "-pie -fPIE", "-static", "-static-pie -fPIE", "-no-pie -fuse-ld=lld"})
    void variableOfAProgramIsWhereTheRunningProgramHasIt(String options) throws IOException, ExtractionException {
        Path program = compiled("gcc", "program.c", options);
        TlsAccess access = access(program).orElseThrow();
        assertThat(access.program()).isTrue();
        List<String> printed = RequiredTool.at(program).output().lines().toList();
        assertThat(printed).hasSize(3);
        for (String line : printed) {
            String[] words = line.split(" ", -1);
            assertThat(access.threadPointerOffset(symbol(program, words[0])))
                    .as(line)
                    .hasValue(Long.parseLong(words[1]));
        }
    }

    @Test
    void relocationsAreFoundWithoutSectionHeaders() throws IOException, ExtractionException {
        Path library = compiled("gcc", "library.c", "-shared -fPIC -mtls-dialect=gnu2");
        Set<TlsRelocation> expected = ofReadelf(library);
        try (RandomAccessFile file = new RandomAccessFile(library.toFile(), "rw")) {
            file.seek(40);
            file.write(new byte[8]);
            file.seek(60);
            file.write(new byte[4]);
        }
        assertThat(access(library).orElseThrow().relocations()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"objcopy --only-keep-debug", "eu-strip -f"})
    void debugFileHasNone(String command) throws IOException, ExtractionException {
        Path library = compiled("gcc", "library.c", "-shared -fPIC -g");
        Path debugFile = folder.resolve("debug");
        if (command.startsWith("objcopy")) {
            RequiredTool.require("objcopy").output("--only-keep-debug", library, debugFile);
        } else {
            RequiredTool.require("eu-strip").output("-f", debugFile, "-o", folder.resolve("rest"), library);
        }
        assertThat(access(library)).isPresent();
        assertThat(access(debugFile)).isEmpty();
    }

    private static Path importing(int variables) throws IOException {
        StringBuilder source = new StringBuilder("__thread int own;\n");
        for (int i = 0; i < variables; i++) {
            source.append("extern __thread int v%d; int *f%d(void) { return &v%d; }%n".formatted(i, i, i));
        }
        Files.writeString(folder.resolve("importing.c"), source);
        return compiled("gcc", "importing.c", "-shared -fPIC -ftls-model=initial-exec");
    }

    @Test
    void relocationsOfImportedVariablesAreLimitedToo() throws IOException, ExtractionException {
        assertThat(access(importing(4096))).isPresent();
        assertThat(access(importing(4097))).isEmpty();
    }

    @Test
    void fileWithoutVariablesHasNone() throws IOException, ExtractionException {
        Files.writeString(folder.resolve("plain.c"), "int plain(void) { return 1; }");
        assertThat(access(compiled("gcc", "plain.c", "-shared -fPIC"))).isEmpty();
    }

    /** A caller fetches a program piece by piece: what is not fetched is zeros. */
    @ParameterizedTest
    @ValueSource(strings = {"-shared -fPIC", "-shared -fPIC -mtls-dialect=gnu2 -Wl,--hash-style=sysv"})
    void rangesOfAProgramAreEnough(String options) throws IOException, ExtractionException {
        StringBuilder large = new StringBuilder(LIBRARY);
        for (int i = 0; i < 2_000; i++) {
            large.append("int function")
                    .append(i)
                    .append("(int a) { return a + ")
                    .append(i)
                    .append("; }\n");
        }
        Files.writeString(folder.resolve("large.c"), large);
        Path library = compiled("gcc", "large.c", options);
        byte[] bytes = Files.readAllBytes(library);
        Path parts = folder.resolve("parts");
        byte[] known = new byte[bytes.length];
        Map<FileRange, Boolean> fetched = new HashMap<>();
        List<FileRange> next = List.of(new FileRange(0, 4096), FileRange.ofSectionHeaders(Arrays.copyOf(bytes, 4096)));
        long total = 0;
        while (!next.isEmpty()) {
            for (FileRange range : next) {
                System.arraycopy(bytes, (int) range.offset(), known, (int) range.offset(), (int) range.bytes());
                fetched.put(range, true);
                total += range.bytes();
            }
            Files.write(parts, known);
            next = DebugInfo.read(parts, OPTIONS, DebugInfo::programRanges).stream()
                    .filter(range -> !fetched.containsKey(range))
                    .distinct()
                    .toList();
        }
        assertThat(total).isLessThan(bytes.length / 4);
        assertThat(access(parts)).isEqualTo(access(library)).isPresent();
        assertThat(DebugInfo.read(parts, OPTIONS, DebugInfo::fileOffsets).segments())
                .isEqualTo(
                        DebugInfo.read(library, OPTIONS, DebugInfo::fileOffsets).segments())
                .isNotEmpty();
        assertThat(DebugInfo.read(parts, OPTIONS, DebugInfo::buildId))
                .isEqualTo(DebugInfo.read(library, OPTIONS, DebugInfo::buildId));
    }
}
