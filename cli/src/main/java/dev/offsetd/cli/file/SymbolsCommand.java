package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.query.answer.SymbolWriter;
import dev.offsetd.query.item.ProgramFacts;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.query.symbol.SymbolPattern;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/** {@code symbols FILE}: the symbols of a file and of its debug file, by name or by address. */
public final class SymbolsCommand extends Command {

    private final Supplier<Path> file = parameter("FILE", Path.class, DebugFileFinder.FILE);
    private final Supplier<List<String>> names =
            parameters("NAMES", false, String.class, "names to list, separated by commas");
    private final Supplier<List<String>> addresses = options(
            "--addresses",
            "[file:]0xADDRESS[,...]",
            String.class,
            "ELF virtual addresses, or file offsets with file:, to look up, separated by commas");
    private final BooleanSupplier family =
            flag("--family", "with NAMES: also the parts that the compiler split off (.cold, .part.0)");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<List<Path>> debugDirs =
            ReaderOptions.debugDirs(this, "folder with installed debug files, for files without .symtab");

    public SymbolsCommand(Console console) {
        super(
                console,
                "List the symbols of a file, or look up names and addresses.",
                "Prints address, size, type, binding, visibility, section, symbol table, and name with version.",
                "NAMES are names, with or without version, or patterns with *, ? and [..].");
        examples(
                "offsetd symbols libc.so.6 'malloc*'",
                "offsetd symbols app --addresses 0x4011f0",
                "offsetd symbols app --addresses file:0x11f0");
        exitCodes(
                "0:found every name and address",
                "1:a name or address was not found; standard error names it",
                "2:invalid name, pattern or address",
                "3:the file is unreadable or has no symbols");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        List<String> wanted = apart(names.get());
        if (!addresses.get().isEmpty() && !wanted.isEmpty()) {
            throw CommandFailure.usage("NAMES and --addresses are both given; expected one of them");
        }
        if (family.getAsBoolean() && wanted.isEmpty()) {
            throw CommandFailure.usage("--family needs NAMES");
        }
        List<CodeAddress> parsed = new ArrayList<>();
        for (String address : apart(addresses.get())) {
            parsed.add(address("--addresses", address));
        }
        Map<String, SymbolPattern> patterns = new LinkedHashMap<>();
        for (String name : wanted) {
            patterns.put(name, pattern(name));
        }
        FileSymbols reading = read();
        if (!parsed.isEmpty()) {
            return runForAddresses(reading, parsed);
        }
        return patterns.isEmpty() ? runForAll(reading) : runForNames(reading, patterns);
    }

    public static List<String> apart(List<String> lists) {
        return lists.stream().flatMap(list -> Stream.of(list.split(",", -1))).toList();
    }

    private static SymbolPattern pattern(String name) throws CommandFailure {
        if (name.isEmpty()) {
            throw CommandFailure.usage("NAMES: a name is empty");
        }
        try {
            return SymbolPattern.of(name);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("NAMES: " + e.getMessage());
        }
    }

    public static CodeAddress address(String argument, String text) throws CommandFailure {
        try {
            return CodeAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(argument + ": " + HostileText.quote(text) + "; expected " + e.getMessage());
        }
    }

    private FileSymbols read() throws CommandFailure {
        DebugFileFinder files =
                new DebugFileFinder(ReaderOptions.readOptions(1), ReaderOptions.folders(debugDirs.get()), console);
        FileSymbols reading = FileSymbols.read(file.get(), files, console);
        if (reading.elf().isRawBtf()) {
            throw new CommandFailure(ExitCode.BAD_FILE, file.get() + ": no symbols: BTF without ELF has none");
        }
        if (reading.table().symbols().isEmpty()) {
            throw new CommandFailure(
                    ExitCode.BAD_FILE,
                    file.get() + ": no symbols: .symtab and .dynsym are missing or empty, and no debug file has any");
        }
        return reading;
    }

