package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A running program with a preloaded library that keeps a list of all allocations and their call stacks. The test reads
 * its memory from outside, as a profiler does.
 */
final class InterposedProgram implements AutoCloseable {

    /** Depth of the call stack recorded for each allocation. */
    static final int LEVELS = 9;

    private static final String[] OPTIONS = {
        "-g", "-O1", "-fno-builtin", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-Wl,--build-id"
    };

    private final Path library;
    private final Path program;
    private final Process process;

    private InterposedProgram(Path library, Path program, Process process) {
        this.library = library;
        this.program = program;
        this.process = process;
    }

    /**
     * Compiles the library and the program, starts the program, and waits until it has made this many allocations, each
     * from its own call stack.
     */
    static InterposedProgram start(Path folder, int pieces) throws IOException {
        Path source = folder.resolve("interposer.c");
        try (var resource = Objects.requireNonNull(InterposedProgram.class.getResourceAsStream("interposer.c"))) {
            Files.copy(resource, source, StandardCopyOption.REPLACE_EXISTING);
        }
        Path library = folder.resolve("interposer.so");
        compile("-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", library, source);
        Path program = folder.resolve("program");
        compile("-o", program, Files.writeString(folder.resolve("program.c"), source(pieces)));
        ProcessBuilder builder = new ProcessBuilder(program.toString());
        builder.environment().put("LD_PRELOAD", library.toString());
        Process process = builder.start();
        if (process.getInputStream().read() != '.') {
            process.destroyForcibly();
            throw new IOException("the program has ended");
        }
        return new InterposedProgram(library, program, process);
    }

    private static void compile(Object... arguments) throws IOException {
        Object[] all = new Object[OPTIONS.length + arguments.length];
        System.arraycopy(OPTIONS, 0, all, 0, OPTIONS.length);
        System.arraycopy(arguments, 0, all, OPTIONS.length, arguments.length);
        RequiredTool.require("gcc").output(all);
    }

    /**
     * Returns C source with a separate function for each level of each call stack, so that no two stacks share a return
     * address.
     */
    private static String source(int pieces) {
        StringBuilder c = new StringBuilder("#include <stdlib.h>\n#include <unistd.h>\nvoid *kept[" + pieces + "];\n");
        for (int level = LEVELS - 1; level >= 0; level--) {
            for (int way = 0; way < pieces; way++) {
                c.append("static __attribute__((noinline)) void f")
                        .append(level)
                        .append('_')
                        .append(way);
                c.append("(void) { ");
                if (level == LEVELS - 1) {
                    c.append("kept[")
                            .append(way)
                            .append("] = malloc(")
                            .append(1000 + way)
                            .append("); }\n");
                } else {
                    c.append('f').append(level + 1).append('_').append(way).append("(); }\n");
                }
            }
        }
        return c + "int main(void) { "
                + IntStream.range(0, pieces)
                        .mapToObj(way -> "f0_" + way + "(); ")
                        .collect(Collectors.joining())
                + "write(1, \".\", 1); pause(); return 0; }\n";
    }

    Path library() {
        return library;
    }

    Path program() {
        return program;
    }

    /** Returns the difference between an address in the process and the ELF virtual address in the file. */
    long bias(Path file) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/maps"))) {
            // Both files are linked at 0, so their first byte is mapped at the bias.
            String[] columns = line.split(" +", -1);
            if (line.endsWith(" " + file) && columns[2].matches("0+")) {
                return Long.parseUnsignedLong(columns[0].split("-", -1)[0], 16);
            }
        }
        throw new IOException(file + " is not mapped");
    }

    /** Reads an unsigned number of at most 8 bytes in the machine's byte order. */
    long read(long address, int size) throws IOException {
        try (RandomAccessFile memory = new RandomAccessFile("/proc/" + process.pid() + "/mem", "r")) {
            byte[] bytes = new byte[8];
            memory.seek(address);
            if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
                memory.readFully(bytes, 0, size);
            } else {
                memory.readFully(bytes, 8 - size, size);
            }
            return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
