package dev.offsetd.cli;

import dev.offsetd.cli.bench.BenchCommand;
import dev.offsetd.cli.file.BuildIdCommand;
import dev.offsetd.cli.file.DebugFiles;
import dev.offsetd.cli.file.DefinitionsCommand;
import dev.offsetd.cli.file.DiffCommand;
import dev.offsetd.cli.file.ExtractCommand;
import dev.offsetd.cli.file.ResolveCommand;
import dev.offsetd.cli.file.SymbolsCommand;
import dev.offsetd.cli.file.TypesCommand;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.View;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.symbol.SymbolPattern;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The grammar of the commands that answer from files of this machine: one method a command. */
final class CommandsOnFiles {

    static final String ITEMS = "what to look up, separated by commas";
    static final String JSON = "print JSON";
    static final String VIEW = "how --json shows a struct: fields, members or flat";
    static final String LANG = "only definitions in this language, such as rust";

    private static final String FILE =
            "an ELF file: a debug file, or a program or library whose debug file is installed";

    private final Console console;

    CommandsOnFiles(Console console) {
        this.console = console;
    }

    CommandSpec extract() {
        Syntax syntax = new Syntax("Look up layouts and offsets in a file.")
                .exitCodes(
                        "0:every item was found, and of type sets all that is required",
                        "1:an item was not found; the output says which",
                        "2:the items cannot be understood",
                        "3:the file cannot be read, or has no debug information");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<List<String>> items = syntax.parameters("ITEMS", false, String.class, ITEMS);
        BooleanSupplier all = syntax.flag("--all", "every type of the file, in place of ITEMS");
        BooleanSupplier definitions =
                syntax.flag("--definitions", "every complete definition, unmerged, one JSON object a line");
        BooleanSupplier json = syntax.flag("--json", JSON);
        Supplier<Optional<ExtractCommand.Output>> output = syntax.option(
                "--format",
                "FORMAT",
                ExtractCommand.Output.class,
                "table (default), text (C with offsets and holes), c (a header), or json");
        Supplier<Optional<View>> view = syntax.option("--view", "VIEW", View.class, VIEW);
        Supplier<Optional<String>> lang = syntax.option("--lang", "LANGUAGE", String.class, LANG);
        Supplier<List<Path>> debugDirs = debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(syntax, debugDirs);
        return syntax.does(() -> {
            List<String> named = items.get();
            if ((named.isEmpty() ? 0 : 1) + (all.getAsBoolean() ? 1 : 0) + (definitions.getAsBoolean() ? 1 : 0) != 1) {
                throw Arguments.usage(
                        "what to extract: expected ITEMS, or --all, or --definitions, and one of them only");
            }
            ExtractCommand.Format format = new ExtractCommand.Format(
                    output(json.getAsBoolean(), output.get()),
                    view.get().orElse(View.FIELDS),
                    Arguments.language(lang.get()));
            List<Item> parsed = named.isEmpty() ? List.of() : Arguments.items(named);
            OffsetExtractor extractor = options.extractor();
            DebugFiles files = files(extractor, debugDirs.get());
            if (definitions.getAsBoolean()) {
                return new DefinitionsCommand(extractor, files, console).run(file.get());
            }
            ExtractCommand extract = new ExtractCommand(extractor.leavingOutMissingUnits(), files, console);
            return all.getAsBoolean()
                    ? extract.runForAll(file.get(), format)
                    : extract.run(file.get(), Arguments.expand(parsed), format);
        });
    }

    private static ExtractCommand.Output output(boolean json, Optional<ExtractCommand.Output> named)
            throws CommandFailure {
        if (!json) {
            return named.orElse(ExtractCommand.Output.TABLE);
        }
        if (named.isPresent() && named.get() != ExtractCommand.Output.JSON) {
            throw Arguments.usage("--json and --format " + named.get().name().toLowerCase(Locale.ROOT)
                    + " are given; expected one of them");
        }
        return ExtractCommand.Output.JSON;
    }

    CommandSpec resolve() {
        Syntax syntax = new Syntax(
                        "Say what lies at a byte of a variable or type: _rtld_global+2352, struct link_map+0x28.",
                        "The chain of members that lead there; it branches at unions.")
                .exitCodes(
                        "0:the byte is in a member, or in padding",
                        "1:no such variable or type, or the byte is behind its end, or several differ",
                        "2:the expression cannot be understood",
                        "3:the file cannot be read, or has no debug information");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<String> expression =
                syntax.parameter("EXPR", String.class, "NAME, or NAME+N with N in decimal or 0x hexadecimal");
        BooleanSupplier json = syntax.flag("--json", JSON);
        Supplier<Optional<String>> lang =
                syntax.option("--lang", "LANGUAGE", String.class, "only variables and types of this language");
        Supplier<List<Path>> debugDirs = debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(syntax, debugDirs);
        return syntax.does(() -> {
            Optional<Language.Family> language = Arguments.language(lang.get());
            OffsetExpression parsed = Arguments.expression(expression.get());
            OffsetExtractor extractor = options.extractor();
            return new ResolveCommand(extractor.leavingOutMissingUnits(), files(extractor, debugDirs.get()), console)
                    .run(file.get(), parsed, language, json.getAsBoolean());
        });
    }

