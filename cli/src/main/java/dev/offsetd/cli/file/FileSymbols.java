package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Symbols of a file and of its debug file.
 *
 * @param debugFile null if it is not needed or not installed
 * @param incomplete whether symbols or a symbol table of one of them were left out
 * @param tls ways to the thread-local variables of the file; null if it does not have them
 */
public record FileSymbols(
        Path file,
        @Nullable Path debugFile,
        ElfFacts elf,
        SymbolTable table,
        boolean incomplete,
        @Nullable TlsAccess tls) {

    /** Reads the file, and its debug file if the file has no {@code .symtab}, which is reported to the user. */
    public static FileSymbols read(Path file, DebugFileFinder files, Console console) throws CommandFailure {
        console.progress("reading " + file);
        SymbolReport own = files.symbols(file);
        TlsAccess tls = own.tls() == null
                ? null
                : files.readFile(file, DebugInfo::tlsAccess).orElse(null);
        FileSymbols symbols = new FileSymbols(
                file, null, own.elf(), SymbolTable.of(own), Omission.areOfSymbols(own.omissions()), tls);
        if (!hasSymtab(own) && !own.elf().isRawBtf()) {
            String reason = own.omissions().isEmpty() ? " has no .symtab" : " has no readable .symtab";
            symbols = symbols.withDebugFile(files, console, reason);
        }
        console.clearProgress();
        return symbols;
    }

    static boolean hasSymtab(SymbolReport report) {
        return report.tables().stream()
                .flatMap(List::stream)
                .flatMap(symbol -> symbol.sources().stream())
                .anyMatch(source -> source.table() == SymbolSource.Table.SYMTAB);
    }

    /** Returns what the file of the program states of its symbols. */
    ProgramFacts program() {
        return new ProgramFacts(table.fileOffsets(), tls);
    }

    /** Returns a search in these symbols. */
    SymbolSearch search() {
        StoredSymbols stored = StoredSymbols.of(table);
        return new SymbolSearch(stored, stored.tls().orElse(null), SearchBudget.unlimited(), program(), incomplete);
    }

    private FileSymbols withDebugFile(DebugFileFinder files, Console console, String reason) throws CommandFailure {
        Optional<Path> found = files.debugFileOf(file, elf);
        if (found.isEmpty()) {
            console.say(file + reason + ", and no debug file is installed; local symbols may be missing");
            return this;
        }
        Path other = found.get();
        console.say(file + reason + "; reading its debug file " + other + " too");
        SymbolReport report = files.symbols(other);
        SymbolTable others = SymbolTable.of(files.readFile(file, program -> program.withCode(report)));
        boolean lacksTable = incomplete || Omission.areOfSymbols(report.omissions());
        return new FileSymbols(file, other, elf, table.withDebugFile(others), lacksTable, tls);
    }
}
