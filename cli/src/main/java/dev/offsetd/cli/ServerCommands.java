package dev.offsetd.cli;

import dev.offsetd.cli.bundle.BundleQuery;
import dev.offsetd.cli.file.CoreCommand;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.packages.BuildFinder;
import dev.offsetd.cli.packages.SearchResult;
import dev.offsetd.cli.prewarm.FailUnder;
import dev.offsetd.cli.prewarm.PrewarmCommand;
import dev.offsetd.cli.prewarm.RequestedBuild;
import dev.offsetd.cli.push.PushCommand;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.OffsetsRequest;
import dev.offsetd.cli.remote.QueryCommand;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.LoadedModule;
import dev.offsetd.query.item.View;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Options and parameters of the commands that call a server, one method per command. */
final class ServerCommands {

    static final String SERVER = "URL of the server, for example http://127.0.0.1:8080";
    private static final List<String> PRIORITIES = List.of("low", "normal", "high");
    private static final String JSON_AT_THE_END = "print one JSON document at the end";

    /** The most skipped files that are reported one by one. */
    private static final int MAX_REPORTED = 5;

    private final Console console;

    ServerCommands(Console console) {
        this.console = console;
    }

    CommandSpec query() {
        Syntax syntax = new Syntax("Query a server for layouts of a build.")
                .examples(
                        "offsetd query http://127.0.0.1:8080 BUILDID malloc_state",
                        "offsetd query 127.0.0.1:8080 $(offsetd build-id libruby.so) @ruby --json",
                        "offsetd query --bundle site.offsetd BUILDID @ruby")
                .exitCodes(
                        "0:found every item",
                        "1:an item or the build (404) was not found",
                        "2:invalid build-id or items (400)",
                        "3:the server cannot use the debug file (422)",
                        "4:the server is unreachable, failed, or did not have the build in time");
        Supplier<String> url = syntax.parameter("URL", String.class, SERVER);
        Supplier<String> buildId = syntax.parameter(
                "BUILDID",
                String.class,
                "build-id in hex, or go:, htl: or sha256: and a key; offsetd build-id FILE --all prints them");
        Supplier<List<String>> items = syntax.parameters("ITEMS", false, String.class, FileCommands.ITEMS);
        Supplier<Optional<Path>> bundle = syntax.option(
                "--bundle", "FILE", Path.class, "answer from a bundle instead of a server; URL is left out");
        Supplier<Optional<Path>> signers = BundleCommands.signers(syntax);
        BooleanSupplier json = syntax.flag("-j,--json", "print the server's answer unchanged");
        Supplier<Optional<View>> view = FileCommands.view(syntax);
        Supplier<Optional<String>> map = FileCommands.map(syntax);
        Supplier<Optional<String>> lang = FileCommands.lang(syntax, FileCommands.LANG);
        Supplier<Optional<String>> fallback = syntax.choice(
                "--fallback",
                "SOURCE",
                String.class,
                List.of("consensus"),
                "accept the layouts of similar builds if the build has no debug information");
        Supplier<Long> waitSeconds =
                syntax.option("-w,--wait", "SECONDS", Long.class, 60L, "time to wait for the build (default: 60)");
        Supplier<Optional<Path>> tokenFile = tokenFile(syntax);
        return syntax.does(() -> {
            Duration patience = Arguments.patience(waitSeconds.get());
            Arguments.requireMapView(map.get(), view.get());
            boolean asYaml = !json.getAsBoolean() && view.get().equals(Optional.of(View.MAP));
            if (bundle.get().isPresent()) {
                if (fallback.get().isPresent()) {
                    throw Arguments.usage("--fallback is given with --bundle; expected a URL: only servers know which"
                            + " builds are similar");
                }
                // Without URL, the other parameters move up by one position.
                List<String> words = Stream.concat(Stream.of(buildId.get()), items.get().stream())
                        .toList();
                BundleQuery.Request request = BundleCommands.request(
                        url.get(), words, view.get(), map.get(), lang.get(), json.getAsBoolean());
                return new BundleQuery(console).run(bundle.get().get(), signers.get(), request);
            }
            if (items.get().isEmpty()) {
                throw Arguments.usage("Missing required parameter: 'ITEMS'");
            }
            if (signers.get().isPresent()) {
                throw Arguments.usage("--signers is given without --bundle");
            }
            OffsetsRequest request = new OffsetsRequest(
                    Arguments.server(url.get()),
                    Arguments.buildId(buildId.get()),
                    Arguments.items(items.get()),
                    json.getAsBoolean() || asYaml ? wordOf(view.get()) : View.MEMBERS.word(),
                    map.get().orElse(null),
                    lang.get().orElse(null),
                    fallback.get().orElse(null),
                    asYaml ? "application/yaml" : "application/json");
            QueryCommand query = new QueryCommand(console, token(tokenFile.get()));
            return asYaml ? query.runForMap(request, patience) : query.run(request, patience, json.getAsBoolean());
        });
    }

