package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Layouts of a debug file as GDB evaluates them. */
public final class Gdb {

    /** Evaluates the expressions of a file, one per line, as C. */
    private static final String EVALUATE = """
        import gdb
        for line in open(gdb.convenience_variable("expressions").string()):
            try:
                print(int(gdb.parse_and_eval("(unsigned long)(" + line.strip() + ")")))
            except gdb.error as problem:
                print("?", problem)
        """;

    private final Path file;

    public Gdb(Path file) {
        this.file = file;
    }

    /** Returns the byte offsets of members ({@code "struct link_map"}, {@code "l_addr"}), in the order given. */
    public List<Long> offsets(String type, List<String> paths) throws IOException {
        return numbers(paths.stream().map(path -> offset(type, path)).toList());
    }

    /** Returns the sizes of types in bytes, in the order given. */
    public List<Long> sizes(List<String> types) throws IOException {
        return numbers(types.stream().map(Gdb::size).toList());
    }

    /** Returns the types of members in C syntax, in the order given. */
    public List<String> spellings(String type, List<String> paths) throws IOException {
        return run(paths.stream()
                        .map(path -> "whatis ((" + type + " *)0)->" + path)
                        .toList())
                .map(line -> line.substring("type = ".length()))
                .toList();
    }

    /** Returns the expression for the byte offset of a member. */
    public static String offset(String type, String path) {
        return "&((" + type + " *)0)->" + path;
    }

    /** Returns the expression for the size of a type in bytes. */
    public static String size(String type) {
        return "sizeof(" + type + ")";
    }

    /** Returns the values of expressions, in the order given. */
    public List<Long> numbers(List<String> expressions) throws IOException {
        return run(expressions.stream()
                        .map(expression -> "printf \"%lu\\n\", (unsigned long)(" + expression + ")")
                        .toList())
                .map(Long::valueOf)
                .toList();
    }

    /** Returns the values of any number of expressions of C, in the order given; {@code ?} with the reason for one without. */
    public List<String> evaluated(List<String> expressions) throws IOException {
        Path input = Files.createTempFile("expressions", ".txt");
        Path script = Files.createTempFile("evaluate", ".py");
        try {
            Files.write(input, expressions);
            Files.writeString(script, EVALUATE);
            return run(List.of("set language c", "set $expressions = \"" + input + "\"", "source " + script))
                    .toList();
        } finally {
            Files.delete(input);
            Files.delete(script);
        }
    }

    private Stream<String> run(List<String> commands) throws IOException {
        // Go programs name a script of their distribution, of which gdb would print that it is not loaded.
        List<Object> arguments = new ArrayList<>(
                List.of("-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no"));
        for (String command : commands) {
            arguments.add("-ex");
            arguments.add(command);
        }
        arguments.add(file);
        return RequiredTool.require("gdb").output(arguments.toArray()).lines();
    }
}
