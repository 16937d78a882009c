package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.command.BuildKey;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.command.Items;
import dev.offsetd.cli.push.Pushing;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.BuildFinder;
import dev.offsetd.packages.SearchResult;
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
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** {@code prewarm URL PATH...}: makes the builds of files, packages and images ready on a server. */
public final class PrewarmCommand extends Command {

    /** The most skipped files that are reported one by one. */
    private static final int MAX_REPORTED = 5;

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<List<String>> paths =
            parameters("PATH", false, String.class, "files and folders to search for builds; - is standard input");
    private final Supplier<List<String>> types = options(
            "-t,--types",
            "ITEMS",
            String.class,
            "items that each build must have, separated by commas: @ruby, task_struct.pid");
    private final Supplier<List<String>> names = options(
            "-n,--name", "GLOB", String.class, "only files with a matching name, for example 'libruby*'; repeatable");
    private final Supplier<List<String>> buildIds =
            options("--build-id", "HEX", String.class, "another build; repeatable");
    private final Supplier<@Nullable Priority> priority =
            choice("--priority", "PRIORITY", words(Priority.values()), "low, normal or high (default: normal)");
    private final Supplier<List<String>> failUnder =
            options("--fail-under", "@SET=N%", String.class, "required share of a set's required items; repeatable");
    private final Supplier<Duration> wait = ServerOptions.wait(this, "1h", "for the server");
    private final BooleanSupplier executables = flag(
            "--executables", "first send the executables and libraries in PATH, for their keys, names and symbols");
    private final BooleanSupplier json = flag("-j,--json", "print one JSON document at the end");
    private final ServerOptions server = new ServerOptions(this);

    public PrewarmCommand(Console console) {
        super(
                console,
                "Make builds ready on a server before clients request them.",
                "The builds are those of the ELF files in PATH: files, folders, .deb and .rpm packages, tar"
                        + " archives, and images from docker save or OCI tools. Nothing is unpacked to disk.");
        examples(
                "offsetd prewarm http://127.0.0.1:8080 image.tar --types @ruby",
                "docker save ruby:3.4 | offsetd prewarm 127.0.0.1:8080 - -n 'libruby*'");
        exitCodes(
                "0:every build is ready, with all --types, or with the share that --fail-under requires",
                "2:invalid command line, or invalid items (400)",
                "3:a build failed, is incomplete, or is below a --fail-under; or a PATH or a file in a folder is"
                        + " unreadable, a PATH is neither an ELF file nor contains files, or an executable is refused",
                "4:the server is unreachable, failed, or was not done in time; it continues with what it started",
                "6:no PATH contains a build; nothing was sent",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        if (paths.get().isEmpty() && buildIds.get().isEmpty()) {
            throw CommandFailure.usage("no builds given; expected PATH, --build-id, or both");
        }
        if (executables.getAsBoolean() && paths.get().contains(BuildFinder.STANDARD_INPUT)) {
            throw CommandFailure.usage("--executables reads PATH twice; expected files or folders, not -");
        }
        List<FailUnder> bounds = bounds();
        Set<String> items = items(bounds);
        Map<BuildId, RequestedBuild> requested = new LinkedHashMap<>();
        for (String text : buildIds.get()) {
            BuildId buildId = BuildKey.parse(text);
            requested.put(buildId, new RequestedBuild(buildId, null));
        }
        URI address = ServerOptions.server(url.get());
        Duration maxWait = wait.get();
        BearerToken token = server.token();
        SearchResult findings = new BuildFinder(fileNames(), System.in, console::progress).find(paths.get());
        console.clearProgress();
        reportSkipped(findings);
        findings.builds().forEach(found -> requested.put(found.buildId(), new RequestedBuild(found.buildId(), found)));
        if (requested.isEmpty() && !findings.unreadable().isEmpty()) {
            return ExitCode.NOTHING_TO_SEND;
        }
        if (requested.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.NOTHING_TO_SEND,
                    "no build in " + String.join(", ", paths.get()) + "; expected ELF files with a build-id"
                            + (names.get().isEmpty() ? "" : " and a matching name"));
        }
        if (executables.getAsBoolean()) {
            List<Path> files = paths.get().stream().map(Path::of).toList();
            findings = findings.with(new Pushing(console, token).sendExecutables(address, files, fileNames()));
        }
        Priority chosen = priority.get();
        Prewarming.Options options = new Prewarming.Options(
                address,
                List.copyOf(requested.values()),
                List.copyOf(items),
                chosen == null ? Priority.NORMAL : chosen,
                bounds,
                maxWait);
        int exitCode = new Prewarming(console, token).run(options, findings, json.getAsBoolean());
        return findings.unreadable().isEmpty() || exitCode != ExitCode.OK ? exitCode : ExitCode.NOT_ALL;
    }

    private Set<String> items(List<FailUnder> bounds) throws CommandFailure {
        Set<String> items = new LinkedHashSet<>();
        if (!types.get().isEmpty()) {
            Items.parse(types.get()).forEach(item -> items.add(item.text()));
        }
        bounds.forEach(bound -> items.add(bound.set()));
        return items;
    }

    private List<FailUnder> bounds() throws CommandFailure {
        List<FailUnder> bounds = new ArrayList<>();
        for (String text : failUnder.get()) {
            try {
                bounds.add(FailUnder.parse(text));
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage("--fail-under " + e.getMessage());
            }
        }
        return bounds;
    }

    private List<PathMatcher> fileNames() throws CommandFailure {
        List<PathMatcher> matchers = new ArrayList<>();
        for (String glob : names.get()) {
            try {
                matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + glob));
            } catch (PatternSyntaxException e) {
                throw CommandFailure.usage("--name " + HostileText.quote(glob) + ": " + e.getDescription());
            }
        }
        return matchers;
    }

    private void reportSkipped(SearchResult findings) {
        findings.unreadable()
                .forEach(unread -> console.say(HostileText.quote(unread.place()) + " left out: " + unread.reason()));
        findings.skipped().stream()
                .limit(MAX_REPORTED)
                .forEach(unread -> console.say(HostileText.quote(unread.place()) + " skipped: " + unread.reason()));
        if (findings.skippedCount() > MAX_REPORTED) {
            console.say(findings.skippedCount() - MAX_REPORTED + " more files skipped");
        }
    }
}
