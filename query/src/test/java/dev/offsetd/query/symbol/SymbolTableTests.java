package dev.offsetd.query.symbol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVersion;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.symbols.TlsRelocation;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.query.answer.SymbolWriter;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.store.CorruptBlobException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

@Tag("long")
class SymbolTableTests {

    private static final List<SymbolSource> SYMTAB = List.of(new SymbolSource(SymbolSource.Table.SYMTAB, false));
    private static final SymbolSection TEXT = new SymbolSection(SymbolSection.Kind.IN_SECTION, 1, ".text", 0x1000);

    private static Symbol symbol(String name, long value, long size, SymbolType type, SymbolBinding binding) {
        return new Symbol(name, null, value, size, type, binding, SymbolVisibility.DEFAULT, TEXT, SYMTAB);
    }

    private static Symbol function(String name, long value, long size, SymbolBinding binding) {
        return symbol(name, value, size, SymbolType.FUNC, binding);
    }

    private static Symbol versioned(String name, String version, boolean isDefault, long value) {
        return new Symbol(
                name,
                new SymbolVersion(version, isDefault),
                value,
                16,
                SymbolType.FUNC,
                SymbolBinding.GLOBAL,
                SymbolVisibility.DEFAULT,
                TEXT,
                SYMTAB);
    }

    private static SymbolTable table(Symbol... symbols) {
        return SymbolTable.of(List.of(List.of(symbols)), ValueRule.ADDRESS, null, List.of());
    }

    private static <T> T answer(SymbolTable table, Function<StoredSymbols, T> query) {
        return query.apply(StoredSymbols.of(SymbolsWriter.encode(table)));
    }

    private static List<Symbol> named(SymbolTable table, String name) {
        return answer(table, index -> index.find(SymbolPattern.of(name)));
    }

    private static List<String> aliases(SymbolTable table, String name) {
        return answer(table, index -> index.aliasesOf(name, SearchBudget.unlimited()));
    }

    private static List<String> family(SymbolTable table, String name) {
        return answer(table, index -> index.findFamily(SymbolPattern.of(name))).stream()
                .map(Symbol::versionedName)
                .toList();
    }

    private static List<String> at(SymbolTable table, long address) {
        return answer(table, index -> index.at(address)).stream()
                .map(found -> found.symbol().versionedName() + "+" + found.offset())
                .toList();
    }

    @Test
    void otherNamesOfAVariableAreThoseAtItsAddress() {
        SymbolTable table = table(
                symbol("_rtld_global", 64, 4336, SymbolType.OBJECT, SymbolBinding.GLOBAL),
                symbol("_rtld_local", 64, 4336, SymbolType.OBJECT, SymbolBinding.LOCAL),
                symbol("_rtld_local", 64, 0, SymbolType.OBJECT, SymbolBinding.LOCAL),
                symbol("code_there", 64, 8, SymbolType.FUNC, SymbolBinding.LOCAL),
                symbol("next", 65, 8, SymbolType.OBJECT, SymbolBinding.LOCAL));

        assertThat(aliases(table, "_rtld_local")).containsExactly("_rtld_global");
        assertThat(aliases(table, "_rtld_global")).containsExactly("_rtld_local");
        assertThat(aliases(table, "next")).isEmpty();
        assertThat(aliases(table, "code_there")).isEmpty();
        assertThat(aliases(table, "nobody")).isEmpty();
    }

    @Test
    void variablesOfTwoSectionsOfARelocatableFileAreNotAliases() {
        SymbolSection data = new SymbolSection(SymbolSection.Kind.IN_SECTION, 2, ".data", 0);
        SymbolSection bss = new SymbolSection(SymbolSection.Kind.IN_SECTION, 3, ".bss", 0);
        SymbolTable table = SymbolTable.of(
                List.of(List.of(
                        variableIn(data, "first"), variableIn(data, "first_alias"), variableIn(bss, "elsewhere"))),
                ValueRule.SECTION_OFFSET,
                null,
                List.of());

        assertThat(aliases(table, "first")).containsExactly("first_alias");
        assertThat(aliases(table, "elsewhere")).isEmpty();
    }