    private static @Nullable String wordOf(Optional<View> view) {
        return view.isPresent() ? view.get().word() : null;
    }

    CommandSpec prewarm() {
        Syntax syntax = new Syntax(
                        "Make builds ready on a server before clients request them.",
                        "The builds are those of the ELF files in PATH: files, folders, .deb and .rpm packages, tar"
                                + " archives, and images from docker save or OCI tools. Nothing is unpacked to disk.")
                .examples(
                        "offsetd prewarm http://127.0.0.1:8080 image.tar --types @ruby",
                        "docker save ruby:3.4 | offsetd prewarm 127.0.0.1:8080 - -n 'libruby*'")
                .exitCodes(
                        "0:every build is ready, with all --types, or with the share that --fail-under requires",
                        "2:invalid command line, or invalid items (400)",
                        "3:a build failed, is incomplete, or is below a --fail-under",
                        "4:the server is unreachable, failed, or was not done in time; it continues with what it started",
                        "6:a PATH is unreadable, or no PATH contains a build; nothing was sent");
        PrewarmArguments arguments = new PrewarmArguments(syntax);
        return syntax.does(arguments::run);
    }

    private final class PrewarmArguments {

        private final Supplier<String> url;
        private final Supplier<List<String>> paths;
        private final Supplier<List<String>> types;
        private final Supplier<List<String>> names;
        private final Supplier<List<String>> buildIds;
        private final Supplier<Optional<String>> priority;
        private final Supplier<List<String>> failUnder;
        private final Supplier<Long> waitSeconds;
        private final BooleanSupplier executables;
        private final BooleanSupplier json;
        private final Supplier<Optional<Path>> tokenFile;

        PrewarmArguments(Syntax syntax) {
            url = syntax.parameter("URL", String.class, SERVER);
            paths = syntax.parameters(
                    "PATH", false, String.class, "files and folders to search for builds; - is standard input");
            types = syntax.options(
                    "-t,--types",
                    "ITEMS",
                    String.class,
                    "items that each build must have, separated by commas: @ruby, task_struct.pid");
            names = syntax.options(
                    "-n,--name",
                    "GLOB",
                    String.class,
                    "only files with a matching name, for example 'libruby*'; repeatable");
            buildIds = syntax.options("--build-id", "HEX", String.class, "another build; repeatable");
            priority = syntax.choice(
                    "--priority", "PRIORITY", String.class, PRIORITIES, "low, normal or high (default: normal)");
            failUnder = syntax.options(
                    "--fail-under", "@SET=N%", String.class, "required share of a set's required items; repeatable");
            waitSeconds = syntax.option(
                    "-w,--wait", "SECONDS", Long.class, 3600L, "time to wait for the server (default: 3600)");
            executables = syntax.flag(
                    "--executables",
                    "first send the executables and libraries in PATH, for their keys, names and symbols");
            json = syntax.flag("-j,--json", JSON_AT_THE_END);
            tokenFile = tokenFile(syntax);
        }