    /** Prints every symbol, one per line, in the order of the tables. */
    private int runForAll(FileSymbols reading) throws IOException {
        if (json.getAsBoolean()) {
            JsonOutput.print(console, json -> {
                writeStart(json, reading);
                json.writeArrayPropertyStart("symbols");
                ProgramFacts program = reading.program();
                reading.table().symbols().forEach(symbol -> SymbolWriter.write(json, symbol, program));
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
     */
    private int runForNames(FileSymbols reading, Map<String, SymbolPattern> patterns) throws IOException {
        Map<String, List<Symbol>> found = new LinkedHashMap<>();
        StoredSymbols stored = StoredSymbols.of(reading.table());
        patterns.forEach((name, pattern) ->
                found.put(name, family.getAsBoolean() ? stored.findFamily(pattern) : stored.find(pattern)));
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
        ProgramFacts program = reading.program();
        if (json.getAsBoolean()) {
            JsonOutput.print(console, json -> {
                writeStart(json, reading);
                json.writeBooleanProperty("complete", allFound);
                json.writeArrayPropertyStart("names");
                found.forEach((name, symbols) -> {
                    json.writeStartObject();
                    json.writeStringProperty("name", name);
                    json.writeArrayPropertyStart("symbols");
                    symbols.forEach(symbol -> SymbolWriter.write(json, symbol, program));
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

    /** Prints a line for each address: the virtual address, {@code symbol+offset}, and other symbols there. */
    private int runForAddresses(FileSymbols reading, List<CodeAddress> addresses) throws IOException {
        StoredSymbols stored = StoredSymbols.of(reading.table());
        ProgramFacts program = reading.program();
        FileOffsets offsets = program.offsets();
        int digits = digits(reading);
        Map<CodeAddress, List<SymbolAt>> found = new LinkedHashMap<>();
        for (CodeAddress address : addresses) {
            OptionalLong place = address.in(offsets);
            found.put(address, place.isEmpty() ? List.of() : stored.at(place.getAsLong()));
            if (place.isEmpty()) {
                console.say(address + ": " + address.missing(offsets));
            } else if (found.get(address).isEmpty()) {
                console.say("no symbol at " + hex(place.getAsLong(), digits));
            }
        }
        boolean allFound = found.values().stream().noneMatch(List::isEmpty);
        if (json.getAsBoolean()) {
            JsonOutput.print(console, json -> {
                writeStart(json, reading);
                json.writeBooleanProperty("complete", allFound);
                json.writeArrayPropertyStart("addresses");
                found.forEach((address, symbols) -> {
                    json.writeStartObject();
                    if (address.in(offsets).isEmpty()) {
                        json.writeStringProperty("fileOffset", hex(address.value(), 1));
                    }
                    SymbolWriter.writeLookup(json, address, !symbols.isEmpty(), offsets, stored.values());
                    json.writeArrayPropertyStart("symbols");
                    symbols.forEach(at -> SymbolWriter.write(json, at, program));
                    json.writeEndArray();
                    json.writeEndObject();
                });
                json.writeEndArray();
                json.writeEndObject();
            });
        } else {
            for (CodeAddress address : addresses) {
                List<SymbolAt> symbols = found.getOrDefault(address, List.of());
                if (!symbols.isEmpty()) {
                    console.println(hex(address.in(offsets).getAsLong(), digits) + " "
                            + symbols.stream().map(SymbolsCommand::place).collect(Collectors.joining(" ")));
                }
            }
        }
        return allFound ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private void print(FileSymbols reading, List<Symbol> symbols) throws IOException {
        int digits = digits(reading);
        long described = symbols.stream().filter(Symbol::isDescriptorOnly).count();
        if (described > 0) {
            console.say(described + (described == 1 ? " function has" : " functions have")
                    + " the address of a descriptor: this file does not say where the code is");
        }
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
                "debugFile",
                reading.debugFile() == null ? null : reading.debugFile().toString());
        SymbolWriter.writeIncomplete(json, reading.incomplete());
        SymbolWriter.writeMissing(json, reading.table().fileOffsets());
        if (reading.table().tls().isEmpty()) {
            json.writeNullProperty("tls");
            return;
        }
        TlsSegment tls = reading.table().tls().get();
        json.writeName("tls");
        SymbolWriter.write(json, tls);
    }
}
