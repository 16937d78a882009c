package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What GDB works out of a debug file, by expressions of its own. */
public final class Gdb {

    private final Path file;

    public Gdb(Path file) {
        this.file = file;
    }

    /** Bytes from the start of each type to a member ({@code "struct link_map"}, {@code "l_addr"}), in their order. */
    public List<Long> offsets(String type, List<String> paths) throws IOException {
        return numbers(paths.stream().map(path -> offset(type, path)).toList());
    }

    /** Sizes of types in bytes, in their order. */
    public List<Long> sizes(List<String> types) throws IOException {
        return numbers(types.stream().map(Gdb::size).toList());
    }

    /** The types of members as C spells them, in their order. */
    public List<String> spellings(String type, List<String> paths) throws IOException {
        return run(paths.stream()
                        .map(path -> "whatis ((" + type + " *)0)->" + path)
                        .toList())
                .map(line -> line.substring("type = ".length()))
                .toList();
    }

    /** Asks for bytes from the start of a type to a member. */
    public static String offset(String type, String path) {
        return "&((" + type + " *)0)->" + path;
    }

    /** Asks for the size of a type in bytes. */
    public static String size(String type) {
        return "sizeof(" + type + ")";
    }

    /** The values of expressions, in their order. */
    public List<Long> numbers(List<String> expressions) throws IOException {
        return run(expressions.stream()
                        .map(expression -> "printf \"%lu\\n\", (unsigned long)(" + expression + ")")
                        .toList())
                .map(Long::valueOf)
                .toList();
    }

    private Stream<String> run(List<String> commands) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of("-nx", "-batch", "-iex", "set debuginfod enabled off"));
        for (String command : commands) {
            arguments.add("-ex");
            arguments.add(command);
        }
        arguments.add(file);
        return RequiredTool.require("gdb").output(arguments.toArray()).lines();
    }
}
