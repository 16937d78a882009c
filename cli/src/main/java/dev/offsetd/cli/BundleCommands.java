package dev.offsetd.cli;

import com.google.re2j.Pattern;
import dev.offsetd.cli.bundle.BundleCreation;
import dev.offsetd.cli.bundle.BundleImport;
import dev.offsetd.cli.bundle.BundleQuery;
import dev.offsetd.cli.bundle.BundleVerification;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.View;
import dev.offsetd.query.typeset.TypeSetParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;

/** Options and parameters of {@code bundle} and its subcommands. */
final class BundleCommands {

    private static final Pattern BEHIND_ID = Pattern.compile("[\\s,]");

    private static final String FILE = "the bundle";
    private static final long MAX_LIST_BYTES = 16 << 20;

    private final Console console;

    BundleCommands(Console console) {
        this.console = console;
    }

    CommandSpec bundle() {
        Syntax syntax = new Syntax(
                        "Carry builds to hosts without a network, in one signed file.",
                        "create downloads builds from a server, import sends them to another one. offsetd query --bundle"
                                + " answers from the file itself.")
                .examples(
                        "offsetd bundle create 127.0.0.1:8080 --all --key id_ed25519 -o site.offsetd",
                        "offsetd bundle verify site.offsetd --signers signers",
                        "offsetd bundle import site.offsetd 10.0.0.5:8080 --signers signers",
                        "offsetd query --bundle site.offsetd BUILDID @ruby")
                .exitCodes("0:help was shown", "2:no such command; the help of each command lists the others");
        CommandSpec spec = syntax.does(() -> {
            throw Arguments.usage("bundle needs a command: create, verify or import; see offsetd bundle --help");
        });
        spec.addSubcommand("create", create());
        spec.addSubcommand("verify", verify());
        spec.addSubcommand("import", importing());
        return spec;
    }

    private CommandSpec create() {
        Syntax syntax = new Syntax("Make a bundle of builds of a server.")
                .examples(
                        "offsetd bundle create 127.0.0.1:8080 --builds ids.txt -o site.offsetd",
                        "offsetd bundle create 127.0.0.1:8080 --demand -k id_ed25519 -o site.offsetd")
                .exitCodes(
                        "0:the bundle has every build",
                        "2:invalid command line, or the key cannot sign",
                        "3:the bundle was made, and some builds are left out",
                        "4:the server is unreachable or failed",
                        "6:the server has none of the builds; nothing was written");
        Supplier<String> url = syntax.parameter("URL", String.class, ServerCommands.SERVER);
        Supplier<List<String>> ids = syntax.options("--build-id", "KEY", String.class, "a build; repeatable");
        Supplier<Optional<Path>> list = syntax.option(
                "--builds",
                "FILE",
                Path.class,
                "file with a build-id at the start of each line, for example the CSV of /v1/demand");
        BooleanSupplier all = syntax.flag("--all", "every stored build of the server");
        BooleanSupplier demand = syntax.flag("--demand", "unmet demand of the server, as far as it has the builds now");
        Supplier<List<String>> sets =
                syntax.options("-s,--set", "@SET", String.class, "also this type set; repeatable");
        Supplier<Optional<Path>> key = syntax.option(
                "-k,--key",
                "FILE",
                Path.class,
                "SSH key to sign with, private or public with an agent (default: not signed)");
        Supplier<Optional<Path>> out = syntax.option("-o,--output", "FILE", Path.class, "file to write");
        BooleanSupplier replace = syntax.flag("--replace", "overwrite an existing file");
        Supplier<Long> wait =
                syntax.option("-w,--wait", "SECONDS", Long.class, 600L, "time to wait for each build (default: 600)");
        Supplier<Optional<Path>> token = ServerCommands.tokenFile(syntax);
        return syntax.does(() -> {
            Path file = out.get().orElseThrow(() -> Arguments.usage("--output is missing; expected a file to write"));
            if (Files.exists(file) && !replace.getAsBoolean()) {
                throw new CommandFailure(
                        ExitCode.OUTPUT_FAILED,
                        file + ": the file exists; choose another name, or overwrite it with --replace");
            }
            List<BuildId> builds = builds(ids.get(), list.get());
            if (builds.isEmpty() && !all.getAsBoolean() && !demand.getAsBoolean()) {
                throw Arguments.usage("no builds given; expected --build-id, --builds, --all or --demand");
            }
            BundleCreation.Request request = new BundleCreation.Request(
                    Arguments.server(url.get()),
                    builds,
                    all.getAsBoolean(),
                    demand.getAsBoolean(),
                    setNames(sets.get()),
                    key.get(),
                    Arguments.patience(wait.get()));
            return new BundleCreation(console, ServerCommands.token(token.get()))
                    .run(request, file, Commands.version()[0]);
        });
    }

