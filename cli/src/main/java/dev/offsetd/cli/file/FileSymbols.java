package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.SymbolSource;
import dev.offsetd.query.symbol.SymbolTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Symbols of a file and of its debug file.
 *
 * @param debugFile empty if it is not needed or not installed
 */
record FileSymbols(Path file, Optional<Path> debugFile, ElfFacts elf, SymbolTable table) {

    /** Reads the file, and its debug file if the file has no {@code .symtab}, which is reported to the user. */
    static FileSymbols read(Path file, OffsetExtractor extractor, DebugFileFinder files, Console console)
            throws CommandFailure {
        console.progress("reading " + file);
        SymbolReport own = files.read(file, () -> extractor.symbols(file));
        FileSymbols symbols = own.tables().stream().flatMap(List::stream).anyMatch(FileSymbols::isOfSymtab)
                ? new FileSymbols(file, Optional.empty(), own.elf(), SymbolTable.of(own))
                : readWithDebugFile(file, own, extractor, files, console);
        console.clearProgress();
        return symbols;
    }

    private static boolean isOfSymtab(Symbol symbol) {
        return symbol.sources().stream().anyMatch(source -> source.table() == SymbolSource.Table.SYMTAB);
    }

    private static FileSymbols readWithDebugFile(
            Path file, SymbolReport own, OffsetExtractor extractor, DebugFileFinder files, Console console)
            throws CommandFailure {
        Optional<Path> debugFile = files.debugFileOf(file, own.elf());
        if (debugFile.isEmpty()) {
            console.say(file + " has no .symtab, and no debug file is installed; local symbols may be missing");
            return new FileSymbols(file, debugFile, own.elf(), SymbolTable.of(own));
        }
        console.say(file + " has no .symtab; reading its debug file " + debugFile.get() + " too");
        SymbolReport other = files.read(debugFile.get(), () -> extractor.symbols(debugFile.get()));
        return new FileSymbols(file, debugFile, own.elf(), SymbolTable.of(own).withDebugFile(SymbolTable.of(other)));
    }
}
