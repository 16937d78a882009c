package dev.offsetd.cli;

import dev.offsetd.cli.file.DebugFiles;
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
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.View;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The grammar of the commands that talk to a server: one method a command. */
final class CommandsOnServers {

    private static final String SERVER = "the server, such as http://127.0.0.1:8080";
    private static final String JSON_AT_THE_END = "print one JSON document when all is done";

    /** Files that are named one by one if they cannot be read. */
    private static final int MAX_SAID = 5;

    private final Console console;

    CommandsOnServers(Console console) {
        this.console = console;
    }

    CommandSpec query() {
        Syntax syntax = new Syntax("Ask a server for layouts of a build.")
                .exitCodes(
                        "0:every item was found",
                        "1:an item, or the whole build (404), was not found",
                        "2:build-id or items cannot be understood, here or by the server (400)",
                        "3:the server has a debug file that it cannot use (422)",
                        "4:no server there, it failed, or the build was not ready in time");
        Supplier<String> url = syntax.parameter("URL", String.class, SERVER);
        Supplier<String> buildId = syntax.parameter("BUILDID", String.class, "hex; offsetd build-id FILE prints it");
        Supplier<List<String>> items = syntax.parameters("ITEMS", true, String.class, CommandsOnFiles.ITEMS);
        BooleanSupplier json = syntax.flag("--json", "print the server's answer as it is");
        Supplier<Optional<View>> view = syntax.option("--view", "VIEW", View.class, CommandsOnFiles.VIEW);
        Supplier<Optional<String>> lang = syntax.option("--lang", "LANGUAGE", String.class, CommandsOnFiles.LANG);
        Supplier<Long> waitSeconds = syntax.option(
                "--wait",
                "SECONDS",
                Long.class,
                60L,
                "how long to wait while the server gets the debug file (default: 60)");
        Supplier<Optional<Path>> tokenFile = tokenFile(syntax);
        return syntax.does(() -> {
            Duration patience = Arguments.patience(waitSeconds.get());
            OffsetsQuestion question = new OffsetsQuestion(
                    Arguments.server(url.get()),
                    Arguments.buildId(buildId.get()),
                    Arguments.items(items.get()),
                    json.getAsBoolean() ? wordOf(view.get()) : View.MEMBERS.word(),
                    lang.get().orElse(null));
            return new QueryCommand(console, token(tokenFile.get())).run(question, patience, json.getAsBoolean());
        });
    }

    private static @Nullable String wordOf(Optional<View> view) {
        return view.isPresent() ? view.get().word() : null;
    }

