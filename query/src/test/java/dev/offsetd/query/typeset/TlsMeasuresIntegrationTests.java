package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measures of thread-local variables that name maps take from the relocations of a file; {@code readelf} is the judge. */
class TlsMeasuresIntegrationTests {

    private static final String SET = """
            {"name": "mine", "version": 1, "title": "t", "items": [{"item": "symbol current"}],
             "maps": {"agent": {"title": "t", "names": {
               "descriptor": {"tlsDescriptor": "symbol current", "ifAbsent": 0},
               "module": {"tlsModule": "symbol current", "ifAbsent": 0},
               "fixed": {"threadPointerOffset": "symbol current", "ifAbsent": 0},
               "required": {"tlsDescriptor": "symbol current"},
               "plain": {"tlsDescriptor": "symbol plain"}}}}}""";

    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("source.c"), """
                __thread int current = 1;
                int plain;
                int *get(void) { return &current; }
                int main(void) { return *get(); }
                """);
    }

    private Path compiled(String... options) throws IOException {
        RequiredTool gcc = RequiredTool.require("gcc");
        List<Object> words = new ArrayList<>(List.of((Object[]) options));
        words.addAll(List.of("-g", "source.c", "-o", "made"));
        gcc.outputIn(folder, words.toArray());
        return folder.resolve("made");
    }

    private static List<MapValue> values(Path file, boolean withProgram) throws IOException, ExtractionException {
        TypeSet set = TypeSetParser.parse(SET.getBytes(StandardCharsets.UTF_8));
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        StoredSymbols symbols =
                StoredSymbols.of(SymbolTable.of(DebugInfo.read(file, options, DebugInfo::symbolTables)));
        TlsAccess tls = withProgram
                ? DebugInfo.read(file, options, DebugInfo::tlsAccess).orElseThrow()
                : null;
        SymbolSearch search =
                new SymbolSearch(symbols, null, SearchBudget.unlimited(), new ProgramFacts(symbols.fileOffsets(), tls));
        ItemResolver resolver = new ItemResolver(new BuildContents(null, search), null);
        return set.maps().getFirst().values(resolver::resolve).stream()
                .map(NameMap.NamedValue::value)
                .toList();
    }

    private static MapValue known(long number) {
        return new MapValue.Known(BigInteger.valueOf(number), null);
    }

    private static long address(Path file, String type) throws IOException {
        return RequiredTool.require("readelf")
                .output("--relocs", "--wide", file)
                .lines()
                .filter(line -> line.contains(type))
                .mapToLong(line -> Long.parseUnsignedLong(line.substring(0, 16), 16))
                .min()
                .orElseThrow();
    }

    @Test
    void descriptorOfALibraryHasAnAddressAndWhatItLacksIsCertain() throws Exception {
        Path library = compiled("-shared", "-fPIC", "-mtls-dialect=gnu2");
        long descriptor = address(library, "R_X86_64_TLSDESC");
        List<MapValue> values = values(library, true);
        assertThat(values.subList(0, 4)).containsExactly(known(descriptor), known(0), known(0), known(descriptor));
        assertThat(values.getLast())
                .isInstanceOfSatisfying(
                        MapValue.Missing.class,
                        missing -> assertThat(missing.detail()).contains("not a thread-local variable"));
    }

    @Test
    void moduleOfALibraryHasAnAddress() throws Exception {
        Path library = compiled("-shared", "-fPIC", "-mtls-dialect=gnu");
        List<MapValue> values = values(library, true);
        assertThat(values.subList(0, 3))
                .containsExactly(known(0), known(address(library, "R_X86_64_DTPMOD64")), known(0));
        assertThat(values.get(3)).isInstanceOfSatisfying(MapValue.Missing.class, missing -> {
            assertThat(missing.status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
            assertThat(missing.detail()).isEqualTo("the program has no such relocation");
        });
    }

    @Test
    void variableOfAProgramHasADistanceFromTheThreadPointer() throws Exception {
        assertThat(values(compiled("-pie", "-fPIE"), true).subList(0, 3))
                .containsExactly(known(0), known(0), known(-4));
    }

    /** An absent number would be taken for one that the build certainly lacks. */
    @Test
    void buildWhoseExecutableIsNotKnownHasNoNumbers() throws Exception {
        assertThat(values(compiled("-shared", "-fPIC"), false))
                .allSatisfy(value -> assertThat(value)
                        .isInstanceOfSatisfying(
                                MapValue.Missing.class,
                                missing -> assertThat(missing.status()).isEqualTo(ItemStatus.UNSUPPORTED)));
    }
}
