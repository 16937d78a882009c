package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.extractor.layout.VariantToken;
import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.consensus.Speakers;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.builds.PinCounts;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SimilarBuilds;
import dev.offsetd.server.builds.identity.SimilarBuilds.SimilarBuild;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.typesets.TypeSets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Finds the stored builds that may speak for a build without debug information. */
@Component
public class SpeakerSearch {

    /** Most type sets whose runtime a build is compared with. */
    private static final int MAX_SETS = 200;

    /** Most builds of an origin on each side of a version that are compared. */
    private static final int MAX_CANDIDATES = 64;

    private final Identities identities;
    private final SimilarBuilds similar;
    private final PinCounts pins;
    private final TypeSets typeSets;

    SpeakerSearch(Identities identities, SimilarBuilds similar, PinCounts pins, TypeSets typeSets) {
        this.identities = identities;
        this.similar = similar;
        this.pins = pins;
        this.typeSets = typeSets;
    }

    /** Returns the builds that may speak for a build; empty if it is not known to be of one runtime. */
    public Optional<SpeakerSelection> find(BuildId id) {
        return find(id, Set.of(), Optional.empty()) instanceof SpeakerSelection selection
                ? Optional.of(selection)
                : Optional.empty();
    }

    /**
     * Returns the builds that may speak for a build.
     *
     * @param named names of the type sets of a query, which decide if the build is of several runtimes
     * @param claim what a client states of the build; the file comes first
     */
    SpeakerResult find(BuildId id, Set<String> named, Optional<Fallback> claim) {
        List<TypeSet> sets = typeSets.first(MAX_SETS).stream()
                .filter(set -> !set.probes().isEmpty())
                .toList();
        Identities.NamedFile file =
                identities.findFile(id).orElse(new Identities.NamedFile(Identity.UNKNOWN, Optional.empty()));
        Map<TypeSet, ConsensusIdentity> stated = new HashMap<>();
        file.architecture()
                .ifPresent(architecture -> sets.forEach(set -> ConsensusIdentity.of(file.identity(), architecture, set)
                        .ifPresent(identity -> stated.put(set, identity))));
        Optional<TypeSet> set = only(stated.keySet().stream().toList(), named)
                .or(() -> stated.isEmpty()
                        ? claim.flatMap(fallback -> claimed(sets, named, fallback))
                        : Optional.empty());
        if (set.isEmpty()) {
            return stated.isEmpty()
                    ? NoConsensus.unknownProgram(file.architecture().isPresent())
                    : NoConsensus.severalRuntimes(
                            stated.keySet().stream().map(TypeSet::name).toList());
        }
        return select(id, set.get(), Optional.ofNullable(stated.get(set.get())), file.architecture(), claim);
    }

    /** Returns the only one of these sets, or the only one that is named. */
    private static Optional<TypeSet> only(List<TypeSet> sets, Set<String> named) {
        List<TypeSet> chosen = sets.size() == 1
                ? sets
                : sets.stream().filter(set -> named.contains(set.name())).toList();
        return chosen.size() == 1 ? Optional.of(chosen.getFirst()) : Optional.empty();
    }

    private static Optional<TypeSet> claimed(List<TypeSet> sets, Set<String> named, Fallback claim) {
        List<TypeSet> ofProject = claim.project().stream()
                .flatMap(project -> sets.stream().filter(set -> isOf(set, project)))
                .toList();
        return only(
                ofProject.isEmpty()
                        ? sets.stream()
                                .filter(set -> named.contains(set.name()))
                                .toList()
                        : ofProject,
                named);
    }

    private static boolean isOf(TypeSet set, String project) {
        return set.name().equals(project)
                || set.probes().stream().anyMatch(probe -> probe.project().equals(project));
    }

