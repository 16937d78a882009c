package dev.offsetd.cli;

import dev.offsetd.cli.file.BuildIdCommand;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.file.DefinitionsCommand;
import dev.offsetd.cli.file.DiffCommand;
import dev.offsetd.cli.file.ExtractCommand;
import dev.offsetd.cli.file.FileAnswers;
import dev.offsetd.cli.file.ResolveCommand;
import dev.offsetd.cli.file.SymbolizeCommand;
import dev.offsetd.cli.file.SymbolsCommand;
import dev.offsetd.cli.file.TypeFilter;
import dev.offsetd.cli.file.TypesCommand;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;
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
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Options and parameters of the commands that read local files, one method per command. */
final class FileCommands {

    static final String ITEMS = "items to look up, separated by commas";
    static final String JSON = "print JSON";
    static final String LANG = "only definitions in this language: c, c++, rust or go";

    private static final List<String> LANGUAGES = List.of("c", "c++", "rust", "go");
    static final String FILE = "ELF file: a debug file, or a program or library with an installed debug file";

    private final Console console;

    FileCommands(Console console) {
        this.console = console;
    }

    private static Syntax extractSyntax() {
        return new Syntax("Look up layouts and offsets in a file.")
                .examples(
                        "offsetd extract libc.so.6 malloc_state,malloc_chunk.fd",
                        "offsetd extract vmlinux task_struct --format text --expand 1",
                        "offsetd extract libruby.so @ruby --json",
                        "offsetd extract libruby.so @ruby --view map --format c")
                .exitCodes(
                        "0:found every item, and the required items of type sets",
                        "1:an item was not found; the output names it",
                        "2:invalid items",
                        "3:the file is unreadable or has no debug information");
    }

    CommandSpec extract() {
        Syntax syntax = extractSyntax();
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<List<String>> items = syntax.parameters("ITEMS", false, String.class, ITEMS);
        BooleanSupplier all = syntax.flag("-a,--all", "every type of the file, instead of ITEMS");
        BooleanSupplier definitions =
                syntax.flag("--definitions", "every complete definition, unmerged, one JSON object per line");
        BooleanSupplier json = syntax.flag("-j,--json", JSON);
        Supplier<Optional<FileAnswers.OutputFormat>> output = syntax.choice(
                "-f,--format",
                "FORMAT",
                FileAnswers.OutputFormat.class,
                List.of("table", "text", "c", "json", "yaml"),
                "table (default), text (C with offsets and holes), c (a header), json, or yaml (default of"
                        + " --view map)");
        Supplier<Optional<View>> view = view(syntax);
        Supplier<Optional<String>> map = map(syntax);
        Supplier<Integer> expand = syntax.option(
                "-E,--expand", "N", Integer.class, 0, "show the members of nested structs, N levels deep (default: 0)");
        Supplier<Optional<String>> lang = lang(syntax, LANG);
        Supplier<List<Path>> debugDirs = ExtractorOptions.debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(console, syntax, debugDirs);
        return syntax.does(() -> {
            List<String> named = items.get();
            if ((named.isEmpty() ? 0 : 1) + (all.getAsBoolean() ? 1 : 0) + (definitions.getAsBoolean() ? 1 : 0) != 1) {
                throw Arguments.usage("nothing or too much to extract: expected one of ITEMS, --all and --definitions");
            }
            int levels = Arguments.levels(expand.get());
            boolean mapped = view.get().equals(Optional.of(View.MAP));
            Arguments.requireMapView(map.get(), view.get());
            if (mapped && named.isEmpty()) {
                throw Arguments.usage("--view map is of one type set; expected a single item @SET");
            }
            FileAnswers.OutputOptions format = new FileAnswers.OutputOptions(
                    output(json.getAsBoolean(), output.get(), mapped),
                    view.get().orElse(levels == 0 ? View.FIELDS : View.MEMBERS),
                    Arguments.language(lang.get()),
                    levels);
            List<Item> parsed = named.isEmpty() ? List.of() : Arguments.items(named);
            OffsetExtractor extractor = options.extractor();
            DebugFileFinder files = files(extractor, debugDirs.get());
            if (definitions.getAsBoolean()) {
                return new DefinitionsCommand(extractor, files, console).run(file.get());
            }
            ExtractCommand extract = new ExtractCommand(extractor.leavingOutMissingUnits(), files, console);
            return all.getAsBoolean()
                    ? extract.runForAll(file.get(), format)
                    : extract.run(
                            file.get(),
                            mapped ? Arguments.expandMap(parsed, map.get()) : Arguments.expand(parsed),
                            format);
        });
    }

