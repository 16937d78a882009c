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
import dev.offsetd.cli.packages.BuildFinder;
import dev.offsetd.cli.packages.Findings;
import dev.offsetd.cli.prewarm.FailUnder;
import dev.offsetd.cli.prewarm.PrewarmCommand;
import dev.offsetd.cli.prewarm.Wish;
import dev.offsetd.cli.push.PushCommand;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.OffsetsQuestion;
import dev.offsetd.cli.remote.QueryCommand;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.extract.Wanted;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.item.ItemSyntaxException;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.resolve.ExpressionSyntaxException;
import dev.offsetd.extractor.resolve.OffsetExpression;
import dev.offsetd.extractor.symbol.SymbolPattern;
import dev.offsetd.extractor.typeset.BuiltInTypeSets;
import dev.offsetd.extractor.typeset.Expansion;
import dev.offsetd.extractor.typeset.UnknownTypeSetException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The grammar of the command line: one method a command, its parameters what may be typed. */
@Command(
        name = "offsetd",
        mixinStandardHelpOptions = true,
        versionProvider = Commands.Version.class,
        subcommands = picocli.CommandLine.HelpCommand.class,
        synopsisSubcommandLabel = "COMMAND",
        description = "Struct layouts out of debug files, and the server that answers them by build-id.",
        commandListHeading = "%nCommands:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done; everything that was asked for is in the output",
            "1:answered, but not everything was found; test: a test failed",
            "2:the command line cannot be understood",
            "3:the file cannot be read, is malformed or not supported, or has no debug information",
            "4:the server cannot be reached, failed, or did not answer in time",
            "5:the output cannot be written",
            "6:prewarm, push: a file that was named cannot be read, or there is nothing to send",
            "10:no JDK 25 was found",
            "11:the build failed",
            "70:a fault of offsetd",
            "141:the reader of the output has gone"
        },
        footer = {
            "",
            "ITEMS are separated by commas: a type (malloc_state), a member path",
            "(RString.as.heap.ptr), an enumerator (enumerator TASK_DEAD), or",
            "alternatives (a|b). The grammar is in docs/cli.md."
        })
final class Commands {

    private static final String FILE =
            "an ELF file: a debug file, or a program or library whose debug file is installed";
    private static final String ITEMS = "what to look up, separated by commas";
    private static final String JSON = "print JSON";
    private static final String THREADS = "threads that read the file (default: one a processor)";
    private static final String DEBUG_DIR =
            "folder with .build-id/xx/rest.debug, for files without debug information; may be given several times"
                    + " (default: /usr/lib/debug)";
    private static final String SUPPLEMENTARY =
            "the supplementary file that FILE names, as dwz makes it (default: looked for beside FILE and in .dwz/ there and above)";
    private static final String BTF_BASE =
            "the vmlinux that a kernel module was made for; a module's BTF only adds to the kernel's";
    private static final String VIEW = "how --json shows a struct: fields, members or flat";
    private static final String LANG = "only definitions in this language, such as rust";

    private static final String SERVER = "the server, such as http://127.0.0.1:8080";
    private static final String TOKEN_FILE = "a file with the token to show to the server (default: $$OFFSETD_TOKEN)";

    private static final int MAX_THREADS = 1024;

    /** Files that are named one by one if they cannot be read. */
    private static final int MAX_SAID = 5;

    private final Console console;

    Commands(Console console) {
        this.console = console;
    }