    private static List<BuildId> builds(List<String> given, Optional<Path> list) throws CommandFailure {
        List<BuildId> builds = new ArrayList<>();
        for (String text : given) {
            builds.add(Arguments.buildId(text));
        }
        if (list.isPresent()) {
            for (String line : lines(list.get())) {
                String first = BEHIND_ID.split(line.strip(), 2)[0];
                // The head of the CSV, empty lines and comments.
                if (!first.isEmpty() && !first.equals("build_id") && !first.startsWith("#")) {
                    builds.add(Arguments.buildId(first));
                }
            }
        }
        return builds;
    }

    private static List<String> lines(Path list) throws CommandFailure {
        try {
            if (Files.size(list) > MAX_LIST_BYTES) {
                throw Arguments.usage("--builds " + list + " has more than " + MAX_LIST_BYTES + " bytes");
            }
            return Files.readAllLines(list);
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.USAGE, "--builds " + list + " cannot be read: " + e.getMessage());
        }
    }

    private static List<String> setNames(List<String> given) throws CommandFailure {
        List<String> names = new ArrayList<>();
        for (String set : given) {
            String name = set.startsWith("@") ? set.substring(1) : set;
            if (!Pattern.matches(TypeSetParser.NAME, name)) {
                throw Arguments.usage(
                        "--set is " + HostileText.quote(set) + "; expected the name of a type set, such as @ruby");
            }
            if (!names.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    private CommandSpec verify() {
        Syntax syntax = new Syntax("Check the signature and every hash of a bundle, and list its builds.")
                .examples("offsetd bundle verify site.offsetd --signers signers")
                .exitCodes(
                        "0:the bundle is whole; with --signers, one of them signed it",
                        "3:it is damaged or changed, or its signature is missing or not valid");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<Optional<Path>> signers = signers(syntax);
        BooleanSupplier json = syntax.flag("-j,--json", FileCommands.JSON);
        return syntax.does(() -> new BundleVerification(console).run(file.get(), signers.get(), json.getAsBoolean()));
    }

    private CommandSpec importing() {
        Syntax syntax = new Syntax(
                        "Send the builds, pins and type sets of a bundle to a server.",
                        "Needs a token with the scope admin. Imports again what was interrupted; what is there stays.")
                .examples("offsetd bundle import site.offsetd 10.0.0.5:8080 --signers signers")
                .exitCodes(
                        "0:the server has everything of the bundle",
                        "2:invalid command line",
                        "3:the bundle is not valid (nothing was sent), or the server keeps other builds, pins or sets",
                        "4:the server is unreachable or failed");
        Supplier<Path> file = syntax.parameter("FILE", Path.class, FILE);
        Supplier<String> url = syntax.parameter("URL", String.class, ServerCommands.SERVER);
        Supplier<Optional<Path>> signers = signers(syntax);
        BooleanSupplier anybody = syntax.flag("--any-signer", "import the bundle without checking the signer");
        Supplier<Long> wait = syntax.option(
                "-w,--wait", "SECONDS", Long.class, 600L, "time to wait for the server, for each build (default: 600)");
        Supplier<Optional<Path>> token = ServerCommands.tokenFile(syntax);
        return syntax.does(() -> {
            if (signers.get().isEmpty() && !anybody.getAsBoolean()) {
                throw Arguments.usage("--signers is missing; expected the file of allowed signers, or --any-signer");
            }
            return new BundleImport(console, ServerCommands.token(token.get()))
                    .run(file.get(), Arguments.server(url.get()), signers.get(), Arguments.patience(wait.get()));
        });
    }

    /** @param words the items */
    static BundleQuery.Request request(
            String buildId,
            List<String> words,
            Optional<View> view,
            Optional<String> map,
            Optional<String> lang,
            boolean json)
            throws CommandFailure {
        List<Item> items = Arguments.items(words);
        return new BundleQuery.Request(
                Arguments.buildId(buildId),
                sets -> view.equals(Optional.of(View.MAP))
                        ? Arguments.expandMap(items, map, sets)
                        : Arguments.expand(items, sets),
                view.orElse(View.FIELDS),
                Arguments.language(lang),
                json);
    }

    static Supplier<Optional<Path>> signers(Syntax syntax) {
        return syntax.option(
                "--signers",
                "FILE",
                Path.class,
                "require the signature of one of these keys (ALLOWED SIGNERS in ssh-keygen(1))");
    }
}
