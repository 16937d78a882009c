package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Layouts of a debug file as GDB evaluates them. */
public final class Gdb {

    /** Evaluates the expressions of a file, one per line, as C. The expression for a bit-field has three parts, between tabs. */
    private static final String EVALUATE = """
        import gdb
        def found(type, name):
            for field in type.strip_typedefs().fields():
                if field.name == name:
                    return field.bitpos, field.bitsize
                inner = None if field.name else found(field.type, name)
                if inner:
                    return field.bitpos + inner[0], inner[1]
        def bits(what, whole, name):
            value = gdb.parse_and_eval(whole)
            offset, size = found(value.type, name)
            return int(value.address) * 8 + offset if what == "offset" else size
        for line in open(gdb.convenience_variable("expressions").string()):
            try:
                parts = line.strip().split("\t")
                print(int(bits(*parts) if parts[1:] else gdb.parse_and_eval("(unsigned long)(" + parts[0] + ")")))
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

    /** Returns the expression for the bits from address 0 to a bit-field of an object of C. */
    public static String bitOffset(String object, String bitField) {
        return "offset\t" + object + "\t" + bitField;
    }

    /** Returns the expression for the width of a bit-field. */
    public static String bitSize(String object, String bitField) {
        return "size\t" + object + "\t" + bitField;
    }

    /** Returns the values of any number of expressions of C, in the order given; {@code ?} with the reason for one without. */
    public List<String> evaluated(List<String> expressions) throws IOException {
        return evaluated(List.of(), expressions);
    }

    /** Returns their values when the program, which is run, first reaches a function. */
    public List<String> evaluatedIn(String function, List<String> expressions) throws IOException {
        List<String> lines = evaluated(List.of("break " + function, "run < /dev/null > /dev/null"), expressions);
        return lines.subList(lines.size() - expressions.size(), lines.size());
    }

    private List<String> evaluated(List<String> before, List<String> expressions) throws IOException {
        Path input = Files.createTempFile("expressions", ".txt");
        Path script = Files.createTempFile("evaluate", ".py");
        try {
            Files.write(input, expressions);
            Files.writeString(script, EVALUATE);
            List<String> commands = new ArrayList<>(before);
            commands.addAll(List.of("set language c", "set $expressions = \"" + input + "\"", "source " + script));
            return run(commands).toList();
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
