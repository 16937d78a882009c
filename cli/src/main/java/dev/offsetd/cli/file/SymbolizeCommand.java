package dev.offsetd.cli.file;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.symbol.CodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import tools.jackson.core.JsonGenerator;

/** {@code symbolize FILE ADDRESS...}: the functions, files and lines at addresses, innermost first. */
public final class SymbolizeCommand extends Command {

    private final Supplier<Path> file = parameter("FILE", Path.class, DebugFileFinder.FILE);
    private final Supplier<List<String>> addresses = parameters(
            "ADDRESSES", true, String.class, "ELF virtual addresses, or file offsets with file:, separated by commas");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final ReaderOptions reader = new ReaderOptions(this);

    public SymbolizeCommand(Console console) {
        super(
                console,
                "Print functions, files and lines at addresses.",
                "Prints a line for each frame, the innermost first, from DWARF, the line table of Go or the symbols.");
        examples("offsetd symbolize app 0x4011f0 0x401234", "offsetd symbolize libc.so.6 0x8a3d1 --json");
        exitCodes(
                "0:found every address",
                "1:an address is in no function and no line; standard error names it",
                "2:invalid address",
                "3:the file is unreadable or has no lines and no symbols");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        List<CodeAddress> parsed = new ArrayList<>();
        for (String address : SymbolsCommand.apart(addresses.get())) {
            parsed.add(SymbolsCommand.address("ADDRESSES", address));
        }
        DebugFileFinder files = reader.files(reader.readOptions().leavingOutMissingUnits(), console);
        console.progress("reading " + file.get());
        Path source = source(file.get(), files);
        long[] wanted = virtual(parsed, files);
        FrameTable table = files.readFile(source, info -> info.frames(wanted));
        console.clearProgress();
        boolean complete = wanted.length == parsed.size();
        for (long address : wanted) {
            if (table.at(address).isEmpty()) {
                console.say("no function and no line at " + hex(address));
                complete = false;
            }
        }
        if (json.getAsBoolean()) {
            boolean allFound = complete;
            JsonOutput.print(console, out -> write(out, table, wanted, allFound));
        } else {
            for (long address : wanted) {
                print(address, table.at(address));
            }
        }
        return complete ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** Returns the virtual addresses, and says which offsets in the file have none. */
    private long[] virtual(List<CodeAddress> addresses, DebugFileFinder files) throws CommandFailure {
        FileOffsets offsets = files.readFile(file.get(), DebugInfo::fileOffsets);
        for (CodeAddress address : addresses) {
            if (address.in(offsets).isEmpty()) {
                console.say(address + ": " + address.missing(offsets));
            }
        }
        return addresses.stream()
                .flatMapToLong(address -> address.in(offsets).stream())
                .toArray();
    }

    /** Returns the file that has the lines: the file itself, or its debug file if it has no DWARF. */
    private static Path source(Path file, DebugFileFinder files) throws CommandFailure {
        ElfFacts own = files.inspect(file);
        return own.hasDwarf() ? file : files.debugFileOf(file, own).orElse(file);
    }

    private void print(long address, List<Frame> frames) throws IOException {
        if (!frames.isEmpty()) {
            console.println(hex(address));
        }
        for (Frame frame : frames) {
            String function = frame.function() == null ? "?" : Printable.of(frame.function());
            String place = frame.file() == null
                    ? ""
                    : " at " + Printable.of(frame.file()) + ":" + frame.line()
                            + (frame.column() == 0 ? "" : ":" + frame.column());
            console.println("  " + function + place + (frame.inlined() ? " (inlined)" : ""));
        }
    }

    private static void write(JsonGenerator json, FrameTable table, long[] addresses, boolean complete) {
        json.writeStartObject();
        json.writeBooleanProperty("complete", complete);
        json.writeArrayPropertyStart("addresses");
        for (long address : addresses) {
            json.writeStartObject();
            json.writeStringProperty("address", hex(address));
            json.writeArrayPropertyStart("frames");
            table.at(address).forEach(frame -> write(json, frame));
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Frame frame) {
        json.writeStartObject();
        json.writeStringProperty("function", frame.function());
        if (frame.linkageName() != null) {
            json.writeStringProperty("linkageName", frame.linkageName());
        }
        json.writeStringProperty("file", frame.file());
        json.writeNumberProperty("line", frame.line());
        json.writeNumberProperty("column", frame.column());
        json.writeBooleanProperty("inlined", frame.inlined());
        json.writeEndObject();
    }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }
}
