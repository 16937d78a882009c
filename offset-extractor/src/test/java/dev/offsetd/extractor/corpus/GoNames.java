package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.GoFunction;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.testkit.GoCompiler;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Functions of Go programs without {@code .symtab}, compared with the table that the program had before it was stripped, and with
 * those that Go's {@code debug/gosym} finds.
 */
public final class GoNames {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private GoNames() {}

    /** Returns the functions that the reader finds in {@code .gopclntab}; none if it takes another table. */
    public static List<Symbol> functions(Path stripped) throws IOException, ExtractionException {
        return symbols(stripped).stream()
                .filter(symbol -> isFrom(symbol, SymbolSource.Table.GOPCLNTAB))
                .toList();
    }

    private static List<Symbol> symbols(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::symbols).toList();
    }

    private static boolean isFrom(Symbol symbol, SymbolSource.Table table) {
        return symbol.sources().getFirst().table() == table;
    }

    /** Returns a name as both tables have it: the line table has no type arguments, and no mark of the calling convention. */
    private static String common(String name) {
        return name.replaceAll("\\.abi(0|internal)$", "").replaceAll("\\[.*]", "[...]");
    }

    /** Compares name, entry, end, section and calling convention of each function with the table of the same program. */
    public static SecondOpinion.Result comparedWithSymtab(Path program) throws IOException, ExtractionException {
        Map<Long, List<Symbol>> before = new HashMap<>();
        for (Symbol symbol : symbols(program)) {
            if (isFrom(symbol, SymbolSource.Table.SYMTAB) && symbol.isPlace()) {
                before.computeIfAbsent(symbol.value(), _ -> new ArrayList<>()).add(symbol);
            }
        }
        List<Symbol> found;
        Path stripped = Files.createTempFile("stripped", ".elf");
        try {
            RequiredTool.require("eu-strip").output("-o", stripped, program);
            found = functions(stripped);
        } finally {
            Files.delete(stripped);
        }
        List<String> differences = new ArrayList<>();
        Set<Long> starts = new HashSet<>();
        for (Symbol function : found) {
            starts.add(function.value());
            List<Symbol> there = before.getOrDefault(function.value(), List.of());
            if (there.stream().noneMatch(symbol -> agrees(function, symbol)) || !isOfItsAbi(function, there)) {
                differences.add("  only in .gopclntab: " + function + ", .symtab has " + there);
            }
        }
        before.values().stream()
                .flatMap(List::stream)
                .filter(symbol -> isOfGo(symbol) && !starts.contains(symbol.value()))
                .forEach(symbol -> differences.add("  only in .symtab: " + symbol));
        return new SecondOpinion.Result("functions of Go, .symtab", found.size(), differences);
    }

    private static boolean agrees(Symbol function, Symbol symbol) {
        return common(symbol.name()).equals(common(function.name()))
                && function.size() >= symbol.size()
                && function.section().equals(symbol.section());
    }

    private static boolean isOfItsAbi(Symbol function, List<Symbol> there) {
        GoFunction.Abi abi = Objects.requireNonNull(function.go()).abi();
        boolean marked = there.stream().anyMatch(symbol -> symbol.name().endsWith(".abi0"));
        return abi == null || abi == (marked ? GoFunction.Abi.ABI0 : GoFunction.Abi.INTERNAL);
    }

    /** Returns whether a symbol is a function that a Go compiler has made; those of C have no dot in their names. */
    private static boolean isOfGo(Symbol symbol) {
        return symbol.type() == SymbolType.FUNC
                && symbol.size() > 0
                && symbol.name().contains(".")
                && !symbol.name().endsWith(".cold")
                && symbol.section().name().equals(".text");
    }

    /** Builds the program that prints what {@code debug/gosym} finds; a compiler knows the tables of its version and of earlier ones. */
    public static RequiredTool gosym(GoCompiler compiler, Path folder) throws IOException {
        GoCompiler.writeModule(folder, "gosym.go");
        return RequiredTool.at(compiler.build(folder, "CGO_ENABLED=0"));
    }

    /**
     * Compares name and entry of each function with those that {@code debug/gosym} finds. Its ends are the entries of the next
     * functions, behind the padding.
     *
     * @param gosym the program that prints them
     */
    public static SecondOpinion.Result comparedWithGosym(Path program, RequiredTool gosym)
            throws IOException, ExtractionException {
        List<Symbol> found = functions(program);
        Map<String, Long> ends = new HashMap<>();
        gosym.output(program).lines().forEach(line -> {
            String[] words = line.split(" ", 3);
            ends.put(words[0] + " " + words[2].replace('·', '.'), Long.parseUnsignedLong(words[1], 16));
        });
        List<String> differences = new ArrayList<>();
        for (Symbol function : found) {
            String key = Long.toHexString(function.value()) + " " + function.name();
            Long end = ends.remove(key);
            if (end == null || Long.compareUnsigned(function.value() + function.size(), end) > 0) {
                differences.add("  only ours: " + function + "; debug/gosym has the end " + end);
            }
        }
        ends.forEach((key, end) -> differences.add("  only in debug/gosym: " + key + " to " + Long.toHexString(end)));
        return new SecondOpinion.Result("functions of Go, debug/gosym", found.size(), differences);
    }
}
