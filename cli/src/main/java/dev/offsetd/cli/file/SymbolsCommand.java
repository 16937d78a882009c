package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.SymbolSource;
import dev.offsetd.extractor.layout.TlsSegment;
import dev.offsetd.query.answer.SymbolWriter;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.store.StoredSymbols;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.query.symbol.SymbolPattern;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.core.JsonGenerator;

/** {@code symbols FILE}: the symbols of a file and of its debug file, by name or by address. */
public final class SymbolsCommand {

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public SymbolsCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /** Prints every symbol, one per line, in the order of the tables. */
    public int runForAll(Path file, boolean asJson) throws CommandFailure, IOException {
        FileSymbols reading = read(file);
        if (asJson) {
            JsonOutput.print(console, json -> {
                writeStart(json, reading);
                json.writeArrayPropertyStart("symbols");
                reading.table().symbols().forEach(symbol -> SymbolWriter.write(json, symbol));
                json.writeEndArray();
                json.writeEndObject();
            });
        } else {
            print(reading, reading.table().symbols());
        }
        return ExitCode.OK;
    }

    /**
     * Prints the symbols of these names, one per line.
     *
     * @param patterns by the text of the user
     * @param family whether to include the parts that the compiler split off these functions
     */
    public int runForNames(Path file, Map<String, SymbolPattern> patterns, boolean family, boolean asJson)
            throws CommandFailure, IOException {
        FileSymbols reading = read(file);
        Map<String, List<Symbol>> found = new LinkedHashMap<>();
        StoredSymbols stored = StoredSymbols.of(reading.table());
        patterns.forEach(
                (name, pattern) -> found.put(name, family ? stored.findFamily(pattern) : stored.find(pattern)));
        Map<String, List<String>> suggestions = new LinkedHashMap<>();
        found.forEach((name, symbols) -> {
            if (symbols.isEmpty()) {
                List<String> similar = Suggestions.similar(name, names(reading));
                suggestions.put(name, similar);
                console.say("no symbol " + HostileText.quote(name)
                        + (similar.isEmpty() ? "" : "; " + Suggestions.sentence(similar)));
            }
        });
        boolean allFound = suggestions.isEmpty();
        if (asJson) {
            JsonOutput.print(console, json -> {
                writeStart(json, reading);
                json.writeBooleanProperty("complete", allFound);
                json.writeArrayPropertyStart("names");
                found.forEach((name, symbols) -> {
                    json.writeStartObject();
                    json.writeStringProperty("name", name);
                    json.writeArrayPropertyStart("symbols");
                    symbols.forEach(symbol -> SymbolWriter.write(json, symbol));
                    json.writeEndArray();
                    writeSuggestions(json, suggestions.getOrDefault(name, List.of()));
                    json.writeEndObject();
                });
                json.writeEndArray();
                json.writeEndObject();
            });
        } else {
            for (List<Symbol> symbols : found.values()) {
                print(reading, symbols);
            }
        }
        return allFound ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private static Set<String> names(FileSymbols reading) {
        return reading.table().symbols().stream().map(Symbol::name).collect(Collectors.toSet());
    }

    private static void writeSuggestions(JsonGenerator json, List<String> suggestions) {
        if (!suggestions.isEmpty()) {
            json.writeArrayPropertyStart("suggestions");
            suggestions.forEach(json::writeString);
            json.writeEndArray();
        }
    }

    /** Prints a line for each address: the address, {@code symbol+offset}, and other symbols there. */
    public int runForAddresses(Path file, List<Long> addresses, boolean asJson) throws CommandFailure, IOException {
        FileSymbols reading = read(file);
        StoredSymbols stored = StoredSymbols.of(reading.table());
        int digits = digits(reading);
        boolean complete = true;
        for (long address : addresses) {
            if (stored.at(address).isEmpty()) {
                console.say("no symbol at " + hex(address, digits));
                complete = false;
            }
        }
        boolean allFound = complete;
        if (asJson) {
            JsonOutput.print(console, json -> {
                writeStart(json, reading);
                json.writeBooleanProperty("complete", allFound);
                json.writeArrayPropertyStart("addresses");
                for (long address : addresses) {
                    json.writeStartObject();
                    json.writeStringProperty("address", "0x" + Long.toHexString(address));
                    json.writeArrayPropertyStart("symbols");
                    stored.at(address).forEach(at -> SymbolWriter.write(json, at));
                    json.writeEndArray();
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            });
        } else {
            for (long address : addresses) {
                List<SymbolAt> found = stored.at(address);
                if (!found.isEmpty()) {
                    console.println(hex(address, digits) + " "
                            + found.stream().map(SymbolsCommand::place).collect(Collectors.joining(" ")));
                }
            }
        }
        return allFound ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private FileSymbols read(Path file) throws CommandFailure {
        FileSymbols reading = FileSymbols.read(file, extractor, files, console);
        if (reading.table().symbols().isEmpty()) {
            throw new CommandFailure(
                    ExitCode.BAD_FILE,
                    file + ": no symbols: .symtab and .dynsym are missing or empty, and no debug file has any");
        }
        return reading;
    }

    private void print(FileSymbols reading, List<Symbol> symbols) throws IOException {
        int digits = digits(reading);
        for (Symbol symbol : symbols) {
            console.println("%s %10s %-7s %-6s %-9s %s %s %s"
                    .formatted(
                            hex(symbol.value(), digits),
                            Long.toUnsignedString(symbol.size()),
                            symbol.type().word(),
                            symbol.binding(),
                            symbol.visibility(),
                            Printable.of(symbol.section().name()),
                            symbol.sources().stream().map(SymbolsCommand::word).collect(Collectors.joining(",")),
                            Printable.of(symbol.versionedName())));
        }
    }

    private static String word(SymbolSource source) {
        return (source.inDebugFile() ? "debug:" : "") + source.table().sectionName();
    }

    private static String place(SymbolAt at) {
        return Printable.of(at.symbol().versionedName()) + "+0x" + Long.toHexString(at.offset());
    }

    private static int digits(FileSymbols reading) {
        return reading.elf().architecture().bits() / 4;
    }

    private static String hex(long value, int digits) {
        return String.format(Locale.ROOT, "0x%0" + digits + "x", value);
    }

    private static void writeStart(JsonGenerator json, FileSymbols reading) {
        json.writeStartObject();
        ElfFactsJson.writeTo(json, reading.elf());
        json.writeStringProperty("file", reading.file().toString());
        json.writeStringProperty(
                "debugFile", reading.debugFile().map(Path::toString).orElse(null));
        if (reading.table().tls().isEmpty()) {
            json.writeNullProperty("tls");
            return;
        }
        TlsSegment tls = reading.table().tls().get();
        json.writeName("tls");
        SymbolWriter.write(json, tls);
    }
}
