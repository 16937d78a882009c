package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.extractor.testkit.SymbolListing;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every symbol of real files, compared one by one with the output of other tools. */
class SymbolsIntegrationTests {

    @TempDir
    private Path folder;

    /** Returns the C library of the running JVM. */
    private static Path libc() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.matches(".*/libc[.-].*so.*"))
                .map(line -> Path.of(line.substring(line.indexOf('/'))))
                .findFirst()
                .orElseThrow(() -> RequiredTool.unavailable("this java runs on no glibc"));
    }

    private static SymbolReport read(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::symbolTables);
    }

    private static Stream<Symbol> of(SymbolReport report, SymbolSource.Table table) {
        return SymbolTable.of(report).symbols().stream()
                .filter(symbol -> symbol.sources().contains(new SymbolSource(table, false)));
    }

    private static List<String> lines(SymbolReport report, SymbolSource.Table table) {
        int digits = report.elf().architecture().bits() / 4;
        return of(report, table).map(symbol -> line(symbol, digits)).toList();
    }

    private static String line(Symbol symbol, int digits) {
        SymbolSection section = symbol.section();
        String index =
                section.kind() == SymbolSection.Kind.IN_SECTION ? Integer.toString(section.index()) : section.name();
        return String.format(
                Locale.ROOT,
                "%0" + digits + "x %d %s %s %s %s %s",
                symbol.value(),
                symbol.size(),
                symbol.type().word(),
                symbol.binding(),
                symbol.visibility(),
                index,
                symbol.versionedName());
    }

    /** Returns the defined symbols in the format of {@code nm}. */
    private static List<String> definitions(SymbolReport report, SymbolSource.Table table) {
        int digits = report.elf().architecture().bits() / 4;
        return of(report, table)
                .filter(symbol -> !symbol.isImported())
                .filter(symbol -> symbol.type() != SymbolType.FILE && symbol.type() != SymbolType.SECTION)
                .map(symbol ->
                        String.format(Locale.ROOT, "%0" + digits + "x %s", symbol.value(), symbol.versionedName()))
                .toList();
    }

    @Test
    void dynamicSymbolsOfTheRunningLibcAreThoseOfOtherTools() throws IOException, ExtractionException {
        Path file = libc();
        SymbolReport report = read(file);
        List<String> ours = lines(report, SymbolSource.Table.DYNSYM);

        assertThat(ours).hasSizeGreaterThan(1_000).anyMatch(line -> line.contains(" memcpy@GLIBC_"));
        assertThat(ours).containsExactlyElementsOf(SymbolListing.ofReadelf(file, ".dynsym"));
        assertThat(ours).containsExactlyElementsOf(SymbolListing.ofEuReadelf(file, ".dynsym"));
        assertThat(definitions(report, SymbolSource.Table.DYNSYM))
                .containsExactlyInAnyOrderElementsOf(SymbolListing.ofNm(file, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"amd64", "arm64", "armhf", "i386", "s390x"})
    void symbolsOfTheDebugFileOfLibcAreThoseOfOtherTools(String architecture) throws IOException, ExtractionException {
        Path file = DebianPackages.largestDebugFile("libc6-dbg", architecture);
        List<String> ours = lines(read(file), SymbolSource.Table.SYMTAB);

        assertThat(ours).hasSizeGreaterThan(1_000);
        assertThat(ours).containsExactlyElementsOf(SymbolListing.ofReadelf(file, ".symtab"));
        // eu-readelf does not name section symbols.
        assertThat(ours.stream().map(line -> line.replaceFirst("( SECTION .* [0-9]+ ).*", "$1")))
                .containsExactlyElementsOf(SymbolListing.ofEuReadelf(file, ".symtab"));
    }

    @Test
    void namesOfTheDebugFileOfLibcAreThoseOfNm() throws IOException, ExtractionException {
        Path file = DebianPackages.largestDebugFile("libc6-dbg", "amd64");

        assertThat(definitions(read(file), SymbolSource.Table.SYMTAB))
                .containsExactlyInAnyOrderElementsOf(SymbolListing.ofNm(file, false));
    }

    @Test
    void bothTablesOfOneProgramAreThoseOfReadelf() throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("both.c"), """
                #include <stdio.h>
                __thread int counter = 1;
                static int local(int n) { return n + 1; }
                int exported(int n) { return local(n) + counter; }
                int main(void) { return printf("%d", exported(1)); }
                """);
        Path program = folder.resolve("both");
        RequiredTool.require("gcc").output("-rdynamic", "-o", program, source);
        SymbolReport report = read(program);

        // A symbol of both tables appears in the order of .symtab, so .dynsym is compared in any order.
        assertThat(lines(report, SymbolSource.Table.SYMTAB))
                .containsExactlyElementsOf(SymbolListing.ofReadelf(program, ".symtab"));
        assertThat(lines(report, SymbolSource.Table.DYNSYM))
                .containsExactlyInAnyOrderElementsOf(SymbolListing.ofReadelf(program, ".dynsym"));
        assertThat(SymbolTable.of(report).symbols())
                .filteredOn(symbol -> symbol.name().equals("exported"))
                .singleElement()
                .satisfies(symbol -> assertThat(symbol.sources()).hasSize(2));
    }

    @Test
    void addressesOfTheDebugFileOfLibcAreThoseOfAddr2line() throws IOException, ExtractionException {
        Path file = DebianPackages.largestDebugFile("libc6-dbg", "amd64");
        SymbolTable table = SymbolTable.of(read(file));
        StoredSymbols symbols = StoredSymbols.of(table);
        List<Long> addresses = table.symbols().stream()
                .filter(symbol -> symbol.type() == SymbolType.FUNC && symbol.size() > 3)
                .map(symbol -> symbol.value() + symbol.size() / 2)
                .distinct()
                .toList();
        List<Object> arguments = new ArrayList<>(List.of("-S", "-e", file));
        addresses.forEach(address -> arguments.add("0x" + Long.toHexString(address)));

        List<String> theirs = RequiredTool.require("eu-addr2line")
                .output(arguments.toArray())
                .lines()
                .toList();

        assertThat(addresses).hasSizeGreaterThan(1_000);
        for (int i = 0; i < addresses.size(); i++) {
            assertThat(symbols.at(addresses.get(i)).stream()
                            .map(at -> at.symbol().versionedName() + "+0x" + Long.toHexString(at.offset())))
                    .as("0x%x", addresses.get(i))
                    .contains(theirs.get(2 * i));
        }
    }

    @Test
    void miniDebugInfoAddsTheLocalSymbolsOfAStrippedProgram() throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("mini.c"), """
                static __attribute__((noinline)) int local(int n) { return n * 3; }
                int main(int n, char **v) { return local(n); }
                """);
        Path program = folder.resolve("program");
        Path inside = folder.resolve("inside");
        RequiredTool.require("gcc").output("-O1", "-o", program, source);
        RequiredTool.require("objcopy").output("--only-keep-debug", program, inside);
        RequiredTool.require("xz").output("-9", inside);
        RequiredTool.require("strip").output(program);
        RequiredTool.require("objcopy").output("--add-section", ".gnu_debugdata=" + inside + ".xz", program);

        assertThat(SymbolTable.of(read(program)).symbols())
                .filteredOn(symbol -> symbol.name().equals("local"))
                .singleElement()
                .satisfies(symbol -> assertThat(symbol.sources())
                        .containsExactly(new SymbolSource(SymbolSource.Table.GNU_DEBUGDATA, false)));
    }

    @Test
    void everyFunctionIsFoundByItsAddress() throws IOException, ExtractionException {
        SymbolReport report = read(libc());
        SymbolTable table = SymbolTable.of(report);
        StoredSymbols stored = StoredSymbols.of(table);
        List<Symbol> functions = table.symbols().stream()
                .filter(symbol -> symbol.section().kind() == SymbolSection.Kind.IN_SECTION)
                .filter(symbol -> symbol.type().word().endsWith("FUNC") && symbol.size() > 0)
                .toList();

        assertThat(functions)
                .hasSizeGreaterThan(1_000)
                .allSatisfy(function -> assertThat(stored.at(function.value()))
                        .anyMatch(found -> found.symbol().equals(function) && found.offset() == 0));
    }

    @Test
    void thumbFunctionsAreFoundAtTheirEvenAddressAndMappingSymbolsNowhere() throws IOException, ExtractionException {
        SymbolTable table = SymbolTable.of(read(DebianPackages.largestDebugFile("libc6-dbg", "armhf")));
        StoredSymbols symbols = StoredSymbols.of(table);
        List<Symbol> thumb = table.symbols().stream()
                .filter(symbol -> symbol.type() == SymbolType.FUNC && symbol.size() > 0 && symbol.value() % 2 == 1)
                .toList();

        assertThat(table.symbols()).anyMatch(symbol -> symbol.name().equals("$t"));
        assertThat(thumb)
                .hasSizeGreaterThan(1_000)
                .allSatisfy(function -> assertThat(symbols.at(function.value() - 1))
                        .anyMatch(found -> found.symbol().equals(function) && found.offset() == 0)
                        .noneMatch(found -> found.symbol().name().startsWith("$")));
    }

    @Test
    void debugFileKnowsTheThreadLocalStorageButNotItsBytesInTheProgram() throws IOException, ExtractionException {
        SymbolReport debugFile = read(DebianPackages.largestDebugFile("libc6-dbg", "amd64"));
        SymbolReport library = read(libc());

        assertThat(library.tls()).satisfies(tls -> assertThat(tls.fileSize()).isNotNull());
        assertThat(debugFile.tls()).satisfies(tls -> {
            assertThat(tls.fileSize()).isNull();
            assertThat(tls.memorySize()).isPositive();
        });
    }

    @Test
    void programHeadersAreThoseOfReadelfAndWithoutTheirPlaceInADebugFile() throws Exception {
        Path file = libc();
        SymbolReport library = read(file);
        SymbolReport debugFile = read(DebianPackages.largestDebugFile("libc6-dbg", "amd64"));
        List<String> loads = RequiredTool.require("readelf")
                .output("--segments", "--wide", file)
                .lines()
                .filter(line -> line.strip().startsWith("LOAD "))
                .map(line -> String.join(" ", List.of(line.strip().split(" +")).subList(1, 6)))
                .toList();

        assertThat(loads).hasSizeGreaterThan(2);
        assertThat(loaded(library).stream()
                        .map(load -> "0x%06x 0x%016x 0x%016x 0x%06x 0x%06x"
                                .formatted(
                                        load.offset(),
                                        load.address(),
                                        load.address(),
                                        load.fileSize(),
                                        load.memorySize())))
                .containsExactlyElementsOf(loads);
        assertThat(loaded(debugFile)).hasSameSizeAs(loads).allSatisfy(load -> {
            assertThat(load.offset()).isNull();
            assertThat(load.fileSize()).isNull();
            assertThat(load.memorySize()).isPositive();
        });
    }

    private static List<ProgramHeader> loaded(SymbolReport report) {
        return report.programHeaders().stream()
                .filter(header -> header.type() == 1)
                .toList();
    }
}
