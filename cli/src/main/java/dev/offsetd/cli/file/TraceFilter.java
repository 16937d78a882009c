package dev.offsetd.cli.file;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.cli.answer.FrameText;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.query.store.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Repeats lines of text, with the functions and lines of the addresses in them. It understands the stacks of perf script, of
 * glibc's {@code backtrace_symbols_fd}, and of bpftrace with build-ids. Other lines stay as they are.
 */
final class TraceFilter {

    private static final long PT_LOAD = 1;

    /** An address alone, of the file that was given. */
    private static final Pattern ADDRESS = Pattern.compile("\\s*(?:0[xX])?([0-9a-fA-F]{1,16})\\s*");

    /** bpftrace: build-id and offset in the file. */
    private static final Pattern BUILD = Pattern.compile("\\s*([0-9a-f]{40}) 0x([0-9a-f]{1,16})\\s*");

    /** perf script with the field {@code dsoff}: the offset in the file stands behind its path. */
    private static final Pattern FILE_OFFSET = Pattern.compile(".*\\((/[^()]+)\\+0x([0-9a-f]{1,16})\\)\\s*");

    /** perf script: address, symbol, offset and path. */
    private static final Pattern SYMBOL =
            Pattern.compile("\\s*[0-9a-f]+ (\\S+)\\+0x([0-9a-f]{1,16}) \\((/[^()]*)\\)\\s*");

    /** glibc: path, symbol or nothing, offset from the symbol or the image. */
    private static final Pattern BACKTRACE = Pattern.compile("\\s*([^\\s()]+)\\(([^()+]*)\\+0x([0-9a-f]{1,16})\\).*");

    private final DebugFileFinder files;
    private final Console console;
    private final @Nullable Path file;
    private final long before;
    private final Map<Path, Optional<Module>> modules = new TreeMap<>();

    /**
     * @param file of addresses without a path; null for none
     * @param returnAddress whether the byte before each address is looked up
     */
    TraceFilter(DebugFileFinder files, Console console, @Nullable Path file, boolean returnAddress) {
        this.files = files;
        this.console = console;
        this.file = file;
        this.before = returnAddress ? 1 : 0;
    }

    /**
     * A program or library.
     *
     * @param segments its program headers
     */
    private record Module(FrameTable frames, List<ProgramHeader> segments, StoredSymbols symbols) {

        long imageBase() {
            return loaded().stream()
                    .map(ProgramHeader::address)
                    .min(Long::compareUnsigned)
                    .orElse(0L);
        }

        private List<ProgramHeader> loaded() {
            return segments.stream()
                    .filter(segment -> segment.type() == PT_LOAD)
                    .toList();
        }

        OptionalLong addressOfOffset(long offset) {
            return loaded().stream()
                    .filter(segment -> segment.offset().isPresent()
                            && segment.fileSize().isPresent()
                            && Long.compareUnsigned(
                                            offset - segment.offset().getAsLong(),
                                            segment.fileSize().getAsLong())
                                    < 0)
                    .mapToLong(segment ->
                            segment.address() + offset - segment.offset().getAsLong())
                    .findFirst();
        }

        OptionalLong addressOfSymbol(String name, long offset) {
            try {
                return symbols.find(SymbolPattern.of(name)).stream()
                        .filter(symbol -> !symbol.isImported())
                        .mapToLong(symbol -> symbol.value() + offset)
                        .findFirst();
            } catch (IllegalArgumentException notAName) {
                return OptionalLong.empty();
            }
        }
    }

    /** Filters all lines. */
    void run(BufferedReader in) throws IOException, CommandFailure {
        if (file != null && module(file).isEmpty()) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + " cannot be read");
        }
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            console.println(Printable.of(line));
            for (String frame : frames(line)) {
                console.println(frame);
            }
            console.flush();
        }
    }

    private List<String> frames(String line) {
        Matcher build = BUILD.matcher(line);
        if (build.matches()) {
            return installed(BuildId.parse(build.group(1)))
                    .flatMap(this::module)
                    .map(module -> at(module, module.addressOfOffset(hex(build.group(2)))))
                    .orElse(List.of());
        }
        Matcher fileOffset = FILE_OFFSET.matcher(line);
        if (fileOffset.matches()) {
            return module(Path.of(fileOffset.group(1)))
                    .map(module -> at(module, module.addressOfOffset(hex(fileOffset.group(2)))))
                    .orElse(List.of());
        }
        Matcher symbol = SYMBOL.matcher(line);
        if (symbol.matches()) {
            return module(Path.of(symbol.group(3)))
                    .map(module -> at(module, module.addressOfSymbol(symbol.group(1), hex(symbol.group(2)))))
                    .orElse(List.of());
        }
        Matcher backtrace = BACKTRACE.matcher(line);
        if (backtrace.matches()) {
            long offset = hex(backtrace.group(3));
            String name = backtrace.group(2);
            return module(Path.of(backtrace.group(1)))
                    .map(module -> at(
                            module,
                            name.isEmpty()
                                    ? OptionalLong.of(module.imageBase() + offset)
                                    : module.addressOfSymbol(name, offset)))
                    .orElse(List.of());
        }
        Matcher address = ADDRESS.matcher(line);
        return file != null && address.matches()
                ? module(file)
                        .map(module -> at(module, OptionalLong.of(hex(address.group(1)))))
                        .orElse(List.of())
                : List.of();
    }

    private List<String> at(Module module, OptionalLong address) {
        return address.isEmpty() ? List.of() : FrameText.lines(module.frames().at(address.getAsLong() - before));
    }

    private static long hex(String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }

    private Optional<Path> installed(BuildId id) {
        return files.places(id).stream().filter(Files::isRegularFile).findFirst();
    }

    /** Returns a program or library; empty if it is not here or unreadable, which is said once. */
    private Optional<Module> module(Path path) {
        Optional<Module> known = modules.get(path);
        if (known == null) {
            known = read(path);
            modules.put(path, known);
        }
        return known;
    }

    private Optional<Module> read(Path path) {
        if (!Files.isRegularFile(path)) {
            return Optional.empty();
        }
        try {
            ElfFacts own = files.inspect(path);
            Path source = own.hasDwarf() ? path : files.debugFileOf(path, own).orElse(path);
            FrameTable frames = files.readFile(source, DebugInfo::allFrames);
            FileSymbols symbols = FileSymbols.read(path, files, console);
            return Optional.of(new Module(frames, symbols.table().programHeaders(), StoredSymbols.of(symbols.table())));
        } catch (CommandFailure e) {
            console.say(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