        int run() throws CommandFailure, IOException {
            if (paths.get().isEmpty() && buildIds.get().isEmpty()) {
                throw Arguments.usage("no builds given; expected PATH, --build-id, or both");
            }
            requirePriority(priority.get().orElse("normal"));
            List<FailUnder> bounds = bounds(failUnder.get());
            Set<String> items = items(types.get(), bounds);
            Map<BuildId, RequestedBuild> requested = withBuildIds(buildIds.get());
            URI server = Arguments.server(url.get());
            Duration patience = Arguments.patience(waitSeconds.get());
            BearerToken token = token(tokenFile.get());
            SearchResult findings =
                    new BuildFinder(Arguments.fileNames(names.get()), System.in, console).find(paths.get());
            reportSkipped(findings);
            if (!findings.unreadable().isEmpty()) {
                return ExitCode.NOTHING_TO_SEND;
            }
            findings.builds()
                    .forEach(found ->
                            requested.put(found.buildId(), new RequestedBuild(found.buildId(), Optional.of(found))));
            if (requested.isEmpty()) {
                throw new CommandFailure(
                        ExitCode.NOTHING_TO_SEND,
                        "no build in " + String.join(", ", paths.get()) + "; expected ELF files with a build-id"
                                + (names.get().isEmpty() ? "" : " and a matching name"));
            }
            if (executables.getAsBoolean()) {
                if (paths.get().contains(BuildFinder.STANDARD_INPUT)) {
                    throw Arguments.usage("--executables reads PATH twice; expected files or folders, not -");
                }
                pushCommand(token)
                        .sendExecutables(
                                server, paths.get().stream().map(Path::of).toList(), Arguments.fileNames(names.get()));
            }
            PrewarmCommand.Options options = new PrewarmCommand.Options(
                    server,
                    List.copyOf(requested.values()),
                    List.copyOf(items),
                    priority.get().orElse("normal"),
                    bounds,
                    patience);
            return new PrewarmCommand(console, token).run(options, findings, json.getAsBoolean());
        }
    }

    private static void requirePriority(String priority) throws CommandFailure {
        if (!PRIORITIES.contains(priority)) {
            throw Arguments.usage("--priority is " + HostileText.quote(priority) + "; expected low, normal or high");
        }
    }

    private static Map<BuildId, RequestedBuild> withBuildIds(List<String> texts) throws CommandFailure {
        Map<BuildId, RequestedBuild> requested = new LinkedHashMap<>();
        for (String text : texts) {
            BuildId buildId = Arguments.buildId(text);
            requested.put(buildId, new RequestedBuild(buildId, Optional.empty()));
        }
        return requested;
    }

    private static Set<String> items(List<String> types, List<FailUnder> bounds) throws CommandFailure {
        Set<String> items = new LinkedHashSet<>();
        if (!types.isEmpty()) {
            Arguments.items(types).forEach(item -> items.add(item.text()));
        }
        bounds.forEach(bound -> items.add(bound.set()));
        return items;
    }

    private static List<FailUnder> bounds(List<String> texts) throws CommandFailure {
        List<FailUnder> bounds = new ArrayList<>();
        for (String text : texts) {
            try {
                bounds.add(FailUnder.parse(text));
            } catch (IllegalArgumentException e) {
                throw Arguments.usage("--fail-under " + e.getMessage());
            }
        }
        return bounds;
    }

    private void reportSkipped(SearchResult findings) {
        findings.unreadable()
                .forEach(unread -> console.say(HostileText.quote(unread.place()) + ": " + unread.reason()));
        findings.skipped().stream()
                .limit(MAX_REPORTED)
                .forEach(unread -> console.say(HostileText.quote(unread.place()) + " skipped: " + unread.reason()));
        if (findings.skippedCount() > MAX_REPORTED) {
            console.say(findings.skippedCount() - MAX_REPORTED + " more files skipped");
        }
    }