    private static FileAnswers.OutputFormat output(
            boolean json, Optional<FileAnswers.OutputFormat> named, boolean mapped) throws CommandFailure {
        Set<FileAnswers.OutputFormat> offered = mapped
                ? Set.of(FileAnswers.OutputFormat.YAML, FileAnswers.OutputFormat.C, FileAnswers.OutputFormat.JSON)
                : Set.of(
                        FileAnswers.OutputFormat.TABLE,
                        FileAnswers.OutputFormat.TEXT,
                        FileAnswers.OutputFormat.C,
                        FileAnswers.OutputFormat.JSON);
        if (named.isPresent() && !offered.contains(named.get())) {
            throw Arguments.usage(
                    mapped
                            ? "--format of --view map: expected yaml, c or json"
                            : "--format yaml is for name maps; expected --view map with it");
        }
        if (!json) {
            return named.orElse(mapped ? FileAnswers.OutputFormat.YAML : FileAnswers.OutputFormat.TABLE);
        }
        if (named.isPresent() && named.get() != FileAnswers.OutputFormat.JSON) {
            throw Arguments.usage("--json and --format " + named.get().name().toLowerCase(Locale.ROOT)
                    + " are both given; expected one of them");
        }
        return FileAnswers.OutputFormat.JSON;
    }

    CommandSpec resolve() {
        Syntax syntax = new Syntax(
                        "Show what is at a byte of a variable or type.",
                        "Prints the chain of members that contain the byte; it branches at unions.")
                .examples(
                        "offsetd resolve ld-linux-x86-64.so.2 _rtld_global+2352",
                        "offsetd resolve ld-linux-x86-64.so.2 'struct link_map+0x28'")
                .exitCodes(
                        "0:the byte is in a member, or in padding",
                        "1:no such variable or type, byte beyond its end, or differing definitions",
                        "2:invalid expression",
                        "3:the file is unreadable or has no debug information");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<String> expression =
                syntax.parameter("EXPR", String.class, "NAME or NAME+N, with N in decimal or 0x hexadecimal");
        BooleanSupplier json = syntax.flag("-j,--json", JSON);
        Supplier<Optional<String>> lang = lang(syntax, "only variables and types in this language: c, c++, rust or go");
        Supplier<List<Path>> debugDirs = ExtractorOptions.debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(console, syntax, debugDirs);
        return syntax.does(() -> {
            Optional<Language.Family> language = Arguments.language(lang.get());
            OffsetExpression parsed = Arguments.expression(expression.get());
            OffsetExtractor extractor = options.extractor();
            return new ResolveCommand(extractor.leavingOutMissingUnits(), files(extractor, debugDirs.get()), console)
                    .run(file.get(), parsed, language, json.getAsBoolean());
        });
    }

