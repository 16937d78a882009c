package dev.offsetd.cli.symbolize;

import dev.offsetd.cli.answer.FrameText;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.file.ElfFactsJson;
import dev.offsetd.cli.file.FileSymbols;
import dev.offsetd.cli.file.ReaderOptions;
import dev.offsetd.cli.file.SymbolsCommand;
import dev.offsetd.cli.remote.RemoteFrames;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.FrameStatus;
import dev.offsetd.query.answer.FrameWriter;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolAt;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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
    private final BooleanSupplier returnAddress = flag(
            "-r,--return-address",
            "look up the byte before each address, which is part of the call; in stacks not of the sampled"
                    + " instruction");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<@Nullable String> server = option(
            "--server",
            "URL",
            String.class,
            "server that has the functions of stacks with build-ids, instead of programs on this host");
    private final ServerOptions serverOptions = new ServerOptions(this);
    private final Supplier<Duration> wait = ServerOptions.wait(this, "60s", "for a build of the server");
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
                "perf script | offsetd symbolize --return-address",
                "bpftrace hot.bt | offsetd symbolize --server http://127.0.0.1:8080");
        exitCodes(
                "0:found every address",
                "1:an address has no line (no_line), or neither function nor line; standard error says so",
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
        if (server.get() != null) {
            throw CommandFailure.usage(
                    "--server is given with ADDRESSES; expected a filter, or offsetd query --symbolize");
        }
        List<Asked> asked = asked();
        console.progress("reading " + program);
        FileOffsets offsets = files.readFile(program, DebugInfo::fileOffsets);
        List<Located> located = locate(program, asked, offsets, files);
        console.clearProgress();
        located.forEach(this::sayMissing);
        List<FrameStatus> statuses = located.stream()
                .map(each -> FrameStatus.of(each.frames(), null))
                .toList();
        if (statuses.contains(FrameStatus.NO_LINE)) {
            console.say(program + " has functions and no lines at "
                    + (located.size() == 1 ? "this address" : "some of these addresses"));
        }
        if (json.getAsBoolean()) {
            print(FileSymbols.read(program, files, console), offsets, located);
        } else {
            for (Located each : located) {
                FrameText.print(console, each.asked().text(), each.frames());
            }
        }
        return statuses.stream().allMatch(FrameStatus.FOUND::equals) ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** An address, and how the user writes it. */
    private record Asked(String text, CodeAddress address) {}

    /**
     * Functions and lines at an address.
     *
     * @param place that was looked up; null if the offset in the file has no address
     * @param detail why it has none; null if it has one
     */
    private record Located(
            Asked asked,
            @Nullable Long place,
            List<Frame> frames,
            @Nullable String detail) {}

    private List<Asked> asked() throws CommandFailure {
        List<Asked> asked = new ArrayList<>();
        for (String text : SymbolsCommand.apart(addresses.get())) {
            asked.add(new Asked(text, SymbolsCommand.address("ADDRESSES", text)));
        }
        return asked;
    }

    private List<Located> locate(Path program, List<Asked> asked, FileOffsets offsets, DebugFileFinder files)
            throws CommandFailure {
        long[] places = asked.stream()
                .flatMapToLong(each -> place(each.address(), offsets).stream())
                .toArray();
        FrameTable table = files.frames(program, info -> info.frames(places));
        return asked.stream()
                .map(each -> {
                    OptionalLong place = place(each.address(), offsets);
                    return place.isPresent()
                            ? new Located(each, place.getAsLong(), table.at(place.getAsLong()), null)
                            : new Located(each, null, List.of(), each.address().missing(offsets));
                })
                .toList();
    }

    /** Returns the virtual address to look up; empty for an offset outside of all segments. */
    private OptionalLong place(CodeAddress address, FileOffsets offsets) {
        return address.in(offsets, returnAddress.getAsBoolean());
    }

    private void sayMissing(Located located) {
        String text = located.asked().text();
        if (located.detail() != null) {
            console.say(text + ": " + located.detail());
        } else if (located.frames().isEmpty()) {
            console.say("no function and no line at " + text);
        }
    }

    private int filter(@Nullable Path program, DebugFileFinder files) throws CommandFailure, IOException {
        if (json.getAsBoolean()) {
            throw CommandFailure.usage("--json is given without ADDRESSES");
        }
        String url = server.get();
        if (url == null) {
            return filter(program, files, null);
        }
        try (ServerCalls calls =
                new ServerCalls(ServerOptions.server(url), serverOptions.token(), console, wait.get())) {
            return filter(program, files, new RemoteFrames(console, calls));
        }
    }

    private int filter(@Nullable Path program, DebugFileFinder files, @Nullable RemoteFrames remote)
            throws CommandFailure, IOException {
        return new TraceFilter(files, console, program, returnAddress.getAsBoolean(), remote).run(System.in);
    }

    /** Prints the members that servers answer with. */
    private void print(FileSymbols file, FileOffsets offsets, List<Located> located) throws IOException {
        StoredSymbols symbols = StoredSymbols.of(file.table());
        Map<String, Located> byText = new LinkedHashMap<>();
        located.forEach(each -> byText.put(each.asked().text(), each));
        JsonOutput.print(console, out -> {
            out.writeStartObject();
            out.writeNumberProperty("schemaVersion", AnswerWriter.SCHEMA_VERSION);
            ElfFactsJson.writeTo(out, file.elf());
            out.writeObjectPropertyStart("addresses");
            boolean complete = true;
            for (Map.Entry<String, Located> each : byText.entrySet()) {
                out.writeName(each.getKey());
                complete &= write(out, each.getValue(), symbols, offsets) == FrameStatus.FOUND;
            }
            out.writeEndObject();
            out.writeBooleanProperty("complete", complete);
            out.writeEndObject();
        });
    }

    private static FrameStatus write(JsonGenerator out, Located located, StoredSymbols symbols, FileOffsets offsets) {
        SymbolAt symbol = located.place() == null
                ? null
                : symbols.at(located.place()).stream().findFirst().orElse(null);
        FrameStatus status = located.place() == null
                ? FrameStatus.withoutAddress(offsets)
                : FrameStatus.of(located.frames(), symbol);
        FrameWriter.write(out, status, located.detail(), symbol, located.frames());
        return status;
    }
}