    private SpeakerResult select(
            BuildId id,
            TypeSet set,
            Optional<ConsensusIdentity> stated,
            Optional<Architecture> architecture,
            Optional<Fallback> claim) {
        Map<String, String> tokens = new HashMap<>(tokens(set, claim));
        boolean claimed = stated.isEmpty();
        if (stated.isPresent()) {
            claimed = !stated.get().tokens().keySet().containsAll(tokens.keySet());
            tokens.putAll(stated.get().tokens());
        }
        String project = stated.flatMap(identity -> Optional.ofNullable(identity.project()))
                .orElseGet(() -> set.probes().getFirst().project());
        Optional<String> version = stated.flatMap(identity -> Optional.ofNullable(identity.version()))
                .or(() -> claim.flatMap(Fallback::version));
        Optional<String> machine = architecture.map(Architecture::machine).or(() -> claim.flatMap(Fallback::machine));
        if (version.isEmpty()) {
            return NoConsensus.unknownVersion(project);
        }
        if (machine.isEmpty()) {
            return NoConsensus.unknownMachine(project);
        }
        List<Speakers.Speaker<SimilarBuild>> candidates =
                candidates(id, set, project, machine.get(), version.get(), tokens);
        ConsensusIdentity program = new ConsensusIdentity(
                project,
                version.get(),
                architecture.or(() -> common(candidates)).orElse(null),
                tokens,
                stated.flatMap(identity -> Optional.ofNullable(identity.distribution()))
                        .orElse(null));
        return SpeakerSelection.of(set, program, claimed, candidates);
    }

    /** Returns the states of the variant tokens of a set that a client claims. */
    private static Map<String, String> tokens(TypeSet set, Optional<Fallback> claim) {
        Map<String, String> tokens = new HashMap<>();
        Set<String> texts = claim.flatMap(Fallback::tokens).orElse(Set.of());
        for (VariantToken token : set.variants()) {
            String prefix = VariantToken.prefix(set.name(), token.name());
            texts.stream()
                    .filter(text -> text.startsWith(prefix))
                    .forEach(text -> tokens.put(token.name(), text.substring(prefix.length())));
        }
        return tokens;
    }

    /**
     * Returns stored builds of all origins. A pin exists because something is wrong, so a build with pins does not speak. A file
     * speaks once, for the most trusted origin that has it.
     */
    private List<Speakers.Speaker<SimilarBuild>> candidates(
            BuildId id, TypeSet set, String project, String machine, String version, Map<String, String> tokens) {
        List<String> variants = tokens.entrySet().stream()
                .map(token -> VariantToken.prefix(set.name(), token.getKey()) + token.getValue())
                .toList();
        // Each origin has a separate limit, so that no number of uploads displaces a build of an upstream.
        List<SimilarBuild> found = Stream.of(Origin.values())
                .sorted(Comparator.comparingInt(Origin::rank))
                .flatMap(origin -> similar
                        .find(
                                id,
                                new SimilarBuilds.Likeness(project, machine, version, variants),
                                origin,
                                MAX_CANDIDATES)
                        .stream())
                .toList();
        Set<BuildId> pinned =
                pins.activePins(found.stream().map(SimilarBuild::id).toList()).keySet();
        Set<String> files = new HashSet<>();
        return found.stream()
                .filter(build -> !pinned.contains(build.id()) && files.add(build.sha256()))
                .flatMap(build -> ConsensusIdentity.of(build.identity(), build.architecture(), set)
                        .map(identity -> new Speakers.Speaker<>(identity, provider(build), build))
                        .stream())
                .toList();
    }

    private static Speakers.Provider provider(SimilarBuild build) {
        return new Speakers.Provider(build.origin().rank(), build.origin().word(), build.uploader());
    }

    /** Returns the architecture that all candidates of the most trusted origin have. */
    private static Optional<Architecture> common(List<Speakers.Speaker<SimilarBuild>> candidates) {
        List<Architecture> different = candidates.stream()
                .filter(candidate -> candidate.build().origin()
                        == candidates.getFirst().build().origin())
                .map(candidate -> candidate.build().architecture())
                .distinct()
                .toList();
        return different.size() == 1 ? Optional.of(different.getFirst()) : Optional.empty();
    }
}
