package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.query.symbol.SymbolTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Symbols of a file and of its debug file.
 *
 * @param debugFile null if it is not needed or not installed
 */
record FileSymbols(Path file, @Nullable Path debugFile, ElfFacts elf, SymbolTable table) {

    /** Reads the file, and its debug file if the file has no {@code .symtab}, which is reported to the user. */
    static FileSymbols read(Path file, DebugFileFinder files, Console console) throws CommandFailure {
        console.progress("reading " + file);
        SymbolReport own = files.readFile(file, DebugInfo::symbolTables);
        FileSymbols symbols = hasSymtab(own)
                ? new FileSymbols(file, null, own.elf(), SymbolTable.of(own))
                : readWithDebugFile(file, own, files, console);
        console.clearProgress();
        return symbols;
    }

    static boolean hasSymtab(SymbolReport report) {
        return report.tables().stream()
                .flatMap(List::stream)
                .flatMap(symbol -> symbol.sources().stream())
                .anyMatch(source -> source.table() == SymbolSource.Table.SYMTAB);
    }

    private static FileSymbols readWithDebugFile(Path file, SymbolReport own, DebugFileFinder files, Console console)
            throws CommandFailure {
        Optional<Path> found = files.debugFileOf(file, own.elf());
        if (found.isEmpty()) {
            console.say(file + " has no .symtab, and no debug file is installed; local symbols may be missing");
            return new FileSymbols(file, null, own.elf(), SymbolTable.of(own));
        }
        Path debugFile = found.get();
        console.say(file + " has no .symtab; reading its debug file " + debugFile + " too");
        SymbolReport other = files.readFile(debugFile, DebugInfo::symbolTables);
        return new FileSymbols(file, debugFile, own.elf(), SymbolTable.of(own).withDebugFile(SymbolTable.of(other)));
    }
}
