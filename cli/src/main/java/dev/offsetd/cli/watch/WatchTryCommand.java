package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.RepositoryWeb;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.packages.repositories.Listing;
import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.packages.repositories.RepositoryDescription.Kind;
import dev.offsetd.packages.repositories.RepositoryEntry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code watch try}: lists the debug packages of this machine's own apt sources, as a watch finds them. */
final class WatchTryCommand extends Command {

    private final Supplier<List<String>> names = parameters(
            "PACKAGE",
            false,
            String.class,
            "package names, in which * stands for any text; default: count all packages with build-ids");
    private final Supplier<@Nullable Path> keyring = option(
            "--keyring", "FILE", Path.class, "OpenPGP certificates that sign the sources (default: those of Debian)");

    WatchTryCommand(Console console) {
        super(console, "List packages with build-ids in the apt sources of this machine, without a server.");
        examples("offsetd watch try", "offsetd watch try libc6-dbg 'python3.*-dbg'");
        exitCodes("0:success", "1:no package matches", "3:a source failed; the table has the reason");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        return run(names.get(), WatchCommand.certificates(keyring.get()));
    }

    /** An index that apt reads, as apt describes it. */
    private record Target(String url, String suite, String component, String architecture) {

        RepositoryDescription description(List<String> names, @Nullable String keyring) {
            return new RepositoryDescription(
                    Kind.APT, url, suite, List.of(component), List.of(architecture), names, List.of(), keyring);
        }
    }

    /** Asks apt, which knows all formats of its sources. */
    private static List<Target> targets() throws CommandFailure {
        try {
            Process apt = new ProcessBuilder(
                            "apt-get",
                            "indextargets",
                            "--format",
                            "$(REPO_URI) $(RELEASE) $(COMPONENT) $(ARCHITECTURE)",
                            "Created-By: Packages")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader out = apt.inputReader()) {
                return out.lines()
                        .map(line -> line.split(" ", -1))
                        .filter(words -> words.length == 4)
                        .map(words -> new Target(words[0], words[1], words[2], words[3]))
                        .toList();
            }
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "apt-get cannot be started: " + IoReason.of(e) + "; this machine has no apt sources");
        }
    }

    private int run(List<String> names, @Nullable String keyring) throws CommandFailure, IOException {
        List<Target> targets = targets();
        TextTable suites = new TextTable("URL", "SUITE", "COMPONENT", "ARCH", "BUILDS", "RESULT");
        TextTable packages = new TextTable("PACKAGE", "VERSION", "ARCH", "BUILDS", "BYTES");
        Path scratch = Files.createTempDirectory("offsetd-");
        boolean failed = false;
        long listed = 0;
        try (RepositoryWeb web = new RepositoryWeb()) {
            for (Target target : targets) {
                console.progress("reading " + target.url() + " " + target.suite());
                String builds = "";
                String result;
                try {
                    Listing listing = target.description(names, keyring)
                            .repository(web, scratch)
                            .list(null);
                    listed += listing.entries().size();
                    builds = Long.toString(builds(listing));
                    int size = listing.entries().size();
                    result = size + (size == 1 ? " package" : " packages");
                    listing.entries().forEach(entry -> add(packages, entry));
                } catch (IOException | IllegalArgumentException e) {
                    failed = true;
                    result = e instanceof IOException io ? IoReason.of(io) : String.valueOf(e.getMessage());
                }
                suites.add(target.url(), target.suite(), target.component(), target.architecture(), builds, result);
            }
        } finally {
            Files.delete(scratch);
        }
        suites.print(console);
        if (!names.isEmpty() && listed > 0) {
            console.println("");
            packages.print(console);
        }
        if (listed == 0 && !failed) {
            console.say("no package matches");
        }
        return failed ? ExitCode.NOT_ALL : listed == 0 ? ExitCode.INCOMPLETE : ExitCode.OK;
    }

    private static long builds(Listing listing) {
        return listing.entries().stream()
                .mapToLong(entry -> entry.buildIds().size())
                .sum();
    }

    private static void add(TextTable packages, RepositoryEntry entry) {
        packages.add(
                entry.name(),
                entry.version(),
                entry.architecture(),
                Integer.toString(entry.buildIds().size()),
                Long.toString(entry.size()));
    }
}
