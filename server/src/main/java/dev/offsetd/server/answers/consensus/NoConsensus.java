package dev.offsetd.server.answers.consensus;

import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.consensus.Peers;
import dev.offsetd.server.builds.identity.ComparableBuilds.ComparableBuild;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.Problem;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Why a program has no peers.
 *
 * @param reason for programs
 * @param detail for people
 */
public record NoConsensus(Reason reason, String detail) implements PeerSearch.Result, Consensus.Result {

    public enum Reason implements Word {
        UNKNOWN_PROGRAM,
        SEVERAL_RUNTIMES,
        UNKNOWN_VERSION,
        UNKNOWN_MACHINE,
        UNKNOWN_VARIANT,
        NO_BUILD,
        ONLY_BELOW,
        ONLY_ABOVE,
        UNREADABLE
    }

    /** Returns the reason as it is told to clients. */
    public String sentence() {
        return "no consensus: " + detail;
    }

    /** Returns the problem of a build with the reason why other builds do not answer for it. */
    public Problem addTo(Problem problem) {
        return problem.withDetail(sentence()).with("noConsensus", new Explanation(reason.word(), detail));
    }

    private record Explanation(String reason, String detail) {}

    /** @param hasFile whether an executable of the build was read */
    static NoConsensus unknownProgram(boolean hasFile) {
        return new NoConsensus(
                Reason.UNKNOWN_PROGRAM,
                (hasFile ? "the file states no version that a type set looks for" : "no file of the build is known")
                        + ", and the request claims no runtime that a type set is of");
    }

    static NoConsensus severalRuntimes(Collection<String> sets) {
        return new NoConsensus(
                Reason.SEVERAL_RUNTIMES,
                "several runtimes match; request one type set: "
                        + sets.stream().sorted().map(set -> "@" + set).collect(Collectors.joining(", ")));
    }

    static NoConsensus unknownVersion(String project) {
        return new NoConsensus(Reason.UNKNOWN_VERSION, "the version of " + project + " is not known; claim version");
    }

    static NoConsensus unknownMachine(String project) {
        return new NoConsensus(
                Reason.UNKNOWN_MACHINE, "the architecture of " + project + " is not known; claim machine");
    }

    static NoConsensus unreadable() {
        return new NoConsensus(Reason.UNREADABLE, "the types of a comparable build cannot be read");
    }

    /** Returns the reason of a selection without builds. */
    static NoConsensus of(PeerSelection selection) {
        Peers<ComparableBuild> peers = selection.peers();
        ConsensusIdentity program = selection.program();
        String name = program.project() + " " + program.version();
        return switch (Objects.requireNonNull(peers.refusal())) {
            case UNKNOWN_IDENTITY ->
                program.architecture() == null
                        ? withoutArchitecture(selection, name)
                        : new NoConsensus(Reason.UNKNOWN_VERSION, name + " is not a version that can be compared");
            case UNKNOWN_VARIANT ->
                new NoConsensus(
                        Reason.UNKNOWN_VARIANT,
                        "the state of " + String.join(", ", peers.unknown()) + " is not known of " + name
                                + "; claim tokens");
            case NO_BUILD -> noBuild(selection, name);
            case ONLY_BELOW ->
                new NoConsensus(
                        Reason.ONLY_BELOW,
                        "builds of " + peers.below() + " are stored, but none of " + name + " or a release above");
            case ONLY_ABOVE ->
                new NoConsensus(
                        Reason.ONLY_ABOVE,
                        "builds of " + peers.above() + " are stored, but none of " + name + " or a release below");
        };
    }

    /** A claimed machine has the architecture of the candidates if they all have the same. */
    private static NoConsensus withoutArchitecture(PeerSelection selection, String name) {
        return selection.candidates().isEmpty()
                ? noBuild(selection, name)
                : new NoConsensus(
                        Reason.UNKNOWN_MACHINE,
                        "the machine of " + name + " has builds of different byte orders or pointer sizes");
    }

    private static NoConsensus noBuild(PeerSelection selection, String name) {
        ConsensusIdentity program = selection.program();
        String variant = program.tokens().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(token -> token.getKey() + "=" + token.getValue())
                .collect(Collectors.joining(", "));
        return new NoConsensus(
                Reason.NO_BUILD,
                "no build of " + name + ", or of releases of its series around it, is stored for its architecture"
                        + (variant.isEmpty() ? "" : " and variant (" + variant + ")"));
    }
}