    CommandSpec core() {
        Syntax syntax = new Syntax(
                        "List the modules of a core file with their build-ids.",
                        "With --prewarm, makes them ready on a server; it is sent the build-ids and nothing else.")
                .examples("offsetd core core.1234", "offsetd core core.1234 --prewarm http://127.0.0.1:8080")
                .exitCodes(
                        "0:the modules were listed; with --prewarm, every build is ready",
                        "2:invalid command line",
                        "3:the file is unreadable or not a core file; with --prewarm, a build failed",
                        "4:the server is unreachable, failed, or was not done in time",
                        "6:with --prewarm: no module has a build-id; nothing was sent");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, "core file, also one that systemd compressed");
        Supplier<Optional<String>> url = syntax.option("--prewarm", "URL", String.class, SERVER);
        BooleanSupplier json = syntax.flag("-j,--json", "print JSON");
        Supplier<Long> waitSeconds =
                syntax.option("-w,--wait", "SECONDS", Long.class, 3600L, "time to wait for the server (default: 3600)");
        Supplier<Optional<Path>> tokenFile = tokenFile(syntax);
        return syntax.does(() -> {
            OffsetExtractor extractor = ExtractorOptions.extractor(1);
            DebugFileFinder files = new DebugFileFinder(extractor, List.of(DebugFileFinder.SYSTEM_FOLDER), console);
            CoreCommand core = new CoreCommand(extractor, files, console);
            Optional<URI> server = url.get().isPresent()
                    ? Optional.of(Arguments.server(url.get().get()))
                    : Optional.empty();
            Duration patience = Arguments.patience(waitSeconds.get());
            List<LoadedModule> modules = core.modules(file.get());
            if (server.isEmpty()) {
                core.print(modules, json.getAsBoolean());
                return ExitCode.OK;
            }
            List<RequestedBuild> builds = modules.stream()
                    .flatMap(module -> Optional.ofNullable(module.buildId()).stream())
                    .distinct()
                    .map(buildId -> new RequestedBuild(buildId, Optional.empty()))
                    .toList();
            if (builds.isEmpty()) {
                throw new CommandFailure(ExitCode.NOTHING_TO_SEND, file.get() + ": no module has a build-id");
            }
            PrewarmCommand.Options options =
                    new PrewarmCommand.Options(server.get(), builds, List.of(), "normal", List.of(), patience);
            SearchResult nothingSearched = new SearchResult(List.of(), List.of(), List.of(), 0, 0);
            return new PrewarmCommand(console, token(tokenFile.get()))
                    .run(options, nothingSearched, json.getAsBoolean());
        });
    }

    CommandSpec push() {
        Syntax syntax = new Syntax(
                        "Upload the debug information of builds that no debuginfod has.",
                        "Takes ELF files, folders, .deb and .rpm packages, tar archives and images, like prewarm.",
                        "Sends only the sections that the server reads, and nothing that the server already has.")
                .examples(
                        "offsetd push http://127.0.0.1:8080 build/libapp.so.debug",
                        "offsetd push http://127.0.0.1:8080 app-dbgsym_1.0_amd64.deb",
                        "offsetd push 127.0.0.1:8080 /sys/kernel/btf/vmlinux --notes /sys/kernel/notes")
                .exitCodes(
                        "0:the server has every file, or an equivalent one",
                        "2:invalid command line",
                        "3:a file was refused or has no debug information; the output has the reason",
                        "4:the server is unreachable, failed, or refused the token",
                        "6:a FILE is unreadable, or has no ELF file with debug information; nothing was sent");
        Supplier<String> url = syntax.parameter("URL", String.class, SERVER);
        Supplier<List<Path>> paths = syntax.parameters(
                "FILE",
                true,
                Path.class,
                "ELF files with debug information, and folders, packages, archives and images with such files; - is standard input");
        BooleanSupplier whole = syntax.flag("--whole", "send whole files, with code and line tables");
        BooleanSupplier executables = syntax.flag(
                "--executables", "also send stripped executables and libraries, for their keys, names and symbols");
        Supplier<Optional<Path>> notes = syntax.option(
                "--notes",
                "FILE",
                Path.class,
                "notes of the kernel whose raw BTF is sent: /sys/kernel/notes. It cannot be verified, so any other file"
                        + " of the build replaces it");
        BooleanSupplier json = syntax.flag("-j,--json", JSON_AT_THE_END);
        Supplier<Optional<Path>> tokenFile = tokenFile(syntax);
        return syntax.does(() -> {
            URI server = Arguments.server(url.get());
            PushCommand.Options options = new PushCommand.Options(
                    whole.getAsBoolean(),
                    executables.getAsBoolean(),
                    notes.get().orElse(null),
                    json.getAsBoolean());
            return pushCommand(token(tokenFile.get())).run(server, paths.get(), options);
        });
    }

    private PushCommand pushCommand(BearerToken token) {
        OffsetExtractor extractor = ExtractorOptions.extractor(1);
        DebugFileFinder files = new DebugFileFinder(extractor, List.of(DebugFileFinder.SYSTEM_FOLDER), console);
        return new PushCommand(extractor, files, console, token);
    }

    static Supplier<Optional<Path>> tokenFile(Syntax syntax) {
        return syntax.option("--token-file", "FILE", Path.class, "file with the token (default: $$OFFSETD_TOKEN)");
    }

    static BearerToken token(Optional<Path> file) throws CommandFailure {
        return file.isPresent()
                ? BearerToken.in(file.get())
                : BearerToken.of("OFFSETD_TOKEN", System.getenv("OFFSETD_TOKEN"));
    }
}