    CommandSpec prewarm() {
        Syntax syntax = new Syntax(
                        "Have a server get builds before anybody asks for them, and wait until it has.",
                        "The builds are those of the ELF files in PATH: files, folders, .deb and .rpm packages, tar"
                                + " archives, and images as docker save or OCI tools write them. Nothing is unpacked to"
                                + " disk.")
                .exitCodes(
                        "0:the server has every build, with all that --types asks for, or with as much as --fail-under"
                                + " says",
                        "2:the command line cannot be understood, here or by the server (400)",
                        "3:a build failed, lacks something, or is below a --fail-under",
                        "4:no server there, it failed, or it was not done in time; what it has begun goes on",
                        "6:a PATH cannot be read, or there is no build in any of them; nothing was sent");
        Supplier<String> url = syntax.parameter("URL", String.class, SERVER);
        Supplier<List<String>> paths =
                syntax.parameters("PATH", false, String.class, "where to look for builds; - is standard input");
        Supplier<List<String>> types = syntax.options(
                "--types",
                "ITEMS",
                String.class,
                "what each build is to have, separated by commas: @ruby, task_struct.pid");
        Supplier<List<String>> names = syntax.options(
                "--name",
                "GLOB",
                String.class,
                "only files whose name matches, such as 'libruby*'; may be given several times");
        Supplier<List<String>> buildIds = syntax.options(
                "--build-id", "HEX", String.class, "a build besides those of PATH; may be given several times");
        Supplier<String> priority = syntax.option(
                "--priority", "PRIORITY", String.class, "normal", "low, normal or high (default: normal)");
        Supplier<List<String>> failUnder = syntax.options(
                "--fail-under",
                "@SET=N%",
                String.class,
                "how much of what a set requires is enough; may be given several times");
        Supplier<Long> waitSeconds = syntax.option(
                "--wait", "SECONDS", Long.class, 3600L, "how long to wait for the server (default: 3600)");
        BooleanSupplier json = syntax.flag("--json", JSON_AT_THE_END);
        Supplier<Optional<Path>> tokenFile = tokenFile(syntax);
        return syntax.does(() -> {
            if (paths.get().isEmpty() && buildIds.get().isEmpty()) {
                throw Arguments.usage("which builds: expected PATH, or --build-id, or both");
            }
            if (!Set.of("low", "normal", "high").contains(priority.get())) {
                throw Arguments.usage(
                        "--priority is " + HostileText.quote(priority.get()) + "; expected low, normal or high");
            }
            List<FailUnder> bounds = bounds(failUnder.get());
            Set<String> items = new LinkedHashSet<>();
            if (!types.get().isEmpty()) {
                Arguments.items(types.get()).forEach(item -> items.add(item.text()));
            }
            bounds.forEach(bound -> items.add(bound.set()));
            Map<BuildId, Wish> wishes = new LinkedHashMap<>();
            for (String text : buildIds.get()) {
                BuildId buildId = Arguments.buildId(text);
                wishes.put(buildId, new Wish(buildId, Optional.empty()));
            }
            URI server = Arguments.server(url.get());
            Duration patience = Arguments.patience(waitSeconds.get());
            BearerToken token = token(tokenFile.get());
            Findings findings = new BuildFinder(Arguments.fileNames(names.get()), System.in, console).find(paths.get());
            sayWhatWasNotRead(findings);
            if (!findings.unreadable().isEmpty()) {
                return ExitCode.NOTHING_TO_SEND;
            }
            findings.builds()
                    .forEach(found -> wishes.put(found.buildId(), new Wish(found.buildId(), Optional.of(found))));
            if (wishes.isEmpty()) {
                throw new CommandFailure(
                        ExitCode.NOTHING_TO_SEND,
                        "no build in " + String.join(", ", paths.get()) + "; expected ELF files with a build-id"
                                + (names.get().isEmpty() ? "" : " and a name that matches"));
            }
            PrewarmCommand.Order order = new PrewarmCommand.Order(
                    server, List.copyOf(wishes.values()), List.copyOf(items), priority.get(), bounds, patience);
            return new PrewarmCommand(console, token).run(order, findings, json.getAsBoolean());
        });
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

    CommandSpec push() {
        Syntax syntax = new Syntax(
                        "Upload the debug information of builds that no debuginfod knows.",
                        "Of each FILE only the sections are sent that the server reads, and nothing that it has already.")
                .exitCodes(
                        "0:the server answers for every file, from it or from one that is as good",
                        "2:the command line cannot be understood",
                        "3:a file was refused, or has no debug information; the output says why",
                        "4:no server there, it failed, or the token is not good for it",
                        "6:a FILE cannot be read, or is no ELF file; nothing was sent");
        Supplier<String> url = syntax.parameter("URL", String.class, SERVER);
        Supplier<List<Path>> paths = syntax.parameters(
                "FILE", true, Path.class, "an ELF file with debug information, or a folder with such files");
        BooleanSupplier whole = syntax.flag("--whole", "send files as they are, with code and line tables");
        BooleanSupplier json = syntax.flag("--json", JSON_AT_THE_END);
        Supplier<Optional<Path>> tokenFile = tokenFile(syntax);
        return syntax.does(() -> {
            URI server = Arguments.server(url.get());
            OffsetExtractor extractor = CommandsOnFiles.extractor(1);
            DebugFiles files = new DebugFiles(extractor, List.of(DebugFiles.SYSTEM_FOLDER), console);
            return new PushCommand(extractor, files, console, token(tokenFile.get()))
                    .run(server, paths.get(), whole.getAsBoolean(), json.getAsBoolean());
        });
    }

    private static Supplier<Optional<Path>> tokenFile(Syntax syntax) {
        return syntax.option(
                "--token-file",
                "FILE",
                Path.class,
                "a file with the token to show to the server (default: $$OFFSETD_TOKEN)");
    }

    private static BearerToken token(Optional<Path> file) throws CommandFailure {
        return file.isPresent()
                ? BearerToken.in(file.get())
                : BearerToken.of("OFFSETD_TOKEN", System.getenv("OFFSETD_TOKEN"));
    }
}
