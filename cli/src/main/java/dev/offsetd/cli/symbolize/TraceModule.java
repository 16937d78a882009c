package dev.offsetd.cli.symbolize;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.file.FileSymbols;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A program or library in traces.
 *
 * @param id null if it has none
 */
record TraceModule(@Nullable BuildId id, FrameTable frames, StoredSymbols symbols) {

    /** Processes have files at multiples of a page, and no page is smaller: these bits of an address are those in the file. */
    private static final long IN_PAGE = 0xfff;

    static TraceModule read(Path file, DebugFileFinder files, Console console) throws CommandFailure {
        FrameTable frames = files.frames(file, DebugInfo::allFrames);
        FileSymbols symbols = FileSymbols.read(file, files, console);
        return new TraceModule(symbols.elf().buildId(), frames, StoredSymbols.of(symbols.table()));
    }

    FileOffsets offsets() {
        return symbols.fileOffsets();
    }

    /**
     * Returns the address at a distance from a symbol. Several symbols may have a name, as static functions of two sources do; then
     * the address in the process tells which of them it is.
     *
     * @return null if the file lacks the symbol, or more than one may be meant
     */
    @Nullable
    Long addressOf(TraceLine.OfSymbol stated) {
        List<Long> places = named(stated.symbol()).stream()
                .map(symbol -> symbols.values().addressOf(symbol) + stated.distance())
                .distinct()
                .toList();
        if (places.size() > 1 && stated.loaded() != null) {
            long loaded = stated.loaded();
            places = places.stream()
                    .filter(place -> ((place ^ loaded) & IN_PAGE) == 0)
                    .toList();
        }
        return places.size() == 1 ? places.getFirst() : null;
    }

    /** Returns the symbols of this name, which may end in a version. */
    private List<Symbol> named(String name) {
        List<Symbol> found = places(name);
        int version = name.indexOf('@', 1);
        return found.isEmpty() && version > 0
                ? places(name.substring(0, version)).stream()
                        .filter(symbol -> symbol.versionedName().equals(name))
                        .toList()
                : found;
    }

    private List<Symbol> places(String name) {
        return symbols.find(SymbolPattern.ofName(name)).stream()
                .filter(Symbol::isPlace)
                .toList();
    }
}
