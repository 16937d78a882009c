package dev.offsetd.cli.symbolize;

import dev.offsetd.cli.answer.FrameText;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.remote.RemoteFrames;
import dev.offsetd.cli.symbolize.TraceLine.OfBuild;
import dev.offsetd.cli.symbolize.TraceLine.OfFile;
import dev.offsetd.cli.symbolize.TraceLine.OfGivenFile;
import dev.offsetd.cli.symbolize.TraceLine.OfSymbol;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.query.symbol.CodeAddress;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Repeats lines of text, with the functions and lines of the addresses in them. It understands the stacks of perf script, of
 * glibc's {@code backtrace_symbols_fd}, and of bpftrace with build-ids. All lines stay as they are, byte for byte, unless the
 * output is a terminal, which would take some of them for commands.
 */
final class TraceFilter {

    /** Addresses whose functions and lines a server has sent. */
    private static final int MAX_SERVED = 10_000;

    private final Console console;
    private final TraceModules modules;
    private final boolean returnAddresses;
    private final @Nullable RemoteFrames server;
    private final Map<String, List<String>> served = new LinkedHashMap<>();
    private final Set<BuildId> unserved = new TreeSet<>();
    private boolean serverFailed;

    /** Whether the next frame is the first one of its stack. */
    private boolean atTop = true;

    /**
     * @param file of addresses without a path; null for none
     * @param returnAddresses whether the byte before each return address is looked up
     * @param server that has the functions and lines of builds; null to find their programs here
     * @throws CommandFailure if the file cannot be read
     */
    TraceFilter(
            DebugFileFinder files,
            Console console,
            @Nullable Path file,
            boolean returnAddresses,
            @Nullable RemoteFrames server)
            throws CommandFailure {
        this.console = console;
        this.modules = new TraceModules(files, console, file);
        this.returnAddresses = returnAddresses;
        this.server = server;
    }

    /**
     * Filters all lines.
     *
     * @return exit code
     * @throws CommandFailure also if the server refuses the token
     */
    int run(InputStream in) throws IOException, CommandFailure {
        RawLines lines = new RawLines(in);
        for (byte[] line = next(lines); line.length > 0; line = next(lines)) {
            String text = new String(line, StandardCharsets.UTF_8);
            String content = withoutEnd(text);
            String end = text.substring(content.length());
            repeat(line, content, end);
            // A piece of a long line has no end, and no line of a trace is so long.
            List<String> frames = line.length == RawLines.MAX_BYTES ? List.of() : frames(TraceLine.of(content));
            if (end.isEmpty() && !frames.isEmpty()) {
                console.println("");
            }
            for (String frame : frames) {
                console.println(frame);
            }
            console.flush();
        }
        return serverFailed ? ExitCode.SERVER_FAILED : ExitCode.OK;
    }

