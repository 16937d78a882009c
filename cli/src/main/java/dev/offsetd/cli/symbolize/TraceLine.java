package dev.offsetd.cli.symbolize;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.symbol.CodeAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A line of text, as a part of a stack.
 *
 * @param address null if it states none that could be looked up
 */
record TraceLine(Role role, @Nullable StatedAddress address) {

    /** Meaning of the address of a line. */
    enum Role {
        /** Address of the sampled instruction, in a line that begins a stack. */
        SAMPLE,
        /** A frame: the first one of its stack is the sampled instruction, all others are return addresses. */
        FRAME,
        /** A return address, wherever it stands. */
        CALL,
        /** None; the line belongs to the stack around it. */
        NOTE,
        /** None; the line belongs to no stack. */
        NONE
    }

    /** An address as a line states it. */
    sealed interface StatedAddress {}

    /** An offset in the file of a program. */
    record OfBuild(BuildId build, long offset) implements StatedAddress {}

    /** An address or offset of a file. */
    record OfFile(Path file, CodeAddress address) implements StatedAddress {}

    /**
     * A distance from a symbol of a file.
     *
     * @param loaded the same place in the memory of the process; null if the line does not tell
     */
    record OfSymbol(
            Path file,
            String symbol,
            long distance,
            @Nullable Long loaded) implements StatedAddress {}

    /** An address alone. */
    record OfGivenFile(CodeAddress address) implements StatedAddress {}

    private static final TraceLine NO_STACK = new TraceLine(Role.NONE, null);

    /** bpftrace: build-id and offset in the file. */
    private static final Pattern BUILD = Pattern.compile("\\s*([0-9a-f]{40}) 0x([0-9a-f]{1,16})\\s*");

    /**
     * perf script: what precedes the address of a sample without a stack, address, symbol, path, and the offset in the file with
     * the field {@code dsoff}.
     */
    private static final Pattern PERF =
            Pattern.compile("(.*:\\s+)?\\s*([0-9a-f]{1,16}) (.+?) \\((.*?)(?:\\+0x([0-9a-f]{1,16}))?\\)\\s*");

    /** The symbol of perf script. */
    private static final Pattern SYMBOL = Pattern.compile("(.+)\\+0x([0-9a-f]{1,16})");

    /** perf script with the field {@code srcline}: file and line of the frame above, or its file and offset. */
    private static final Pattern SOURCE_LINE = Pattern.compile("\\s+\\S+(?::[0-9]+|\\[[0-9a-f]+\\])");

    /** glibc: path, symbol or nothing, distance from the symbol or the place of loading, address. */
    private static final Pattern BACKTRACE =
            Pattern.compile("\\s*(\\S.*)\\(([^()]*?)([+-])0x([0-9a-f]{1,16})\\)(?:\\s?\\[0x([0-9a-f]{1,16})\\])?.*");

    /** glibc, of a program that is loaded where its file says: path and address. */
    private static final Pattern UNMOVED = Pattern.compile("\\s*(\\S.*?)(?:\\(\\))?\\s?\\[0x([0-9a-f]{1,16})\\]\\s*");

    /** An address of the file that was given. */
    private static final Pattern ADDRESS = Pattern.compile("\\s*(?:(file:)?0[xX])?([0-9a-fA-F]{1,16})\\s*");

    static TraceLine of(String line) {
        return ofBuild(line)
                .or(() -> ofPerf(line))
                .or(() -> ofSourceLine(line))
                .or(() -> ofBacktrace(line))
                .or(() -> ofUnmoved(line))
                .or(() -> ofAddress(line))
                .orElse(NO_STACK);
    }

    private static Optional<TraceLine> ofBuild(String line) {
        Matcher found = BUILD.matcher(line);
        return found.matches()
                ? Optional.of(
                        new TraceLine(Role.FRAME, new OfBuild(BuildId.parse(found.group(1)), number(found.group(2)))))
                : Optional.empty();
    }

    private static Optional<TraceLine> ofPerf(String line) {
        Matcher found = PERF.matcher(line);
        if (!found.matches()) {
            return Optional.empty();
        }
        String file = found.group(4);
        Long offset = optional(found.group(5));
        long loaded = number(found.group(2));
        Role role = perfRole(found.group(1) != null, loaded, file);
        return Optional.of(new TraceLine(role, perfAddress(file, offset, found.group(3), loaded)));
    }

    /**
     * Returns what an address of perf script is. Frames of the kernel stand before those of the program, whose first one is then
     * where the kernel interrupted it. An inlined function has the address of the frame below it.
     */
    private static Role perfRole(boolean isSample, long address, String file) {
        if (isSample) {
            return Role.SAMPLE;
        }
        boolean isOfKernel = address < 0;
        return isOfKernel || file.equals("inlined") ? Role.NOTE : Role.FRAME;
    }

    private static @Nullable StatedAddress perfAddress(String file, @Nullable Long offset, String symbol, long loaded) {
        Path path = file.startsWith("/") ? path(file) : null;
        if (path == null) {
            return null;
        }
        if (offset != null) {
            return new OfFile(path, new CodeAddress(offset, true));
        }
        Matcher found = SYMBOL.matcher(symbol);
        return found.matches() ? new OfSymbol(path, found.group(1), number(found.group(2)), loaded) : null;
    }

    private static Optional<TraceLine> ofSourceLine(String line) {
        return SOURCE_LINE.matches(line) ? Optional.of(new TraceLine(Role.NOTE, null)) : Optional.empty();
    }

    private static Optional<TraceLine> ofBacktrace(String line) {
        Matcher found = BACKTRACE.matcher(line);
        if (!found.matches()) {
            return Optional.empty();
        }
        long distance = found.group(3).equals("-") ? -number(found.group(4)) : number(found.group(4));
        String symbol = found.group(2);
        Path file = path(found.group(1));
        Long loaded = optional(found.group(5));
        StatedAddress address = file == null
                ? null
                : symbol.isEmpty()
                        ? new OfFile(file, new CodeAddress(distance, false))
                        : new OfSymbol(file, symbol, distance, loaded);
        return Optional.of(new TraceLine(Role.CALL, address));
    }

    private static Optional<TraceLine> ofUnmoved(String line) {
        Matcher found = UNMOVED.matcher(line);
        if (!found.matches()) {
            return Optional.empty();
        }
        Path file = path(found.group(1));
        return Optional.of(new TraceLine(
                Role.CALL, file == null ? null : new OfFile(file, new CodeAddress(number(found.group(2)), false))));
    }

    private static Optional<TraceLine> ofAddress(String line) {
        Matcher found = ADDRESS.matcher(line);
        return found.matches()
                ? Optional.of(new TraceLine(
                        Role.CALL, new OfGivenFile(new CodeAddress(number(found.group(2)), found.group(1) != null))))
                : Optional.empty();
    }

    /** Returns the path of a file; null if no file can have it. */
    private static @Nullable Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static @Nullable Long optional(@Nullable String digits) {
        return digits == null ? null : number(digits);
    }

    private static long number(String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }
}
