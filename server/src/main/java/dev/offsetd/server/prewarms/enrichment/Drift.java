package dev.offsetd.server.prewarms.enrichment;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.identity.ComparableBuilds;
import dev.offsetd.server.builds.identity.ComparableBuilds.ComparableBuild;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.events.EventKind;
import dev.offsetd.server.events.EventProperties;
import dev.offsetd.server.events.EventWriter;
import dev.offsetd.server.events.NewEvent;
import dev.offsetd.server.events.WatchedSets;
import dev.offsetd.server.prewarms.enrichment.SetComparison.Differences;
import dev.offsetd.server.typesets.TypeSets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Reports what a new build of a watched runtime changes. */
@Component
class Drift {

    private static final Logger log = LoggerFactory.getLogger(Drift.class);

    /** Most earlier builds among which one of the same options is looked for. */
    private static final int MAX_EARLIER = 64;

    private final ComparableBuilds comparable;
    private final Builds builds;
    private final Identities identities;
    private final SetComparison comparison;
    private final TypeSets sets;
    private final EventWriter events;
    private final EventProperties properties;
    private final ObjectProvider<WatchedSets> watched;
    private final TransactionTemplate transaction;

    /** @param watched resolved late, because a watch may depend on this package */
    Drift(
            ComparableBuilds comparable,
            Builds builds,
            Identities identities,
            SetComparison comparison,
            TypeSets sets,
            EventWriter events,
            EventProperties properties,
            ObjectProvider<WatchedSets> watched,
            PlatformTransactionManager transactions) {
        this.comparable = comparable;
        this.builds = builds;
        this.identities = identities;
        this.comparison = comparison;
        this.sets = sets;
        this.events = events;
        this.properties = properties;
        this.watched = watched;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Compares a build with the one before it, once, and writes the events of the result with the note that the comparison was
     * made.
     *
     * @param covered the type sets of which the build has a required item
     * @param isLast whether nothing more will be learnt of the build. Otherwise it is compared only if what is stored of it
     *     tells the build before it for every watched set that it has, so that names in its executable change nothing
     */
    void report(BuildId id, List<SetCoverage> covered, boolean isLast) {
        Build build = builds.find(id).orElse(null);
        ComparableBuild identity = comparable.find(id).orElse(null);
        List<Pair> pairs = new ArrayList<>();
        if (build != null && identity != null) {
            for (SetCoverage set : watched(covered)) {
                pairs.add(new Pair(
                        set, comparable.previous(identity, set, MAX_EARLIER).orElse(null)));
            }
        }
        if (!isLast && (pairs.isEmpty() || pairs.stream().anyMatch(pair -> pair.previous() == null))) {
            return;
        }
        List<NewEvent> found = new ArrayList<>();
        if (build != null && identity != null) {
            pairs.forEach(pair -> found.addAll(compare(build, identity, pair)));
        }
        transaction.executeWithoutResult(status -> {
            if (identities.endComparison(id)) {
                found.forEach(events::append);
            }
        });
    }

    /** A watched set of a build, and the build to compare it with; null if none is certain to be of the same file. */
    private record Pair(SetCoverage set, @Nullable ComparableBuild previous) {}

    private List<SetCoverage> watched(List<SetCoverage> covered) {
        Set<String> names = watchedSets();
        return covered.stream().filter(set -> names.contains(set.set())).toList();
    }

    /** Returns the names of the type sets whose builds are compared. */
    Set<String> watchedSets() {
        Set<String> names = new TreeSet<>(properties.sets());
        watched.forEach(watch -> names.addAll(watch.names()));
        return names;
    }

    private List<NewEvent> compare(Build build, ComparableBuild identity, Pair pair) {
        SetCoverage set = pair.set();
        ComparableBuild before = pair.previous();
        Build previous = before == null ? null : builds.find(before.id()).orElse(null);
        if (before == null || previous == null) {
            log.info(
                    "build {} ({}): @{} is compared with no build, because none of an earlier version is certain to be the"
                            + " same file",
                    build.id(),
                    name(identity),
                    set.set());
            return List.of();
        }
        Differences differences = comparison.compare(previous, build, set.set());
        Map<String, Object> detail = new LinkedHashMap<>();
        detail.put("from", side(before));
        detail.put("to", side(identity));
        boolean newSeries = !identity.series().equals(before.series());
        if (newSeries) {
            detail.put("newSeries", identity.series());
        }
        boolean unchecked = !identity.version().isEmpty()
                && sets.require(set.set()).document().set().isUncheckedWith(identity.version());
        if (unchecked) {
            detail.put("uncheckedVersion", identity.version());
        }
        Set<String> options = identity.options(set.set());
        Set<String> earlierOptions = before.options(set.set());
        if (!options.equals(earlierOptions)) {
            detail.put("otherOptions", Map.of("from", earlierOptions, "to", options));
        }
        String subject = "@" + set.set() + ", " + name(before) + " -> " + name(identity) + ": ";
        List<NewEvent> found = new ArrayList<>();
        if (!differences.missing().isEmpty()) {
            List<String> missing = differences.missing().stream()
                    .map(Coverage.MissingEntry::name)
                    .limit(SetComparison.MAX_LISTED)
                    .toList();
            Map<String, Object> members = new LinkedHashMap<>(detail);
            members.put("missing", missing);
            found.add(event(EventKind.ITEM_MISSING, build, set, subject + String.join(", ", missing), members));
        }
        if (!differences.isSame()) {
            Map<String, Object> members = new LinkedHashMap<>(detail);
            members.putAll(differences.detail());
            found.add(event(EventKind.DRIFT, build, set, subject + differences.title(), members));
        } else if (found.isEmpty() && newSeries && unchecked) {
            found.add(
                    event(EventKind.DRIFT, build, set, subject + "the set was not checked with this version", detail));
        } else if (found.isEmpty()) {
            found.add(event(EventKind.UNCHANGED, build, set, subject + "unchanged", detail));
        }
        return found;
    }

    private static NewEvent event(
            EventKind kind, Build build, SetCoverage set, String title, Map<String, Object> detail) {
        return new NewEvent(kind, build.id(), List.of(set.set()), title, detail);
    }

    private static String name(ComparableBuild build) {
        return build.title().isEmpty() ? build.id().toString() : build.title();
    }

    private static Map<String, Object> side(ComparableBuild build) {
        return Map.of("buildId", build.id().toString(), "title", build.title());
    }
}
