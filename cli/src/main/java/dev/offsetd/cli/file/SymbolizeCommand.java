package dev.offsetd.cli.file;

import dev.offsetd.cli.answer.FrameText;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.answer.FrameWriter;
import dev.offsetd.query.symbol.CodeAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code symbolize FILE ADDRESS...}: the functions, files and lines at addresses, innermost first. */
public final class SymbolizeCommand extends Command {

    private final Supplier<@Nullable Path> file = optionalParameter("FILE", Path.class, DebugFileFinder.FILE);
    private final Supplier<List<String>> addresses = parameters(
            "ADDRESSES",
            false,
            String.class,
            "ELF virtual addresses, or file offsets with file:, separated by commas; without, lines of"
                    + " standard input are repeated with the functions of the addresses in them");
    private final BooleanSupplier returnAddress =
            flag("-r,--return-address", "look the byte before each address up, which is part of the call");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final ReaderOptions reader = new ReaderOptions(this);

    public SymbolizeCommand(Console console) {
        super(
                console,
                "Print functions, files and lines at addresses.",
                "Prints a line for each frame, the innermost first, from DWARF, the line table of Go or the symbols.",
                "Without ADDRESSES, filters standard input: addresses of FILE, and stacks of perf script, of glibc's"
                        + " backtrace_symbols_fd, and of bpftrace with build-ids.");
        examples(
                "offsetd symbolize app 0x4011f0 0x401234",
                "offsetd symbolize libc.so.6 0x8a3d1 --json",
                "perf script | offsetd symbolize --return-address");
        exitCodes(
                "0:found every address",
                "1:an address is in no function and no line; standard error names it",
                "2:invalid address",
                "3:the file is unreadable or has no lines and no symbols");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        DebugFileFinder files = reader.files(reader.readOptions().leavingOutMissingUnits(), console);
        Path program = file.get();
        if (program == null || addresses.get().isEmpty()) {
            return filter(program, files);
        }
        List<CodeAddress> parsed = new ArrayList<>();
        for (String address : SymbolsCommand.apart(addresses.get())) {
            parsed.add(SymbolsCommand.address("ADDRESSES", address));
        }
        console.progress("reading " + program);
        Path source = source(program, files);
        int before = returnAddress.getAsBoolean() ? 1 : 0;
        long[] places = virtual(program, parsed, files);
        long[] wanted = Arrays.stream(places).map(address -> address - before).toArray();
        FrameTable table = files.readFile(source, info -> info.frames(wanted));
        Map<Long, List<Frame>> found = new LinkedHashMap<>();
        for (long address : places) {
            found.put(address, table.at(address - before));
        }
        console.clearProgress();
        found.forEach((address, frames) -> {
            if (frames.isEmpty()) {
                console.say("no function and no line at " + hex(address));
            }
        });
        boolean complete =
                places.length == parsed.size() && found.values().stream().noneMatch(List::isEmpty);
        if (json.getAsBoolean()) {
            JsonOutput.print(console, out -> write(out, found, complete));
        } else {
            for (Map.Entry<Long, List<Frame>> each : found.entrySet()) {
                FrameText.print(console, hex(each.getKey()), each.getValue());
            }
        }
        return complete ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** Returns the virtual addresses, and says which offsets in the file have none. */
    private long[] virtual(Path program, List<CodeAddress> addresses, DebugFileFinder files) throws CommandFailure {
        FileOffsets offsets = files.readFile(program, DebugInfo::fileOffsets);
        for (CodeAddress address : addresses) {
            if (address.in(offsets).isEmpty()) {
                console.say(address + ": " + address.missing(offsets));
            }
        }
        return addresses.stream()
                .flatMapToLong(address -> address.in(offsets).stream())
                .toArray();
    }

    private int filter(@Nullable Path program, DebugFileFinder files) throws CommandFailure, IOException {
        if (json.getAsBoolean()) {
            throw CommandFailure.usage("--json is given without ADDRESSES");
        }
        TraceFilter filter = new TraceFilter(files, console, program, returnAddress.getAsBoolean());
        filter.run(System.in);
        return ExitCode.OK;
    }

    /** Returns the file that has the lines: the file itself, or its debug file if it has no DWARF. */
    private static Path source(Path file, DebugFileFinder files) throws CommandFailure {
        ElfFacts own = files.inspect(file);
        return own.hasDwarf() ? file : files.debugFileOf(file, own).orElse(file);
    }

    private static void write(JsonGenerator json, Map<Long, List<Frame>> found, boolean complete) {
        json.writeStartObject();
        json.writeBooleanProperty("complete", complete);
        json.writeArrayPropertyStart("addresses");
        found.forEach((address, frames) -> {
            json.writeStartObject();
            json.writeStringProperty("address", hex(address));
            FrameWriter.write(json, frames);
            json.writeEndObject();
        });
        json.writeEndArray();
        json.writeEndObject();
    }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }
}