    private static Symbol variableIn(SymbolSection section, String name) {
        return new Symbol(
                name, null, 0, 8, SymbolType.OBJECT, SymbolBinding.GLOBAL, SymbolVisibility.DEFAULT, section, SYMTAB);
    }

    @Test
    void versionsOfOneNameAreTwoSymbols() {
        Symbol old = versioned("memcpy", "GLIBC_2.2.5", false, 16);
        Symbol now = versioned("memcpy", "GLIBC_2.14", true, 32);
        SymbolTable table = table(old, now);

        assertThat(named(table, "memcpy")).containsExactly(old, now);
        assertThat(named(table, "memcpy@GLIBC_2.2.5")).containsExactly(old);
        assertThat(named(table, "memcpy@@GLIBC_2.2.5")).isEmpty();
        assertThat(named(table, "memcpy@@GLIBC_2.14")).containsExactly(now);
        assertThat(named(table, "memcpy@GLIBC_2.1")).isEmpty();
        assertThat(named(table, "mem*@GLIBC_2.1[0-9]")).containsExactly(now);
        assertThat(named(table, "memcpy@*")).containsExactly(old, now);
    }

    @Test
    void versionIsFoundAsAnImporterWritesIt() {
        Symbol now = versioned("memcpy", "GLIBC_2.14", true, 32);

        assertThat(named(table(now), "memcpy@GLIBC_2.14")).containsExactly(now);
    }

    @Test
    void nameMayHoldWhatBeginsAVersionElsewhere() {
        Symbol file = symbol("a@b.c", 0, 0, SymbolType.FILE, SymbolBinding.LOCAL);

        assertThat(named(table(file), "a@b.c")).containsExactly(file);
        assertThat(named(table(file), "a\\@b.c")).containsExactly(file);
        assertThat(named(table(file), "a@b.*")).containsExactly(file);
        assertThat(named(table(file), "a")).isEmpty();
    }

    @Test
    void aliasesAnswerInTheOrderOfPreference() {
        SymbolTable table = table(
                function("local", 16, 8, SymbolBinding.LOCAL),
                function("weak", 16, 8, SymbolBinding.WEAK),
                function("a_label", 16, 0, SymbolBinding.GLOBAL),
                function("global_long", 16, 8, SymbolBinding.GLOBAL),
                function("global", 16, 8, SymbolBinding.GLOBAL));

        assertThat(at(table, 16)).containsExactly("global+0", "global_long+0", "a_label+0", "weak+0", "local+0");
        assertThat(at(table, 23)).containsExactly("global+7", "global_long+7", "weak+7", "local+7");
        assertThat(at(table, 24)).isEmpty();
        assertThat(at(table, 15)).isEmpty();
    }

    @Test
    void innermostOfNestedSymbolsAnswersAndLabelsFollow() {
        SymbolTable table = table(
                function("outer", 0x100, 0x100, SymbolBinding.GLOBAL),
                function("inner", 0x120, 0x10, SymbolBinding.LOCAL),
                symbol("label", 0x150, 0, SymbolType.NOTYPE, SymbolBinding.LOCAL));

        assertThat(at(table, 0x12f)).containsExactly("inner+15");
        assertThat(at(table, 0x130)).containsExactly("outer+48");
        assertThat(at(table, 0x150)).containsExactly("outer+80", "label+0");
        assertThat(at(table, 0x151)).containsExactly("outer+81");
        assertThat(at(table, 0x200)).isEmpty();
    }