    @Command(
            name = "extract",
            mixinStandardHelpOptions = true,
            description = "Look up layouts and offsets in a file.",
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:every item was found, and of type sets all that is required",
                "1:an item was not found; the output says which",
                "2:the items cannot be understood",
                "3:the file cannot be read, or has no debug information"
            })
    int extract(
            @Parameters(paramLabel = "FILE", description = FILE) Path file,
            @Parameters(paramLabel = "ITEMS", arity = "0..*", description = ITEMS) @Nullable List<String> items,
            @Option(names = "--all", description = "every type of the file, in place of ITEMS") boolean all,
            @Option(
                            names = "--definitions",
                            description = "every complete definition, unmerged, one JSON object a line")
                    boolean definitions,
            @Option(names = "--json", description = JSON) boolean asJson,
            @Option(
                            names = "--format",
                            paramLabel = "FORMAT",
                            description = "table (default), text (C with offsets and holes), c (a header), or json")
                    ExtractCommand.@Nullable Output output,
            @Option(names = "--view", paramLabel = "VIEW", description = VIEW) @Nullable View view,
            @Option(names = "--lang", paramLabel = "LANGUAGE", description = LANG) @Nullable String lang,
            @Option(names = "--debug-dir", paramLabel = "DIR", description = DEBUG_DIR) @Nullable List<Path> debugDirs,
            @Option(names = "--supplementary", paramLabel = "FILE", description = SUPPLEMENTARY) @Nullable
                    Path supplementary,
            @Option(names = "--btf-base", paramLabel = "FILE", description = BTF_BASE) @Nullable Path btfBase,
            @Option(names = "--threads", paramLabel = "N", description = THREADS) @Nullable Integer threads)
            throws CommandFailure, IOException {
        List<String> named = items == null ? List.of() : items;
        if ((named.isEmpty() ? 0 : 1) + (all ? 1 : 0) + (definitions ? 1 : 0) != 1) {
            throw usage("what to extract: expected ITEMS, or --all, or --definitions, and one of them only");
        }
        if (asJson && output != null && output != ExtractCommand.Output.JSON) {
            throw usage("--json and --format " + output.name().toLowerCase(Locale.ROOT)
                    + " are given; expected one of them");
        }
        ExtractCommand.Output chosen = output == null ? ExtractCommand.Output.TABLE : output;
        ExtractCommand.Format format = new ExtractCommand.Format(
                asJson ? ExtractCommand.Output.JSON : chosen, view == null ? View.FIELDS : view, language(lang));
        List<Item> parsed = named.isEmpty() ? List.of() : parse(named);
        OffsetExtractor extractor = extractor(threadCount(threads), supplementary, btfBase);
        DebugFiles files = files(extractor, debugDirs);
        if (definitions) {
            return new DefinitionsCommand(extractor, files, console).run(file);
        }
        ExtractCommand extract = new ExtractCommand(extractor, files, console);
        return all ? extract.runForAll(file, format) : extract.run(file, expand(parsed), format);
    }

    @Command(
            name = "resolve",
            mixinStandardHelpOptions = true,
            description = {
                "Say what lies at a byte of a variable or type: _rtld_global+2352, struct link_map+0x28.",
                "The chain of members that lead there; it branches at unions."
            },
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:the byte is in a member, or in padding",
                "1:no such variable or type, or the byte is behind its end, or several differ",
                "2:the expression cannot be understood",
                "3:the file cannot be read, or has no debug information"
            })
    int resolve(
            @Parameters(paramLabel = "FILE", description = FILE) Path file,
            @Parameters(paramLabel = "EXPR", description = "NAME, or NAME+N with N in decimal or 0x hexadecimal")
                    String expression,
            @Option(names = "--json", description = JSON) boolean asJson,
            @Option(
                            names = "--lang",
                            paramLabel = "LANGUAGE",
                            description = "only variables and types of this language")
                    @Nullable
                    String lang,
            @Option(names = "--debug-dir", paramLabel = "DIR", description = DEBUG_DIR) @Nullable List<Path> debugDirs,
            @Option(names = "--supplementary", paramLabel = "FILE", description = SUPPLEMENTARY) @Nullable
                    Path supplementary,
            @Option(names = "--btf-base", paramLabel = "FILE", description = BTF_BASE) @Nullable Path btfBase,
            @Option(names = "--threads", paramLabel = "N", description = THREADS) @Nullable Integer threads)
            throws CommandFailure, IOException {
        Optional<Language.Family> language = language(lang);
        OffsetExpression parsed = parseExpression(expression);
        OffsetExtractor extractor = extractor(threadCount(threads), supplementary, btfBase);
        return new ResolveCommand(extractor, files(extractor, debugDirs), console).run(file, parsed, language, asJson);
    }

    @Command(
            name = "diff",
            mixinStandardHelpOptions = true,
            description = "Say what changed in the layouts from one build to another.",
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:nothing differs",
                "1:something differs, or an item is in neither file",
                "2:the items cannot be understood",
                "3:a file cannot be read, or has no debug information"
            })
    int diff(
            @Parameters(paramLabel = "A", description = "the file before") Path from,
            @Parameters(paramLabel = "B", description = "the file after") Path to,
            @Parameters(
                            paramLabel = "ITEMS",
                            arity = "0..*",
                            description = "what to compare, separated by commas (default: every type)")
                    @Nullable
                    List<String> items,
            @Option(names = "--json", description = JSON) boolean asJson,
            @Option(names = "--lang", paramLabel = "LANGUAGE", description = LANG) @Nullable String lang,
            @Option(names = "--debug-dir", paramLabel = "DIR", description = DEBUG_DIR) @Nullable List<Path> debugDirs,
            @Option(names = "--threads", paramLabel = "N", description = THREADS) @Nullable Integer threads)
            throws CommandFailure, IOException {
        Optional<Language.Family> language = language(lang);
        List<Item> parsed = items == null || items.isEmpty() ? List.of() : parse(items);
        OffsetExtractor extractor = extractor(threadCount(threads));
        return new DiffCommand(extractor, files(extractor, debugDirs), console).run(from, to, parsed, language, asJson);
    }

    @Command(
            name = "types",
            mixinStandardHelpOptions = true,
            description = "List the named types of a file: kind, size in bytes, qualified name.")
    int types(
            @Parameters(paramLabel = "FILE", description = FILE) Path file,
            @Option(names = "--json", description = JSON) boolean asJson,
            @Option(names = "--debug-dir", paramLabel = "DIR", description = DEBUG_DIR) @Nullable List<Path> debugDirs,
            @Option(names = "--supplementary", paramLabel = "FILE", description = SUPPLEMENTARY) @Nullable
                    Path supplementary,
            @Option(names = "--btf-base", paramLabel = "FILE", description = BTF_BASE) @Nullable Path btfBase,
            @Option(names = "--threads", paramLabel = "N", description = THREADS) @Nullable Integer threads)
            throws CommandFailure, IOException {
        OffsetExtractor extractor = extractor(threadCount(threads), supplementary, btfBase);
        return new TypesCommand(extractor, files(extractor, debugDirs), console).run(file, asJson);
    }

    @Command(
            name = "symbols",
            mixinStandardHelpOptions = true,
            description = {
                "List the symbols of a file: address, size, type, binding, visibility, section, where they were found, name"
                        + " with version.",
                "NAMES are names, with or without version, or patterns with * ? [..]."
            },
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:every name and address was found",
                "1:a name or address was not found; standard error says which",
                "2:a name, pattern or address cannot be understood",
                "3:the file cannot be read, or has no symbols"
            })
    int symbols(
            @Parameters(paramLabel = "FILE", description = FILE) Path file,
            @Parameters(paramLabel = "NAMES", arity = "0..*", description = "what to list, separated by commas")
                    @Nullable
                    List<String> names,
            @Option(
                            names = "--addresses",
                            paramLabel = "0xADDRESS",
                            split = ",",
                            description = "ELF virtual addresses whose symbols to print, separated by commas")
                    @Nullable
                    List<String> addresses,
            @Option(
                            names = "--family",
                            description = "with NAMES: also what the compiler made of these functions (.cold, .part.0)")
                    boolean family,
            @Option(names = "--json", description = JSON) boolean asJson,
            @Option(
                            names = "--debug-dir",
                            paramLabel = "DIR",
                            description =
                                    "folder with .build-id/xx/rest.debug, for files without .symtab; may be given several"
                                            + " times (default: /usr/lib/debug)")
                    @Nullable
                    List<Path> debugDirs)
            throws CommandFailure, IOException {
        List<String> wanted = names == null
                ? List.of()
                : names.stream().flatMap(list -> Stream.of(list.split(",", -1))).toList();
        if (addresses != null && !wanted.isEmpty()) {
            throw usage("what to look up: expected NAMES or --addresses, not both");
        }
        if (family && wanted.isEmpty()) {
            throw usage("--family: expected NAMES");
        }
        OffsetExtractor extractor = extractor(1);
        SymbolsCommand command = new SymbolsCommand(extractor, files(extractor, debugDirs), console);
        if (addresses != null) {
            List<Long> parsed = new ArrayList<>();
            for (String address : addresses) {
                parsed.add(address(address));
            }
            return command.runForAddresses(file, parsed, asJson);
        }
        if (wanted.isEmpty()) {
            return command.runForAll(file, asJson);
        }
        Map<String, SymbolPattern> patterns = new LinkedHashMap<>();
        for (String name : wanted) {
            patterns.put(name, pattern(name));
        }
        return command.runForNames(file, patterns, family, asJson);
    }

    private static SymbolPattern pattern(String name) throws CommandFailure {
        if (name.isEmpty()) {
            throw usage("NAMES: a name is empty");
        }
        try {
            return SymbolPattern.of(name);
        } catch (IllegalArgumentException e) {
            throw usage("NAMES: " + e.getMessage());
        }
    }

    private static long address(String text) throws CommandFailure {
        // Not parseUnsignedLong alone, which would take a sign too.
        if (!text.matches("0x[0-9A-Fa-f]{1,16}")) {
            throw usage("--addresses: " + HostileText.quote(text) + "; expected 0x and up to 16 hexadecimal digits");
        }
        return Long.parseUnsignedLong(text.substring(2), 16);
    }

    @Command(
            name = "build-id",
            mixinStandardHelpOptions = true,
            description = "Print the build-id of a file.",
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {"0:printed", "1:the file has none", "3:the file cannot be read, or is no ELF file"})
    int buildId(
            @Parameters(paramLabel = "FILE", description = "any ELF file") Path file,
            @Option(names = "--json", description = JSON) boolean asJson)
            throws CommandFailure, IOException {
        OffsetExtractor extractor = extractor(1);
        return new BuildIdCommand(files(extractor, List.of()), console).run(file, asJson);
    }

    @Command(
            name = "query",
            mixinStandardHelpOptions = true,
            description = "Ask a server for layouts of a build.",
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:every item was found",
                "1:an item, or the whole build (404), was not found",
                "2:build-id or items cannot be understood, here or by the server (400)",
                "3:the server has a debug file that it cannot use (422)",
                "4:no server there, it failed, or the build was not ready in time"
            })
    int query(
            @Parameters(paramLabel = "URL", description = SERVER) String url,
            @Parameters(paramLabel = "BUILDID", description = "hex; offsetd build-id FILE prints it") String buildId,
            @Parameters(paramLabel = "ITEMS", arity = "1..*", description = ITEMS) List<String> items,
            @Option(names = "--json", description = "print the server's answer as it is") boolean asJson,
            @Option(names = "--view", paramLabel = "VIEW", description = VIEW) @Nullable View view,
            @Option(names = "--lang", paramLabel = "LANGUAGE", description = LANG) @Nullable String lang,
            @Option(
                            names = "--wait",
                            paramLabel = "SECONDS",
                            defaultValue = "60",
                            description = "how long to wait while the server gets the debug file (default: 60)")
                    long waitSeconds,
            @Option(names = "--token-file", paramLabel = "FILE", description = TOKEN_FILE) @Nullable Path tokenFile)
            throws CommandFailure, IOException {
        Duration patience = Duration.ofSeconds(waitSeconds(waitSeconds));
        OffsetsQuestion question = new OffsetsQuestion(
                serverUrl(url),
                parseBuildId(buildId),
                parse(items),
                asJson ? (view == null ? null : view.word()) : View.MEMBERS.word(),
                lang);
        return new QueryCommand(console, token(tokenFile)).run(question, patience, asJson);
    }

    @Command(
            name = "prewarm",
            mixinStandardHelpOptions = true,
            description = {
                "Have a server get builds before anybody asks for them, and wait until it has.",
                "The builds are those of the ELF files in PATH: files, folders, .deb and .rpm packages, tar archives, and images"
                        + " as docker save or OCI tools write them. Nothing is unpacked to disk."
            },
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:the server has every build, with all that --types asks for, or with as much as --fail-under says",
                "2:the command line cannot be understood, here or by the server (400)",
                "3:a build failed, lacks something, or is below a --fail-under",
                "4:no server there, it failed, or it was not done in time; what it has begun goes on",
                "6:a PATH cannot be read, or there is no build in any of them; nothing was sent"
            })
    int prewarm(
            @Parameters(paramLabel = "URL", description = SERVER) String url,
            @Parameters(
                            paramLabel = "PATH",
                            arity = "0..*",
                            description = "where to look for builds; - is standard input")
                    @Nullable
                    List<String> paths,
            @Option(
                            names = "--types",
                            paramLabel = "ITEMS",
                            description = "what each build is to have, separated by commas: @ruby, task_struct.pid")
                    @Nullable
                    List<String> types,
            @Option(
                            names = "--name",
                            paramLabel = "GLOB",
                            description =
                                    "only files whose name matches, such as 'libruby*'; may be given several times")
                    @Nullable
                    List<String> names,
            @Option(
                            names = "--build-id",
                            paramLabel = "HEX",
                            description = "a build besides those of PATH; may be given several times")
                    @Nullable
                    List<String> buildIds,
            @Option(
                            names = "--priority",
                            paramLabel = "PRIORITY",
                            defaultValue = "normal",
                            description = "low, normal or high (default: normal)")
                    String priority,
            @Option(
                            names = "--fail-under",
                            paramLabel = "@SET=N%",
                            description = "how much of what a set requires is enough; may be given several times")
                    @Nullable
                    List<String> failUnder,
            @Option(
                            names = "--wait",
                            paramLabel = "SECONDS",
                            defaultValue = "3600",
                            description = "how long to wait for the server (default: 3600)")
                    long waitSeconds,
            @Option(names = "--json", description = "print one JSON document when all is done") boolean asJson,
            @Option(names = "--token-file", paramLabel = "FILE", description = TOKEN_FILE) @Nullable Path tokenFile)
            throws CommandFailure, IOException {
        if (paths == null && buildIds == null) {
            throw usage("which builds: expected PATH, or --build-id, or both");
        }
        if (!Set.of("low", "normal", "high").contains(priority)) {
            throw usage("--priority is " + HostileText.quote(priority) + "; expected low, normal or high");
        }
        List<FailUnder> bounds = new ArrayList<>();
        for (String text : orNone(failUnder)) {
            try {
                bounds.add(FailUnder.parse(text));
            } catch (IllegalArgumentException e) {
                throw usage("--fail-under " + e.getMessage());
            }
        }
        Set<String> items = new LinkedHashSet<>();
        if (types != null) {
            parse(types).forEach(item -> items.add(item.text()));
        }
        bounds.forEach(bound -> items.add(bound.set()));
        Map<BuildId, Wish> wishes = new LinkedHashMap<>();
        for (String text : orNone(buildIds)) {
            BuildId buildId = parseBuildId(text);
            wishes.put(buildId, new Wish(buildId, Optional.empty()));
        }
        URI server = serverUrl(url);
        Duration patience = Duration.ofSeconds(waitSeconds(waitSeconds));
        BearerToken token = token(tokenFile);
        Findings findings = new BuildFinder(nameMatchers(orNone(names)), System.in, console).find(orNone(paths));
        sayWhatWasNotRead(findings);
        if (!findings.unreadable().isEmpty()) {
            return ExitCode.NOTHING_TO_SEND;
        }
        findings.builds().forEach(found -> wishes.put(found.buildId(), new Wish(found.buildId(), Optional.of(found))));
        if (wishes.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.NOTHING_TO_SEND,
                    "no build in " + String.join(", ", orNone(paths)) + "; expected ELF files with a build-id"
                            + (names == null ? "" : " and a name that matches"));
        }
        PrewarmCommand.Order order = new PrewarmCommand.Order(
                server, List.copyOf(wishes.values()), List.copyOf(items), priority, bounds, patience);
        return new PrewarmCommand(console, token).run(order, findings, asJson);
    }

    @Command(
            name = "push",
            mixinStandardHelpOptions = true,
            description = {
                "Upload the debug information of builds that no debuginfod knows.",
                "Of each FILE only the sections are sent that the server reads, and nothing that it has already."
            },
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0:the server answers for every file, from it or from one that is as good",
                "2:the command line cannot be understood",
                "3:a file was refused, or has no debug information; the output says why",
                "4:no server there, it failed, or the token is not good for it",
                "6:a FILE cannot be read, or is no ELF file; nothing was sent"
            })
    int push(
            @Parameters(paramLabel = "URL", description = SERVER) String url,
            @Parameters(
                            paramLabel = "FILE",
                            arity = "1..*",
                            description = "an ELF file with debug information, or a folder with such files")
                    List<Path> paths,
            @Option(names = "--whole", description = "send files as they are, with code and line tables") boolean whole,
            @Option(names = "--json", description = "print one JSON document when all is done") boolean asJson,
            @Option(names = "--token-file", paramLabel = "FILE", description = TOKEN_FILE) @Nullable Path tokenFile)
            throws CommandFailure, IOException {
        URI server = serverUrl(url);
        OffsetExtractor extractor = extractor(1);
        return new PushCommand(extractor, files(extractor, null), console, token(tokenFile))
                .run(server, paths, whole, asJson);
    }

    private void sayWhatWasNotRead(Findings findings) {
        findings.unreadable()
                .forEach(unread -> console.say(HostileText.quote(unread.place()) + ": " + unread.reason()));
        findings.passedOver().stream()
                .limit(MAX_SAID)
                .forEach(unread -> console.say(HostileText.quote(unread.place()) + " passed over: " + unread.reason()));
        if (findings.passedOverCount() > MAX_SAID) {
            console.say(findings.passedOverCount() - MAX_SAID + " more files passed over");
        }
    }

    private static List<PathMatcher> nameMatchers(List<String> globs) throws CommandFailure {
        List<PathMatcher> matchers = new ArrayList<>();
        for (String glob : globs) {
            try {
                matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + glob));
            } catch (PatternSyntaxException e) {
                throw usage("--name " + HostileText.quote(glob) + ": " + e.getDescription());
            }
        }
        return matchers;
    }

    @Command(
            name = "bench",
            mixinStandardHelpOptions = true,
            description = {
                "Measure how long reading a file takes, in one warm process: the full scan for the wanted names, and"
                        + " the pass over all types.",
                "Speeds are megabytes (1,000,000 bytes) of decompressed .debug_info a second."
            })
    int bench(
            @Parameters(paramLabel = "FILE", description = FILE) Path file,
            @Parameters(paramLabel = "ITEMS", arity = "1..*", description = ITEMS) List<String> items,
            @Option(names = "--json", description = JSON) boolean asJson,
            @Option(
                            names = "--runs",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "runs that count, 10 or more (default: 20)")
                    int runs,
            @Option(
                            names = "--warm-up",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "runs before those (default: 20)")
                    int warmUpRuns,
            @Option(names = "--debug-dir", paramLabel = "DIR", description = DEBUG_DIR) @Nullable List<Path> debugDirs,
            @Option(names = "--threads", paramLabel = "N", description = THREADS) @Nullable Integer threads)
            throws CommandFailure, IOException {
        if (runs < 10) {
            throw usage("--runs is " + runs + "; expected 10 or more, for a median that means something");
        }
        if (warmUpRuns < 0) {
            throw usage("--warm-up is " + warmUpRuns + "; expected 0 or more");
        }
        int threadCount = threadCount(threads);
        OffsetExtractor extractor = extractor(threadCount);
        return new BenchCommand(extractor, threadCount, files(extractor, debugDirs), console)
                .run(file, wanted(parse(items)), warmUpRuns, runs, asJson);
    }

    @Command(
            name = "serve",
            description = {
                "Start the server. The launcher script ./offsetd does this; its options:",
                "./offsetd serve --help"
            })
    int serve() {
        return launcherOnly("serve");
    }

    @Command(
            name = "test",
            description = {
                "Run every test, after installing or naming the missing tools; with quick those that need no tools and"
                        + " take seconds. The launcher script ./offsetd does this."
            })
    int test() {
        return launcherOnly("test");
    }

    /** These two never get here from the launcher, but belong into the list of commands. */
    private int launcherOnly(String command) {
        console.say(command + " is a command of the launcher script: ./offsetd " + command);
        return ExitCode.USAGE;
    }

    private static OffsetExtractor extractor(int threads) {
        return new OffsetExtractor(Limits.DEFAULT, threads).followingAnyPath();
    }

    private static OffsetExtractor extractor(int threads, @Nullable Path supplementary, @Nullable Path btfBase) {
        OffsetExtractor extractor = extractor(threads);
        if (supplementary != null) {
            extractor = extractor.withSupplementaryFile(supplementary);
        }
        return btfBase == null ? extractor : extractor.withBaseBtf(btfBase);
    }

    private DebugFiles files(OffsetExtractor extractor, @Nullable List<Path> debugDirs) {
        return new DebugFiles(extractor, debugDirs == null ? List.of(DebugFiles.SYSTEM_FOLDER) : debugDirs, console);
    }

    private static int threadCount(@Nullable Integer threads) throws CommandFailure {
        if (threads == null) {
            return Runtime.getRuntime().availableProcessors();
        }
        if (threads < 1 || threads > MAX_THREADS) {
            throw usage("--threads is " + threads + "; expected 1 to " + MAX_THREADS);
        }
        return threads;
    }

    private static <T> List<T> orNone(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static long waitSeconds(long seconds) throws CommandFailure {
        if (seconds < 0 || seconds > Duration.ofDays(1).toSeconds()) {
            throw usage("--wait is " + seconds + "; expected 0 to 86400 seconds");
        }
        return seconds;
    }

    private static BearerToken token(@Nullable Path file) throws CommandFailure {
        return file == null ? BearerToken.of("OFFSETD_TOKEN", System.getenv("OFFSETD_TOKEN")) : BearerToken.in(file);
    }

    private static Optional<Language.Family> language(@Nullable String name) throws CommandFailure {
        if (name == null) {
            return Optional.empty();
        }
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "c" -> Optional.of(Language.Family.C);
            case "c++" -> Optional.of(Language.Family.CPP);
            case "rust" -> Optional.of(Language.Family.RUST);
            case "go" -> Optional.of(Language.Family.GO);
            default -> throw usage("--lang is " + HostileText.quote(name) + "; expected c, c++, rust or go");
        };
    }

    private static List<Item> parse(List<String> items) throws CommandFailure {
        try {
            return ItemParser.parseList(items);
        } catch (ItemSyntaxException e) {
            throw usage(Objects.toString(e.getMessage()));
        }
    }

    private static Expansion expand(List<Item> items) throws CommandFailure {
        try {
            return Expansion.of(items, new BuiltInTypeSets());
        } catch (UnknownTypeSetException | ItemSyntaxException e) {
            throw usage(Objects.toString(e.getMessage()));
        }
    }

    private static OffsetExpression parseExpression(String text) throws CommandFailure {
        try {
            return OffsetExpression.parse(text);
        } catch (ExpressionSyntaxException e) {
            throw usage(Objects.toString(e.getMessage()));
        }
    }

    private static Wanted wanted(List<Item> items) {
        Set<String> types =
                items.stream().flatMap(item -> item.typeNames().stream()).collect(Collectors.toSet());
        Set<String> enumerators =
                items.stream().flatMap(item -> item.enumeratorNames().stream()).collect(Collectors.toSet());
        return new Wanted(types, enumerators);
    }

    private static BuildId parseBuildId(String text) throws CommandFailure {
        try {
            return BuildId.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage("build-id " + HostileText.quote(text) + ": " + e.getMessage());
        }
    }

    private static URI serverUrl(String text) throws CommandFailure {
        String expectation = "; expected http://HOST:PORT or https://HOST";
        try {
            URI url = URI.create(text);
            if (url.getHost() == null
                    || !Set.of("http", "https").contains(url.getScheme())
                    || url.getQuery() != null
                    || url.getFragment() != null) {
                throw usage("URL " + HostileText.quote(text) + expectation);
            }
            return url;
        } catch (IllegalArgumentException e) {
            throw usage("URL " + HostileText.quote(text) + expectation);
        }
    }

    private static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** What {@code --version} prints. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            String version = Commands.class.getPackage().getImplementationVersion();
            return new String[] {
                "offsetd " + (version == null ? "(not from a jar)" : version) + ", extractor " + OffsetExtractor.VERSION
            };
        }
    }
}
