package dev.offsetd.server.watches;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.operations.work.SharedScheduler;
import dev.offsetd.server.operations.work.SharedWork;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Watches: creation, listing and removal. */
@Component
public class Watches {

    private static final int MAX_WATCHES = 500;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private final WatchTable table;
    private final WatchRuns runs;
    private final TypeSets typeSets;
    private final WatchWeb web;
    private final WatchPlaces places;
    private final AuditLog audit;
    private final SharedScheduler scheduler;
    private final TransactionTemplate transaction;

    Watches(
            WatchTable table,
            WatchRuns runs,
            TypeSets typeSets,
            WatchWeb web,
            WatchPlaces places,
            AuditLog audit,
            SharedScheduler scheduler,
            PlatformTransactionManager transactions) {
        this.table = table;
        this.runs = runs;
        this.typeSets = typeSets;
        this.web = web;
        this.places = places;
        this.audit = audit;
        this.scheduler = scheduler;
        this.transaction = new TransactionTemplate(transactions);
    }

    /** Returns all watches by name. */
    public List<Watch> all() {
        return table.all();
    }

    /** Returns a watch; 404 if there is none. */
    public Watch require(String id) {
        return Ids.uuid(id)
                .flatMap(table::find)
                .orElseThrow(() -> ProblemException.notFound(
                        "watch_not_found", "No such watch", "no watch has the id " + HostileText.quote(id)));
    }

    /**
     * Creates a watch, which is due at once.
     *
     * @throws ProblemException if the draft is invalid (400 {@code bad_watch}), another watch has the name, or there are too
     *     many (409)
     */
    public Watch create(Watch.Draft draft, Actor actor) {
        validate(draft);
        UUID id = transaction.execute(status -> {
            if (table.count() >= MAX_WATCHES) {
                throw ProblemException.conflict(
                        "watches_full", "There are too many watches", "the limit is " + MAX_WATCHES + " watches");
            }
            UUID added = table.add(draft, false, actor.name())
                    .orElseThrow(() -> ProblemException.conflict(
                            "watch_exists",
                            "The watch exists",
                            "a watch has the name " + HostileText.quote(draft.name()) + "; expected another name"));
            audit.record(actor, "watch.create", added.toString(), null, described(draft));
            scheduler.runNow(runs, SharedWork.ONLY);
            return added;
        });
        scheduler.wake(runs);
        return require(id.toString());
    }

    private void validate(Watch.Draft draft) {
        if (!NAME.matcher(draft.name()).matches()) {
            throw Watch.Draft.bad(
                    "name",
                    "name is " + HostileText.quote(draft.name())
                            + "; expected 1 to 100 letters, digits, dots, hyphens and underscores");
        }
        web.requirePermitted(draft.place().url());
        places.requirePermitted(draft.place());
        if (draft.typeSets().isEmpty()) {
            throw Watch.Draft.bad("typeSets", "typeSets has no set; expected at least one");
        }
        for (String problem : typeSets.unknown(draft.typeSets())) {
            throw Watch.Draft.bad("typeSets", "typeSets: " + problem);
        }
        if (draft.interval().compareTo(Watch.Draft.SHORTEST_INTERVAL) < 0
                || draft.interval().compareTo(Watch.Draft.LONGEST_INTERVAL) > 0) {
            throw Watch.Draft.bad(
                    "intervalSeconds",
                    "intervalSeconds is " + draft.interval().toSeconds() + "; expected "
                            + Watch.Draft.SHORTEST_INTERVAL.toSeconds() + " to "
                            + Watch.Draft.LONGEST_INTERVAL.toSeconds());
        }
    }

    private static Map<String, Object> described(Watch.Draft draft) {
        return new TreeMap<>(Map.of(
                "name", draft.name(),
                "kind", draft.place().kind().toString(),
                "url", draft.place().url(),
                "typeSets", draft.typeSets()));
    }

    /** Removes a watch, but no builds; 404 if there is none, 409 if it is built in. */
    public void remove(String id, Actor actor) {
        Watch watch = require(id);
        if (watch.builtIn()) {
            throw ProblemException.conflict(
                    "watch_built_in",
                    "The watch is built in",
                    "watch " + watch.name() + " is built in; offsetd.watches.defaults=false switches all of these off");
        }
        transaction.executeWithoutResult(status -> {
            if (table.delete(watch.id())) {
                audit.record(
                        actor,
                        "watch.remove",
                        id,
                        Map.of("name", watch.name(), "url", watch.place().url()),
                        null);
            }
        });
    }

    /** Makes a watch due now; 404 if there is none. */
    public Watch run(String id, Actor actor) {
        Watch watch = require(id);
        transaction.executeWithoutResult(status -> {
            table.runNow(watch.id());
            audit.record(actor, "watch.run", id, null, Map.of("name", watch.name()));
            scheduler.runNow(runs, SharedWork.ONLY);
        });
        scheduler.wake(runs);
        return require(id);
    }
}