    @Test
    void symbolWithoutSizeReachesToTheNextSymbolOrTheEndOfItsSection() {
        SymbolTable table = table(
                function("sized", 0x100, 0x10, SymbolBinding.GLOBAL),
                function("assembly", 0x120, 0, SymbolBinding.GLOBAL),
                symbol("assembly_alias", 0x120, 0, SymbolType.NOTYPE, SymbolBinding.LOCAL),
                function("next", 0x200, 8, SymbolBinding.LOCAL),
                symbol("last", 0xff0, 0, SymbolType.NOTYPE, SymbolBinding.LOCAL));

        assertThat(at(table, 0x11f)).as("behind a known end").isEmpty();
        assertThat(at(table, 0x1ff)).containsExactly("assembly+223", "assembly_alias+223");
        assertThat(at(table, 0x208)).isEmpty();
        assertThat(at(table, 0xfff)).containsExactly("last+15");
        assertThat(at(table, 0x1000)).isEmpty();
    }

    @Test
    void symbolWithoutSizeEndsWhereTheOneAroundItDoes() {
        SymbolTable table = table(
                function("outer", 0x100, 0x100, SymbolBinding.GLOBAL),
                symbol("label", 0x180, 0, SymbolType.NOTYPE, SymbolBinding.LOCAL));

        assertThat(at(table, 0x1ff)).containsExactly("outer+255");
        assertThat(at(table, 0x200)).isEmpty();
    }

    @Test
    void everyAddressIsAnsweredAsBySearchingAllSymbols() {
        Random random = new Random(20_261_121);
        for (int round = 0; round < 200; round++) {
            List<Symbol> symbols = new ArrayList<>();
            for (int i = 0; i < random.nextInt(1, 20); i++) {
                symbols.add(function("f" + i, random.nextInt(64), random.nextInt(1, 24), SymbolBinding.GLOBAL));
            }
            StoredSymbols stored = StoredSymbols.of(table(symbols.toArray(Symbol[]::new)));
            for (long address = 0; address < 100; address++) {
                long wanted = address;
                OptionalLong innermost = symbols.stream()
                        .filter(symbol -> symbol.value() <= wanted && wanted < symbol.value() + symbol.size())
                        .mapToLong(Symbol::value)
                        .max();
                List<Symbol> expected = symbols.stream()
                        .filter(symbol -> innermost.isPresent()
                                && symbol.value() == innermost.getAsLong()
                                && wanted < symbol.value() + symbol.size())
                        .toList();

                assertThat(stored.at(address))
                        .extracting(SymbolAt::symbol)
                        .containsExactlyInAnyOrderElementsOf(expected);
            }
        }
    }

    /** So many that they lie in several blocks, some names and some addresses across the ends of blocks. */
    @Test
    void blocksAnswerAsOneTable() {
        Random random = new Random(20_261_122);
        List<Symbol> symbols = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String name = i % 5 == 0 ? "same" : "name_" + random.nextInt(10_000);
            long size = random.nextInt(40) == 0 ? random.nextInt(20_000) : random.nextInt(20);
            symbols.add(symbol(
                    name,
                    random.nextInt(3) == 0 ? 4_000 : random.nextInt(100_000),
                    size,
                    random.nextBoolean() ? SymbolType.FUNC : SymbolType.OBJECT,
                    SymbolBinding.LOCAL));
        }
        StoredSymbols stored = StoredSymbols.of(SymbolsWriter.encode(table(symbols.toArray(Symbol[]::new))));