    CommandSpec diff() {
        Syntax syntax = new Syntax("Say what changed in the layouts from one build to another.")
                .exitCodes(
                        "0:nothing differs",
                        "1:something differs, or an item is in neither file",
                        "2:the items cannot be understood",
                        "3:a file cannot be read, or has no debug information");
        Supplier<Path> from = syntax.parameter("A", Path.class, "the file before");
        Supplier<Path> to = syntax.parameter("B", Path.class, "the file after");
        Supplier<List<String>> items = syntax.parameters(
                "ITEMS", false, String.class, "what to compare, separated by commas (default: every type)");
        BooleanSupplier json = syntax.flag("--json", JSON);
        Supplier<Optional<String>> lang = syntax.option("--lang", "LANGUAGE", String.class, LANG);
        Supplier<List<Path>> debugDirs = debugDirs(syntax);
        Supplier<Optional<Integer>> threads = threads(syntax);
        return syntax.does(() -> {
            Optional<Language.Family> language = Arguments.language(lang.get());
            List<Item> parsed = items.get().isEmpty() ? List.of() : Arguments.items(items.get());
            OffsetExtractor extractor =
                    extractor(Arguments.threads(threads.get())).withDebugFolders(folders(debugDirs.get()));
            return new DiffCommand(extractor, files(extractor, debugDirs.get()), console)
                    .run(from.get(), to.get(), parsed, language, json.getAsBoolean());
        });
    }

    CommandSpec types() {
        Syntax syntax = new Syntax("List the named types of a file: kind, size in bytes, qualified name.");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        BooleanSupplier json = syntax.flag("--json", JSON);
        Supplier<List<Path>> debugDirs = debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(syntax, debugDirs);
        return syntax.does(() -> {
            OffsetExtractor extractor = options.extractor();
            return new TypesCommand(extractor.leavingOutMissingUnits(), files(extractor, debugDirs.get()), console)
                    .run(file.get(), json.getAsBoolean());
        });
    }

    CommandSpec symbols() {
        Syntax syntax = new Syntax(
                        "List the symbols of a file: address, size, type, binding, visibility, section, where they were"
                                + " found, name with version.",
                        "NAMES are names, with or without version, or patterns with * ? [..].")
                .exitCodes(
                        "0:every name and address was found",
                        "1:a name or address was not found; standard error says which",
                        "2:a name, pattern or address cannot be understood",
                        "3:the file cannot be read, or has no symbols");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<List<String>> names =
                syntax.parameters("NAMES", false, String.class, "what to list, separated by commas");
        Supplier<List<String>> addresses = syntax.options(
                "--addresses",
                "0xADDRESS[,...]",
                String.class,
                "ELF virtual addresses whose symbols to print, separated by commas");
        BooleanSupplier family =
                syntax.flag("--family", "with NAMES: also what the compiler made of these functions (.cold, .part.0)");
        BooleanSupplier json = syntax.flag("--json", JSON);
        Supplier<List<Path>> debugDirs = syntax.options(
                "--debug-dir",
                "DIR",
                Path.class,
                "folder with installed debug files, for files without .symtab; may be given several times"
                        + " (default: /usr/lib/debug)");
        return syntax.does(() -> {
            List<String> wanted = apart(names.get());
            if (!addresses.get().isEmpty() && !wanted.isEmpty()) {
                throw Arguments.usage("what to look up: expected NAMES or --addresses, not both");
            }
            if (family.getAsBoolean() && wanted.isEmpty()) {
                throw Arguments.usage("--family: expected NAMES");
            }
            OffsetExtractor extractor = extractor(1);
            SymbolsCommand command = new SymbolsCommand(extractor, files(extractor, debugDirs.get()), console);
            if (!addresses.get().isEmpty()) {
                List<Long> parsed = new ArrayList<>();
                for (String address : apart(addresses.get())) {
                    parsed.add(Arguments.address(address));
                }
                return command.runForAddresses(file.get(), parsed, json.getAsBoolean());
            }
            if (wanted.isEmpty()) {
                return command.runForAll(file.get(), json.getAsBoolean());
            }
            Map<String, SymbolPattern> patterns = new LinkedHashMap<>();
            for (String name : wanted) {
                patterns.put(name, Arguments.pattern(name));
            }
            return command.runForNames(file.get(), patterns, family.getAsBoolean(), json.getAsBoolean());
        });
    }

