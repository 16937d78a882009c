package dev.offsetd.cli.file;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.Frame;
import dev.offsetd.extractor.layout.FrameTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** {@code symbolize FILE ADDRESS...}: the functions, files and lines at addresses, innermost first. */
public final class SymbolizeCommand {

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;

    public SymbolizeCommand(OffsetExtractor extractor, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
    }

    /** Prints the frames at each address: a line for each frame, behind one for the address. */
    public int run(Path file, List<Long> addresses, boolean asJson) throws CommandFailure, IOException {
        console.progress("reading " + file);
        Path source = source(file);
        long[] wanted = addresses.stream().mapToLong(Long::longValue).toArray();
        FrameTable table = files.read(source, () -> extractor.frames(source, wanted));
        console.clearProgress();
        boolean complete = true;
        for (long address : wanted) {
            if (table.at(address).isEmpty()) {
                console.say("no function and no line at " + hex(address));
                complete = false;
            }
        }
        if (asJson) {
            boolean allFound = complete;
            JsonOutput.print(console, json -> write(json, table, wanted, allFound));
        } else {
            for (long address : wanted) {
                print(address, table.at(address));
            }
        }
        return complete ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** Returns the file that has the lines: the file itself, or its debug file if it has no DWARF. */
    private Path source(Path file) throws CommandFailure {
        ElfFacts own = files.inspect(file);
        return own.hasDwarf() ? file : files.debugFileOf(file, own).orElse(file);
    }

    private void print(long address, List<Frame> frames) {
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