    CommandSpec diff() {
        Syntax syntax = new Syntax("Compare the layouts of two builds.")
                .examples(
                        "offsetd diff libruby-3.3.so libruby-3.4.so",
                        "offsetd diff libruby-3.3.so libruby-3.4.so RString,@ruby")
                .exitCodes(
                        "0:no differences",
                        "1:differences, or an item is in neither file",
                        "2:invalid items",
                        "3:a file is unreadable or has no debug information");
        Supplier<Path> from = syntax.parameter("A", Path.class, "old file");
        Supplier<Path> to = syntax.parameter("B", Path.class, "new file");
        Supplier<List<String>> items = syntax.parameters(
                "ITEMS", false, String.class, "items to compare, separated by commas (default: every type)");
        BooleanSupplier json = syntax.flag("-j,--json", JSON);
        Supplier<Optional<String>> lang = lang(syntax, LANG);
        Supplier<List<Path>> debugDirs = ExtractorOptions.debugDirs(syntax);
        Supplier<Optional<Integer>> threads = ExtractorOptions.threads(syntax);
        return syntax.does(() -> {
            Optional<Language.Family> language = Arguments.language(lang.get());
            List<Item> parsed = items.get().isEmpty()
                    ? List.of()
                    : Arguments.expand(Arguments.items(items.get())).comparable();
            OffsetExtractor extractor = ExtractorOptions.reading(console, Arguments.threads(threads.get()))
                    .withDebugFolders(ExtractorOptions.folders(debugDirs.get()));
            return new DiffCommand(extractor, files(extractor, debugDirs.get()), console)
                    .run(from.get(), to.get(), parsed, language, json.getAsBoolean());
        });
    }

    CommandSpec types() {
        Syntax syntax = new Syntax(
                        "List the named types of a file.",
                        "Prints kind, size in bytes and qualified name; sorted by holes, also the bytes that no member"
                                + " uses.")
                .examples(
                        "offsetd types libruby.so",
                        "offsetd types libruby.so 'rb_*' --kind struct --min-size 64",
                        "offsetd types vmlinux --sort holes | head");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<Optional<String>> pattern = syntax.optionalParameter(
                "PATTERN", String.class, "part of the name, or a pattern of the whole name with * and ?");
        BooleanSupplier json = syntax.flag("-j,--json", JSON);
        Supplier<Optional<TypeKind>> kind = syntax.choice(
                "-k,--kind",
                "KIND",
                TypeKind.class,
                Stream.of(TypeKind.values()).map(TypeKind::word).toList(),
                "only this kind: struct, union, class, enum, typedef or base");
        Supplier<Optional<String>> lang = lang(syntax, "only types in this language: c, c++, rust or go");
        Supplier<Long> minSize =
                syntax.option("-m,--min-size", "BYTES", Long.class, 0L, "only types of at least this size");
        Supplier<Optional<TypeFilter.Order>> sort = syntax.choice(
                "-s,--sort",
                "ORDER",
                TypeFilter.Order.class,
                List.of("name", "size", "holes"),
                "name (default), size or holes; the largest first");
        Supplier<List<Path>> debugDirs = ExtractorOptions.debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(console, syntax, debugDirs);
        return syntax.does(() -> {
            TypeFilter filter = new TypeFilter(
                    pattern.get(),
                    kind.get(),
                    Arguments.language(lang.get()),
                    minSize.get(),
                    sort.get().orElse(TypeFilter.Order.NAME));
            OffsetExtractor extractor = options.extractor();
            return new TypesCommand(extractor.leavingOutMissingUnits(), files(extractor, debugDirs.get()), console)
                    .run(file.get(), filter, json.getAsBoolean());
        });
    }

    CommandSpec symbolize() {
        Syntax syntax = new Syntax(
                        "Print functions, inlined functions, files and lines at addresses.",
                        "Prints a line for each frame, the innermost first, from DWARF, the line table of Go or the"
                                + " symbols.")
                .examples("offsetd symbolize app 0x4011f0 0x401234", "offsetd symbolize libc.so.6 0x8a3d1 --json")
                .exitCodes(
                        "0:found every address",
                        "1:an address is in no function and no line; standard error names it",
                        "2:invalid address",
                        "3:the file is unreadable or has no lines and no symbols");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<List<String>> addresses =
                syntax.parameters("ADDRESSES", true, String.class, "ELF virtual addresses, separated by commas");
        BooleanSupplier json = syntax.flag("-j,--json", JSON);
        Supplier<List<Path>> debugDirs = ExtractorOptions.debugDirs(syntax);
        ExtractorOptions options = new ExtractorOptions(console, syntax, debugDirs);
        return syntax.does(() -> {
            List<Long> parsed = new ArrayList<>();
            for (String address : apart(addresses.get())) {
                parsed.add(Arguments.address(address));
            }
            OffsetExtractor extractor = options.extractor().leavingOutMissingUnits();
            return new SymbolizeCommand(extractor, files(extractor, debugDirs.get()), console)
                    .run(file.get(), parsed, json.getAsBoolean());
        });
    }