    private static List<String> apart(List<String> lists) {
        return lists.stream().flatMap(list -> Stream.of(list.split(",", -1))).toList();
    }

    CommandSpec buildId() {
        Syntax syntax = new Syntax("Print the build-id of a file.")
                .exitCodes("0:printed", "1:the file has none", "3:the file cannot be read, or is no ELF file");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, "any ELF file");
        BooleanSupplier json = syntax.flag("--json", JSON);
        return syntax.does(
                () -> new BuildIdCommand(files(extractor(1), List.of()), console).run(file.get(), json.getAsBoolean()));
    }

    CommandSpec bench() {
        Syntax syntax = new Syntax(
                "Measure how long reading a file takes, in one warm process: the first match, the full scan for the wanted"
                        + " names, and the pass over all types.",
                "Speeds are megabytes (1,000,000 bytes) of decompressed .debug_info a second.");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<List<String>> items = syntax.parameters("ITEMS", true, String.class, ITEMS);
        BooleanSupplier json = syntax.flag("--json", JSON);
        Supplier<Integer> runs =
                syntax.option("--runs", "N", Integer.class, 20, "runs that count, 10 or more (default: 20)");
        Supplier<Integer> warmUpRuns =
                syntax.option("--warm-up", "N", Integer.class, 20, "runs before those (default: 20)");
        Supplier<List<Path>> debugDirs = debugDirs(syntax);
        Supplier<Optional<Integer>> threads = threads(syntax);
        return syntax.does(() -> {
            if (runs.get() < 10) {
                throw Arguments.usage(
                        "--runs is " + runs.get() + "; expected 10 or more, for a median that means something");
            }
            if (warmUpRuns.get() < 0) {
                throw Arguments.usage("--warm-up is " + warmUpRuns.get() + "; expected 0 or more");
            }
            int threadCount = Arguments.threads(threads.get());
            OffsetExtractor extractor = extractor(threadCount).withDebugFolders(folders(debugDirs.get()));
            return new BenchCommand(extractor, threadCount, files(extractor, debugDirs.get()), console)
                    .run(
                            file.get(),
                            Arguments.wanted(Arguments.items(items.get())),
                            warmUpRuns.get(),
                            runs.get(),
                            json.getAsBoolean());
        });
    }

    static OffsetExtractor extractor(int threads) {
        return new OffsetExtractor(Limits.DEFAULT, threads).followingAnyPath();
    }

    private DebugFiles files(OffsetExtractor extractor, List<Path> debugDirs) {
        return new DebugFiles(extractor, folders(debugDirs), console);
    }

    private static List<Path> folders(List<Path> debugDirs) {
        return debugDirs.isEmpty() ? List.of(DebugFiles.SYSTEM_FOLDER) : debugDirs;
    }

    private static Supplier<List<Path>> debugDirs(Syntax syntax) {
        return syntax.options(
                "--debug-dir",
                "DIR",
                Path.class,
                "folder with installed debug files: .build-id/xx/rest.debug, .dwz/, and those that a .gnu_debuglink"
                        + " names; may be given several times (default: /usr/lib/debug)");
    }

    private static Supplier<Optional<Integer>> threads(Syntax syntax) {
        return syntax.option("--threads", "N", Integer.class, "threads that read the file (default: one a processor)");
    }

    /** The options that an extractor is made by where one file is asked for its types. */
    private static final class ExtractorOptions {

        private final Supplier<List<Path>> debugDirs;
        private final Supplier<Optional<Path>> supplementary;
        private final Supplier<Optional<Path>> btfBase;
        private final Supplier<Optional<Integer>> threads;

        ExtractorOptions(Syntax syntax, Supplier<List<Path>> debugDirs) {
            this.debugDirs = debugDirs;
            supplementary = syntax.option(
                    "--supplementary",
                    "FILE",
                    Path.class,
                    "the supplementary file that FILE names, as dwz makes it (default: looked for beside FILE, in"
                            + " .dwz/ there and above, and in --debug-dir)");
            btfBase = syntax.option(
                    "--btf-base",
                    "FILE",
                    Path.class,
                    "the vmlinux that a kernel module was made for; a module's BTF only adds to the kernel's");
            threads = threads(syntax);
        }

        OffsetExtractor extractor() throws CommandFailure {
            OffsetExtractor extractor = CommandsOnFiles.extractor(Arguments.threads(threads.get()))
                    .withDebugFolders(folders(debugDirs.get()));
            if (supplementary.get().isPresent()) {
                extractor = extractor.withSupplementaryFile(supplementary.get().get());
            }
            return btfBase.get().isPresent()
                    ? extractor.withBaseBtf(btfBase.get().get())
                    : extractor;
        }
    }
}