    /** Reads a line; a failure is not one of the output. */
    private static byte[] next(RawLines lines) throws CommandFailure {
        try {
            return lines.next();
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, "standard input: " + IoReason.of(e));
        }
    }

    private static String withoutEnd(String line) {
        if (line.endsWith("\r\n")) {
            return line.substring(0, line.length() - 2);
        }
        return line.endsWith("\n") ? line.substring(0, line.length() - 1) : line;
    }

    private void repeat(byte[] line, String content, String end) throws IOException {
        if (console.isOutputTerminal()) {
            console.print(Printable.withTabs(content) + end);
        } else {
            console.print(line);
        }
    }

    private List<String> frames(TraceLine line) throws CommandFailure {
        boolean isReturnAddress = isReturnAddress(line.role());
        return switch (line.address()) {
            case null -> List.of();
            case OfBuild of -> frames(of, isReturnAddress);
            case OfFile of ->
                modules.at(of.file())
                        .map(module -> frames(module, place(of.address(), module), isReturnAddress))
                        .orElse(List.of());
            case OfSymbol of ->
                modules.at(of.file())
                        .map(module -> frames(module, module.addressOf(of), isReturnAddress))
                        .orElse(List.of());
            case OfGivenFile(CodeAddress address) ->
                modules.given()
                        .map(module -> frames(module, address, isReturnAddress))
                        .orElse(List.of());
        };
    }

    /** Returns whether the address of a line is behind a call, and remembers where in its stack the next line is. */
    private boolean isReturnAddress(TraceLine.Role role) {
        return switch (role) {
            case SAMPLE, NONE -> {
                atTop = true;
                yield false;
            }
            case FRAME -> {
                boolean isCalled = !atTop;
                atTop = false;
                yield isCalled;
            }
            case CALL -> {
                // bpftrace writes a frame without a build-id, in the vDSO for one, as an address alone.
                atTop = false;
                yield true;
            }
            case NOTE -> false;
        };
    }

    private List<String> frames(OfBuild of, boolean isReturnAddress) throws CommandFailure {
        return server == null ? local(of, isReturnAddress) : remote(server, of, isReturnAddress);
    }

    /** Stacks have the same addresses again and again. */
    private List<String> remote(RemoteFrames server, OfBuild of, boolean isReturnAddress) throws CommandFailure {
        String address = new CodeAddress(of.offset(), true).toString();
        boolean before = returnAddresses && isReturnAddress;
        String key = of.build() + " " + address + " " + before;
        List<String> known = unserved.contains(of.build()) ? List.of() : served.get(key);
        if (known == null) {
            if (served.size() == MAX_SERVED) {
                served.clear();
            }
            known = ask(server, of.build(), address, before);
            served.put(key, known);
        }
        return known;
    }

    private List<String> ask(RemoteFrames server, BuildId build, String address, boolean before) throws CommandFailure {
        try {
            return FrameText.lines(server.at(build, address, before, reason -> modules.report(build, reason)));
        } catch (CommandFailure e) {
            if (e.exitCode() == ExitCode.DENIED) {
                throw e;
            }
            serverFailed |= e.exitCode() == ExitCode.SERVER_FAILED;
            modules.report(build, String.valueOf(e.getMessage()));
            unserved.add(build);
            return List.of();
        }
    }

    private List<String> local(OfBuild of, boolean isReturnAddress) {
        return modules.of(of.build())
                .map(module -> {
                    CodeAddress offset = new CodeAddress(of.offset(), true);
                    Long address = place(offset, module);
                    if (address == null) {
                        modules.report(of.build(), offset.missing(module.offsets()));
                    }
                    return frames(module, address, isReturnAddress);
                })
                .orElse(List.of());
    }

    private List<String> frames(TraceModule module, CodeAddress given, boolean isReturnAddress) {
        Long address = place(given, module);
        if (address == null) {
            console.say(given + ": " + given.missing(module.offsets()));
        }
        return frames(module, address, isReturnAddress);
    }

    /** Returns the virtual address; null if it is an offset outside of all segments, or no segments are known. */
    private static @Nullable Long place(CodeAddress address, TraceModule module) {
        OptionalLong place = address.in(module.offsets());
        return place.isPresent() ? place.getAsLong() : null;
    }

    private List<String> frames(TraceModule module, @Nullable Long address, boolean isReturnAddress) {
        if (address == null) {
            return List.of();
        }
        int before = returnAddresses && isReturnAddress ? 1 : 0;
        return FrameText.lines(module.frames().at(address - before));
    }

    /** The lines of an input as they are, with their ends. A line that is longer than any trace has comes in pieces. */
    static final class RawLines {

        /** Length of a piece, so that an input without line ends takes no more memory. */
        static final int MAX_BYTES = 1 << 16;

        private final InputStream in;

        RawLines(InputStream in) {
            this.in = new BufferedInputStream(in);
        }

        /** Returns the next line or piece; no bytes at the end of the input. */
        byte[] next() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            int next = in.read();
            while (next >= 0) {
                line.write(next);
                if (next == '\n' || line.size() == MAX_BYTES) {
                    break;
                }
                next = in.read();
            }
            return line.toByteArray();
        }
    }
}
