package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.consensus.Peers;
import dev.offsetd.query.item.Coverage;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** The command {@code ./offsetd sets}: checks the built-in type sets against builds of their runtimes. */
public final class Sets {

    private static final int EXIT_MISSING = 1;
    private static final int EXIT_USAGE = 2;

    /** Most wrong answers that are printed. */
    private static final int MAX_WRONG = 40;

    private static final Path FOLDER = Path.of(System.getProperty("offsetd.compiled", "target/compiled"));

    private static final Path ROOT = Path.of("").toAbsolutePath();

    private static final String USAGE = """
            usage: offsetd sets [--list] [NAME...]
                   offsetd sets --leave-one-out [SET...]
                   offsetd sets --against FOLDER [NAME...]

            Asks builds of runtimes, or the named ones, for their type set, and prints what of it they have. What is
            not there yet is fetched and compiled.

              --list            lists the builds
              --leave-one-out   compares the consensus of all other builds with each build
              --against FOLDER  compares the name maps of the OpenTelemetry eBPF profiler with a checkout of it
            """;

    private final PrintStream out;

    private Sets(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs the command and ends the process: 0 if every build has what is required at the places that are known, 1 if not or if one cannot be had, 2
     * for unknown arguments. The folder for compiled files is in the system property {@code offsetd.compiled}.
     */
    public static void main(String... arguments) {
        System.exit(new Sets(new PrintStream(System.out, true, StandardCharsets.UTF_8)).run(List.of(arguments)));
    }

    private int run(List<String> arguments) {
        List<SetBuild> all = new Runtimes(FOLDER).all();
        List<String> names = all.stream().map(SetBuild::name).toList();
        if (arguments.equals(List.of("--list"))) {
            all.forEach(build -> out.printf("%-24s @%s%n", build.name(), build.set()));
            return 0;
        }
        if (!arguments.isEmpty() && arguments.getFirst().equals("--leave-one-out")) {
            return leaveOneOut(arguments.subList(1, arguments.size()));
        }
        if (arguments.size() > 1 && arguments.getFirst().equals("--against")) {
            List<String> chosen = arguments.subList(2, arguments.size());
            return against(
                    Path.of(arguments.get(1)),
                    Stream.concat(all.stream(), Runtimes.recorded().stream())
                            .filter(build -> ProfilerTables.has(build.set()))
                            .filter(build -> chosen.isEmpty() || chosen.contains(build.name()))
                            .toList());
        }
        if (!names.containsAll(arguments)) {
            System.err.print(USAGE);
            return EXIT_USAGE;
        }
        out.println("| build | arch | made of | required | optional | missing optional items |");
        out.println("|---|---|---|--:|--:|---|");
        boolean complete = true;
        for (SetBuild build : all) {
            if (arguments.isEmpty() || arguments.contains(build.name())) {
                complete &= check(build);
            }
        }
        return complete ? 0 : EXIT_MISSING;
    }

    /** Returns 1 if a difference has no known reason, or a build cannot be had. */
    private int against(Path checkout, List<SetBuild> builds) {
        boolean explained = true;
        out.println("| build | arch | version | names | equal | differences (theirs, ours) |");
        out.println("|---|---|---|--:|--:|---|");
        try {
            ProfilerTables tables = new ProfilerTables(ROOT, checkout, FOLDER);
            for (SetBuild build : builds) {
                explained &= against(tables, build);
            }
        } catch (IOException e) {
            out.println("the profiler's source cannot be read: " + e.getMessage());
            return EXIT_MISSING;
        }
        return explained ? 0 : EXIT_MISSING;
    }

    private boolean against(ProfilerTables tables, SetBuild build) {
        try {
            ProfilerTables.Comparison compared = tables.compare(build);
            out.printf(
                    "| `%s` | %s | %s | %d | %d | %s |%n",
                    build.name(),
                    compared.arch(),
                    compared.version(),
                    compared.names(),
                    compared.names() - compared.differences().size(),
                    compared.differences().stream()
                            .map(difference -> "`%s` (%d, %s): %s"
                                    .formatted(
                                            difference.name(),
                                            difference.theirs(),
                                            difference.ours() == null ? "none" : difference.ours(),
                                            difference.reason() == null ? "unexplained" : difference.reason()))
                            .collect(Collectors.joining("; ")));
            compared.unread().forEach(place -> out.println(build.name() + ": not compared: " + place));
            return compared.differences().stream().allMatch(difference -> difference.reason() != null);
        } catch (IOException | ExtractionException | TestAbortedException | AssertionError e) {
            out.println(build.name() + ": unavailable: " + e.getMessage());
            return false;
        }
    }

    /** Returns 1 if a consensus is wrong. */
    private int leaveOneOut(List<String> sets) {
        LeaveOneOut proof = LeaveOneOut.read(
                ConsensusBuilds.all(FOLDER).stream()
                        .filter(build -> sets.isEmpty() || sets.contains(build.set()))
                        .toList(),
                out);
        Map<String, LeaveOneOut.Score> scores = proof.scores(true, Peers.MIN_BUILDS);
        print("Consensus", scores);
        print("At least two builds", proof.scores(true, 2));
        print("By version and architecture alone", proof.scores(false, 1));
        out.println();
        proof.moving().stream()
                .map(pair -> pair.one().name() + " | " + pair.other().name() + ": "
                        + pair.items().size() + " items, such as "
                        + pair.items().getFirst() + "\n    " + pair.one().tokens() + "\n    "
                        + pair.other().tokens())
                .distinct()
                .forEach(out::println);
        return scores.values().stream().allMatch(score -> score.wrong().isEmpty()) ? 0 : EXIT_MISSING;
    }

    private void print(String title, Map<String, LeaveOneOut.Score> scores) {
        out.println();
        out.println("| " + title + " | builds | with peers | items | answered | correct | ambiguous | wrong |");
        out.println("|---|--:|--:|--:|--:|--:|--:|--:|");
        LeaveOneOut.Score all = LeaveOneOut.Score.NONE;
        for (Map.Entry<String, LeaveOneOut.Score> score : scores.entrySet()) {
            print(score.getKey(), score.getValue());
            all = all.plus(score.getValue());
        }
        print("all", all);
        all.wrong().stream().limit(MAX_WRONG).forEach(wrong -> out.println("    wrong: " + wrong));
    }

    private void print(String set, LeaveOneOut.Score score) {
        out.printf(
                "| %s | %d | %d | %d | %d | %d | %d | %d |%n",
                set,
                score.builds(),
                score.withPeers(),
                score.items(),
                score.answered(),
                score.correct(),
                score.ambiguous(),
                score.wrong().size());
    }

    private boolean check(SetBuild build) {
        try {
            SetCheck check = SetCheck.of(build);
            Coverage coverage = check.coverage();
            out.printf(
                    "| `%s` | %s | %s | %s | %s | %s |%n",
                    build.name(),
                    check.elf().architecture().machine(),
                    check.files().origin(),
                    share(coverage.required()),
                    share(coverage.optional()),
                    check.missingOptionalCell());
            check.missingRequired().forEach(item -> out.println(build.name() + ": required and missing: " + item));
            List<String> differences = check.differences(build);
            differences.forEach(difference -> out.println(build.name() + ": " + difference));
            return coverage.isComplete() && differences.isEmpty();
        } catch (IOException | ExtractionException | TestAbortedException | AssertionError e) {
            out.println(build.name() + ": unavailable: " + e.getMessage());
            return false;
        }
    }

    private static String share(Coverage.Share share) {
        return share.found() + " of " + share.of();
    }
}