    CommandSpec symbols() {
        Syntax syntax = new Syntax(
                        "List the symbols of a file, or look up names and addresses.",
                        "Prints address, size, type, binding, visibility, section, symbol table, and name with"
                                + " version.",
                        "NAMES are names, with or without version, or patterns with *, ? and [..].")
                .examples("offsetd symbols libc.so.6 'malloc*'", "offsetd symbols app --addresses 0x4011f0")
                .exitCodes(
                        "0:found every name and address",
                        "1:a name or address was not found; standard error names it",
                        "2:invalid name, pattern or address",
                        "3:the file is unreadable or has no symbols");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<List<String>> names =
                syntax.parameters("NAMES", false, String.class, "names to list, separated by commas");
        Supplier<List<String>> addresses = syntax.options(
                "--addresses",
                "0xADDRESS[,...]",
                String.class,
                "ELF virtual addresses to look up, separated by commas");
        BooleanSupplier family =
                syntax.flag("--family", "with NAMES: also the parts that the compiler split off (.cold, .part.0)");
        BooleanSupplier json = syntax.flag("-j,--json", JSON);
        Supplier<List<Path>> debugDirs = syntax.options(
                "-d,--debug-dir",
                "DIR",
                Path.class,
                "folder with installed debug files, for files without .symtab; repeatable"
                        + " (default: /usr/lib/debug)");
        return syntax.does(() -> {
            List<String> wanted = apart(names.get());
            if (!addresses.get().isEmpty() && !wanted.isEmpty()) {
                throw Arguments.usage("NAMES and --addresses are both given; expected one of them");
            }
            if (family.getAsBoolean() && wanted.isEmpty()) {
                throw Arguments.usage("--family needs NAMES");
            }
            OffsetExtractor extractor = ExtractorOptions.extractor(1);
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
                .examples("offsetd build-id /usr/bin/ls", "offsetd build-id ./server --all")
                .exitCodes("0:success", "1:the file has none", "3:the file is unreadable or not an ELF file");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, "any ELF file");
        BooleanSupplier all =
                syntax.flag("--all", "also print the alias keys: Go build-id, OpenTelemetry's htlhash, SHA-256");
        BooleanSupplier json = syntax.flag("-j,--json", JSON);
        return syntax.does(() -> new BuildIdCommand(files(ExtractorOptions.extractor(1), List.of()), console)
                .run(file.get(), all.getAsBoolean(), json.getAsBoolean()));
    }

    DebugFileFinder files(OffsetExtractor extractor, List<Path> debugDirs) {
        return new DebugFileFinder(extractor, ExtractorOptions.folders(debugDirs), console);
    }

    static Supplier<Optional<View>> view(Syntax syntax) {
        return syntax.choice(
                "-v,--view",
                "VIEW",
                View.class,
                Stream.of(View.values()).map(View::word).toList(),
                "view of structs with --json: fields, members or flat; or map: a number under each name of a consumer,"
                        + " for one type set");
    }

    static Supplier<Optional<String>> map(Syntax syntax) {
        return syntax.option(
                "-m,--map", "NAME", String.class, "name map of --view map (default: the only one of the type set)");
    }

    static Supplier<Optional<String>> lang(Syntax syntax, String description) {
        return syntax.choice("-l,--lang", "LANGUAGE", String.class, LANGUAGES, description);
    }
}