        assertThat(stored.count()).isEqualTo(20_000);
        for (int i = 0; i < 300; i++) {
            long address = random.nextInt(-10, 120_010);
            List<Symbol> owners = ownersOf(address, symbols);
            if (!owners.isEmpty()) {
                assertThat(stored.at(address)).extracting(SymbolAt::symbol).containsExactlyInAnyOrderElementsOf(owners);
            }
            String name = "name_" + random.nextInt(10_000);
            assertThat(stored.find(SymbolPattern.of(name))).isEqualTo(startingWith(name, true, symbols));
            String start = name.substring(0, 6);
            assertThat(stored.find(SymbolPattern.of(start + "*"))).isEqualTo(startingWith(start, false, symbols));
        }
        assertThat(stored.at(4_000)).hasSizeGreaterThan(5_000).hasSameSizeAs(ownersOf(4_000, symbols));
        assertThat(stored.find(SymbolPattern.of("same"))).hasSize(4_000).isEqualTo(startingWith("same", true, symbols));
        assertThat(stored.find(SymbolPattern.of("*"))).isEqualTo(startingWith("", false, symbols));
        Set<Long> places = startingWith("same", true, symbols).stream()
                .filter(symbol -> symbol.type() == SymbolType.OBJECT)
                .map(Symbol::value)
                .collect(Collectors.toSet());
        assertThat(stored.aliasesOf("same", SearchBudget.unlimited()))
                .isEqualTo(symbols.stream()
                        .filter(symbol -> symbol.type() == SymbolType.OBJECT && places.contains(symbol.value()))
                        .map(Symbol::name)
                        .distinct()
                        .filter(name -> !name.equals("same"))
                        .toList());
    }

    /** The symbols that start at an address, and the innermost ones that contain it. */
    private static List<Symbol> ownersOf(long address, List<Symbol> symbols) {
        List<Symbol> containing = symbols.stream()
                .filter(symbol -> symbol.value() <= address && address < symbol.value() + symbol.size())
                .toList();
        long innermost = containing.stream().mapToLong(Symbol::value).max().orElse(address);
        return symbols.stream()
                .filter(symbol -> symbol.value() == address
                        || (symbol.value() == innermost && address < innermost + symbol.size()))
                .toList();
    }

    private static List<Symbol> startingWith(String start, boolean whole, List<Symbol> symbols) {
        return symbols.stream()
                .filter(symbol ->
                        whole ? symbol.name().equals(start) : symbol.name().startsWith(start))
                .sorted(Comparator.comparing(Symbol::name))
                .toList();
    }

    @Test
    void whatIsOverTheLimitIsCountedAndNotListed() {
        SymbolTable table = table(
                function("a", 16, 8, SymbolBinding.GLOBAL),
                function("alias_of_a", 16, 8, SymbolBinding.GLOBAL),
                function("alias", 16, 2, SymbolBinding.LOCAL),
                versioned("alias", "V1", true, 64));

        Matches<Symbol> named = answer(table, index -> index.find(SymbolPattern.of("al*"), false, 2, budget(100)));
        assertThat(named.first()).extracting(Symbol::value).containsExactly(16L, 64L);
        assertThat(named.total()).isEqualTo(3);
        assertThat(named.isTruncated()).isTrue();
        Matches<Symbol> ofVersion =
                answer(table, index -> index.find(SymbolPattern.of("alias@V1"), false, 0, budget(100)));
        assertThat(ofVersion).isEqualTo(new Matches<>(List.of(), 1));
        Matches<SymbolAt> at = answer(table, index -> index.at(16, 1, budget(100)));
        assertThat(at.first()).extracting(found -> found.symbol().name()).containsExactly("a");
        assertThat(at.total()).isEqualTo(3);
        Matches<SymbolAt> inside = answer(table, index -> index.at(20, 1, budget(100)));
        assertThat(inside.total()).isEqualTo(2);
        assertThat(answer(table, index -> index.at(20, 2, budget(100))).isTruncated())
                .isFalse();
    }

    @Test
    void searchesOfOneQueryShareItsBudget() {
        List<Symbol> symbols = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            symbols.add(symbol("name_" + i, 16, 8, SymbolType.OBJECT, SymbolBinding.LOCAL));
        }
        StoredSymbols stored = StoredSymbols.of(table(symbols.toArray(Symbol[]::new)));
        SearchBudget patterns = budget(150);
        find(stored, "*_1", patterns);
        find(stored, "*_2", patterns);
        assertThat(patterns.isExceeded()).isFalse();
        find(stored, "*_3", patterns);
        assertThat(patterns.isExceeded()).isTrue();
        SearchBudget address = budget(40);
        stored.at(17, 0, address);
        assertThat(address.isExceeded()).isTrue();
        SearchBudget aliases = budget(40);
        stored.aliasesOf("name_1", aliases);
        assertThat(aliases.isExceeded()).isTrue();
    }

    @Test
    void longNamesCostMore() {
        StoredSymbols table = StoredSymbols.of(table(function("x".repeat(64_000), 16, 8, SymbolBinding.GLOBAL)));
        SearchBudget tooFew = budget(1_000);
        find(table, "*y", tooFew);
        assertThat(tooFew.isExceeded()).isTrue();
        SearchBudget enough = budget(1_001);
        assertThat(find(table, "*y", enough).total()).isZero();
        assertThat(enough.isExceeded()).isFalse();
    }

    private static Matches<Symbol> find(StoredSymbols index, String pattern, SearchBudget budget) {
        return index.find(SymbolPattern.of(pattern), false, 10, budget);
    }

    private static SearchBudget budget(long steps) {
        return new SearchBudget(steps);
    }

    @Test
    void threadLocalSegmentIsStoredToo() {
        TlsSegment known = new TlsSegment(0x1000, 16L, 64, 8);
        TlsSegment ofDebugFile = new TlsSegment(0x1000, null, 64, 8);
        for (@Nullable TlsSegment tls : Arrays.asList(known, ofDebugFile, null)) {
            StoredSymbols stored = StoredSymbols.of(SymbolTable.of(List.of(), ValueRule.ADDRESS, tls, List.of()));

            assertThat(stored.tls()).isEqualTo(Optional.ofNullable(tls));
            assertThat(stored.count()).isZero();
            assertThat(stored.at(0)).isEmpty();
            assertThat(stored.find(SymbolPattern.of("*"))).isEmpty();
        }
    }

    @Test
    void equalSymbolsGiveEqualBytes() {
        Symbol now = versioned("memcpy", "GLIBC_2.14", true, 32);

        assertThat(SymbolsWriter.encode(table(now))).isEqualTo(SymbolsWriter.encode(table(now)));
    }

    @Test
    void relocationsThatAllLeadToOneVariableAreListedUpToALimit() {
        Symbol variable = symbol("current", 0, 8, SymbolType.TLS, SymbolBinding.GLOBAL);
        List<TlsRelocation> relocations = new ArrayList<>();
        for (int i = 0; i < 4_000; i++) {
            relocations.add(new TlsRelocation(TlsRelocation.Kind.MODULE, 0x1000 + 8L * i, 0));
        }
        TlsAccess tls = new TlsAccess("x86_64", new TlsSegment(0, null, 8, 8), false, relocations);
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(text)) {
            SymbolWriter.write(json, variable, new ProgramFacts(FileOffsets.of(List.of(), ValueRule.ADDRESS), tls));
        }
        assertThat(JsonMapper.shared().readTree(text.toString()).path("tlsRelocations"))
                .hasSize(32);
    }

    @Test
    void moreProgramHeadersThanAProgramHasAreCorrupt() {
        ProgramHeader header = new ProgramHeader(1, 5, 0x1000, 16, 1, 0L, 16L);
        byte[] blob = SymbolsWriter.encode(SymbolTable.of(
                List.of(List.of(function("f", 0x1000, 16, SymbolBinding.GLOBAL))),
                ValueRule.ADDRESS,
                null,
                Collections.nCopies(ProgramHeader.MOST + 1, header)));
        assertThatThrownBy(() -> StoredSymbols.of(blob)).isInstanceOf(CorruptBlobException.class);
    }

    @Test
    void kernelAddressesAreUnsigned() {
        SymbolTable table = table(
                function("high", 0xffff_ffff_8100_0000L, 16, SymbolBinding.GLOBAL),
                function("low", 16, 16, SymbolBinding.GLOBAL));

        assertThat(at(table, 0xffff_ffff_8100_000fL)).containsExactly("high+15");
        assertThat(at(table, 17)).containsExactly("low+1");
    }

    @Test
    void whatHasNoAddressAnswersNone() {
        SymbolTable table = table(
                symbol("errno", 16, 4, SymbolType.TLS, SymbolBinding.GLOBAL),
                symbol(".text", 16, 0, SymbolType.SECTION, SymbolBinding.LOCAL),
                symbol("$x.1", 16, 0, SymbolType.NOTYPE, SymbolBinding.LOCAL),
                symbol("$d", 16, 0, SymbolType.NOTYPE, SymbolBinding.LOCAL),
                symbol("$xrv64gc", 16, 0, SymbolType.NOTYPE, SymbolBinding.LOCAL),
                symbol("main.c", 16, 0, SymbolType.FILE, SymbolBinding.LOCAL),
                new Symbol(
                        "number",
                        null,
                        16,
                        4,
                        SymbolType.NOTYPE,
                        SymbolBinding.GLOBAL,
                        SymbolVisibility.DEFAULT,
                        SymbolSection.ABSOLUTE,
                        SYMTAB));

        assertThat(at(table, 16)).isEmpty();
    }

    @Test
    void familyIsWhatTheCompilerMadeOfAFunction() {
        SymbolTable table = table(
                function("f", 0, 1, SymbolBinding.GLOBAL),
                function("f.cold", 1, 1, SymbolBinding.LOCAL),
                function("f.constprop.0.isra.0", 2, 1, SymbolBinding.LOCAL),
                function("f.part.12", 3, 1, SymbolBinding.LOCAL),
                function("f.colder", 4, 1, SymbolBinding.LOCAL),
                function("f.1", 5, 1, SymbolBinding.LOCAL),
                function("f2.cold", 6, 1, SymbolBinding.LOCAL));

        assertThat(family(table, "f")).containsExactly("f", "f.cold", "f.constprop.0.isra.0", "f.part.12");
        assertThat(family(table, "f.constprop.0")).containsExactly("f.constprop.0.isra.0");
        assertThat(family(table, "f.constprop")).isEmpty();
        assertThat(family(table, "[f]")).containsExactly("f", "f.cold", "f.constprop.0.isra.0", "f.part.12");
        assertThat(named(table, "f")).hasSize(1);
    }

    @Test
    void familyOfAVersionHasThePiecesThatHaveNone() {
        SymbolTable table = table(
                versioned("f", "OLD", false, 16),
                versioned("f", "NEW", true, 32),
                function("f.cold", 64, 1, SymbolBinding.LOCAL));

        assertThat(family(table, "f@NEW")).containsExactly("f@@NEW", "f.cold");
    }

    @Test
    void patternFindsEveryNameThatMatches() {
        SymbolTable table = table(
                function("rb_b", 1, 1, SymbolBinding.GLOBAL),
                function("rb_a", 2, 1, SymbolBinding.GLOBAL),
                function("rx", 3, 1, SymbolBinding.GLOBAL),
                function("_Unwind_x86_64_step", 4, 1, SymbolBinding.GLOBAL),
                function("_ux86_64_step", 5, 1, SymbolBinding.GLOBAL));

        assertThat(named(table, "rb_*")).extracting(Symbol::name).containsExactly("rb_a", "rb_b");
        assertThat(named(table, "_U*x86_64_step")).extracting(Symbol::name).containsExactly("_Unwind_x86_64_step");
    }

    @Test
    void symbolsOfTheDebugFileAreThereOnceAndSaySo() {
        Symbol exported = versioned("exported", "V", true, 16);
        Symbol unversioned = function("exported", 16, 16, SymbolBinding.GLOBAL);
        Symbol local = function("local", 64, 8, SymbolBinding.LOCAL);

        SymbolTable both = table(exported).withDebugFile(table(local, unversioned));

        SymbolSource inFile = new SymbolSource(SymbolSource.Table.SYMTAB, false);
        SymbolSource inDebugFile = new SymbolSource(SymbolSource.Table.SYMTAB, true);
        assertThat(both.symbols()).extracting(Symbol::versionedName).containsExactly("exported@@V", "local");
        assertThat(both.symbols())
                .extracting(Symbol::sources)
                .containsExactly(List.of(inFile, inDebugFile), List.of(inDebugFile));
    }

    @Test
    void symbolsOfAFileWithoutSectionHeadersAreThoseOfItsDebugFile() {
        SymbolSection text = new SymbolSection(SymbolSection.Kind.IN_SECTION, 12, ".text", 0x2000);
        SymbolSection segment =
                new SymbolSection(SymbolSection.Kind.IN_SECTION, 12, SymbolSection.UNKNOWN_NAME, 0x3000);
        SymbolSection nowhere = new SymbolSection(SymbolSection.Kind.OTHER, 20, SymbolSection.UNKNOWN_NAME, 0);
        Symbol function = function("exported", 16, 16, SymbolBinding.GLOBAL);
        Symbol end = function("_end", 0x3000, 0, SymbolBinding.GLOBAL);
        Symbol imported = function("imported", 0, 0, SymbolBinding.GLOBAL).in(SymbolSection.UNDEFINED);

        SymbolTable both = table(function.in(segment), end.in(nowhere), imported)
                .withDebugFile(table(function.in(text), end.in(text), imported));

        assertThat(both.symbols()).extracting(Symbol::name).containsExactly("exported", "_end", "imported");
        assertThat(both.symbols()).extracting(Symbol::section).containsExactly(text, text, SymbolSection.UNDEFINED);
    }

    @Test
    void functionOfWhichTheDescriptorAloneIsKnownIsTheSameAndHasNoAddress() {
        SymbolSection opd = new SymbolSection(SymbolSection.Kind.IN_SECTION, 20, ".opd", 0x5000);
        Symbol inDebugFile = withDescriptor("f", 0x4000, 0x4000).in(opd);
        Symbol local = withDescriptor("local", 0x4018, 0x4018).in(opd);
        SymbolTable debugFile = table(inDebugFile, local);
        SymbolTable both = table(withDescriptor("f", 16, 0x4000)).withDebugFile(debugFile);

        List<SymbolAt> none = answer(debugFile, index -> index.at(0x4000));
        List<SymbolAt> code = answer(both, index -> index.at(16));

        assertThat(none).isEmpty();
        assertThat(code).extracting(found -> found.symbol().name()).containsExactly("f");
        assertThat(both.symbols())
                .extracting(Symbol::name, Symbol::value)
                .containsExactly(tuple("f", 16L), tuple("local", 0x4018L));
    }

    private static Symbol withDescriptor(String name, long value, long descriptor) {
        Symbol plain = function(name, value, 16, SymbolBinding.GLOBAL);
        return new Symbol(
                name,
                null,
                value,
                16,
                plain.type(),
                plain.binding(),
                plain.visibility(),
                plain.section(),
                plain.sources(),
                descriptor,
                null);
    }

    @ParameterizedTest
    @CsvSource({
        "*,'',true",
        "a*c,abc,true",
        "a*c,ac,true",
        "a*c,acd,false",
        "a?c,abc,true",
        "a?c,ac,false",
        "[a-c]x,bx,true",
        "[a-c]x,dx,false",
        "[!a-c]x,dx,true",
        "[!a-c]x,ax,false",
        "[]]x,]x,true",
        "[abc,[abc,true",
        "a[b-]c,a-c,true",
        "*_*_*,a_b_c,true",
        "*_*_*,a_b,false",
        "a.b,axb,false",
        "A*,abc,false",
        "**a**,bab,true",
        "a*b*,ab,true",
        "\\*a,*a,true",
        "\\*a,xa,false",
        "?,\uD83D\uDE00,true",
        "[\u00e0-\u00ff]x,\u00e9x,true"
    })
    void patternsAreThoseOfTheShell(String pattern, String name, boolean matches) {
        assertThat(NamePattern.of(pattern).matches(name, SearchBudget.unlimited()))
                .isEqualTo(matches);
    }

    @Test
    @ChecklistRow(39)
    void comparisonsBeyondOneForEachCharacterArePaidFor() {
        String name = "a".repeat(64_000);
        assertThat(steps("a*".repeat(40) + "b", name)).isLessThan(100);
        assertThat(steps("*" + "a".repeat(999) + "b", name)).isBetween(980_000L, 1_000_000L);
        // Each range of a bracket is a comparison.
        assertThat(steps("*" + "[b-cd-ef-g]".repeat(60) + "b", name)).isBetween(2_900L, 3_100L);
    }

    @Test
    @ChecklistRow(39)
    void matchEndsWithItsBudget() {
        SearchBudget budget = budget(1_000);
        assertThat(NamePattern.of("*" + "a".repeat(999) + "b").matches("a".repeat(1_000_000), budget))
                .isFalse();
        assertThat(budget.isExceeded()).isTrue();
    }

    @Test
    @ChecklistRow(39)
    void namesShorterThanThePatternCostNoMoreThanTheyAreLong() {
        assertThat(steps("*" + "a".repeat(1_000) + "b", "a".repeat(60))).isLessThan(60);
    }

    /** Steps that a match takes which comes to nothing. */
    private static long steps(String pattern, String name) {
        long enough = 4_000_000;
        long tooFew = -1;
        NamePattern compiled = NamePattern.of(pattern);
        while (enough - tooFew > 1) {
            SearchBudget budget = budget((enough + tooFew) / 2);
            assertThat(compiled.matches(name, budget)).isFalse();
            if (budget.isExceeded()) {
                tooFew = (enough + tooFew) / 2;
            } else {
                enough = (enough + tooFew) / 2;
            }
        }
        return enough;
    }

    @Test
    @ChecklistRow(39)
    void longVersionsArePaidFor() {
        Symbol symbol = new Symbol(
                "f",
                new SymbolVersion("v".repeat(64_000), true),
                16,
                8,
                SymbolType.FUNC,
                SymbolBinding.GLOBAL,
                SymbolVisibility.DEFAULT,
                SymbolSection.ABSOLUTE,
                List.of());
        SearchBudget tooFew = budget(1_001);
        StoredSymbols stored = StoredSymbols.of(table(symbol));
        find(stored, "f@*x", tooFew);
        assertThat(tooFew.isExceeded()).isTrue();
        SearchBudget enough = budget(1_100);
        assertThat(find(stored, "f@*x", enough).total()).isZero();
        assertThat(enough.isExceeded()).isFalse();
    }

    /** Compared text by text, these would take hours. */
    @Test
    void longTextsThatManySymbolsShareAreComparedOnce() {
        String text = "n".repeat(200_000);
        String end = "x".repeat(200_000);
        List<String> names = List.of(text + end, text + end, text + "y");
        SymbolVersion version = new SymbolVersion(text, true);
        List<Symbol> symbols = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            symbols.add(function(names.get(i % 3), 16, 8, SymbolBinding.GLOBAL).with(version, SYMTAB));
        }
        SymbolTable table = table(symbols.toArray(Symbol[]::new)).withDebugFile(table(symbols.toArray(Symbol[]::new)));

        assertThat(named(table, text + "y")).hasSize(10_000);
        assertThat(named(table, text + end + "@" + text)).hasSize(20_000);
        assertThat(named(table, "n*@n*n")).hasSize(30_000);
        List<SymbolAt> there = answer(table, index -> index.at(20));
        assertThat(there).hasSize(30_000);
    }

    @Test
    void onlyPatternsAreLimitedInLength() {
        String longName = "n".repeat(5_000);
        Symbol symbol = function(longName, 1, 1, SymbolBinding.GLOBAL);

        assertThat(named(table(symbol), longName)).containsExactly(symbol);
        assertThatThrownBy(() -> SymbolPattern.of(longName + "*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pattern of 5001 characters; expected 1024 or fewer");
    }
}
