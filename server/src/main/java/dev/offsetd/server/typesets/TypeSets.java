package dev.offsetd.server.typesets;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSource;
import dev.offsetd.query.typeset.UnknownNameMapException;
import dev.offsetd.query.typeset.UnknownTypeSetException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Precondition;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.SetNames;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Limit;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Type sets: the built-in ones, and custom ones. Custom sets are read from the database each time, so that no server
 * uses an outdated one.
 */
@Component
public class TypeSets implements SetNames {

    static final Pattern NAME = Pattern.compile(TypeSetParser.NAME);

    /** Limit of the custom sets listed in a problem. */
    private static final int NAMED = 50;

    /** Limit of the sets that builds are searched for. */
    private static final int SEARCHED = 200;

    private final BuiltInTypeSets builtIn = new BuiltInTypeSets();
    private final TypeSetRows rows;
    private final TypeSetVersions versions;
    private final Changes changes;
    private final AuditLog audit;
    private final JsonMapper json;
    private final TransactionTemplate transaction;

    TypeSets(
            TypeSetRows rows,
            TypeSetVersions versions,
            Changes changes,
            AuditLog audit,
            JsonMapper json,
            PlatformTransactionManager transactions) {
        this.rows = rows;
        this.versions = versions;
        this.changes = changes;
        this.audit = audit;
        this.json = json;
        this.transaction = new TransactionTemplate(transactions);
    }

    /** Expands the type sets among the items of a query; 400 if one is unknown, 413 if the items become too many. */
    public Expansion expand(List<Item> items) {
        try {
            return Expansion.of(items, new Source());
        } catch (UnknownTypeSetException e) {
            throw unknownSet(e);
        } catch (ItemSyntaxException e) {
            throw tooManyItems(e, Expansion.MAX_ITEMS);
        }
    }

    /** Returns the problem of a query with more items than the limit. */
    public static ProblemException tooManyItems(ItemSyntaxException e, int limit) {
        return ProblemException.of(
                        HttpStatus.CONTENT_TOO_LARGE,
                        "too_large",
                        "The query is too large",
                        String.valueOf(e.getMessage()))
                .with("limit", limit);
    }

    /**
     * Expands a query for a name map.
     *
     * @param items the set of the map, and nothing else
     * @param map its name; null for the only one of the set
     * @throws ProblemException if the set or its map is unknown: 400
     */
    public Expansion expandMap(List<Item> items, @Nullable String map) {
        try {
            return Expansion.ofMap(items, map, new Source());
        } catch (UnknownTypeSetException e) {
            throw unknownSet(e);
        } catch (UnknownNameMapException e) {
            throw ProblemException.badRequest("unknown_map", "No such name map", String.valueOf(e.getMessage()));
        }
    }

    private static ProblemException unknownSet(UnknownTypeSetException e) {
        return new ProblemException(
                Problem.of(HttpStatus.BAD_REQUEST, "unknown_set", "No such type set", String.valueOf(e.getMessage()))
                        .with("item", e.text())
                        .with("itemNumber", e.itemNumber())
                        // The name follows the @; positions count from 1.
                        .with("position", e.text().indexOf('@') + 2));
    }

    /** A set in its current version. */
    public record CurrentSet(TypeSetDocument document, boolean builtIn) {}

    /**
     * Result of {@link #put}.
     *
     * @param created whether no set had this name before
     */
    public record StoredSet(TypeSetDocument document, boolean created) {}

    public boolean isBuiltIn(String name) {
        return builtIn.find(name).isPresent();
    }

    @Override
    public void requireKnown(List<String> names) {
        List<String> unknown = unknown(names);
        if (!unknown.isEmpty()) {
            throw ProblemException.badRequest("unknown_set", "No such type set", unknown.getFirst());
        }
    }

    /** Returns what is wrong with the names of sets: a sentence for each that is unknown. */
    public List<String> unknown(List<String> names) {
        return names.stream()
                .filter(name -> !NAME.matcher(name).matches() || find(name).isEmpty())
                .map(name -> "no type set is named " + HostileText.quote(name) + "; expected one of "
                        + String.join(", ", new Source().names()))
                .toList();
    }

    /** Returns the set of this name. A built-in set hides a custom one. */
    public Optional<CurrentSet> find(String name) {
        return builtIn.find(name)
                .map(set -> new CurrentSet(new TypeSetDocument(set), true))
                .or(() -> own(name)
                        .map(document -> new CurrentSet(
                                new TypeSetDocument(document.set(), retired().contains(name)), false)));
    }

    /** Returns the set of this name; 404 if there is none. */
    public CurrentSet require(String name) {
        return Optional.of(name)
                .filter(text -> NAME.matcher(text).matches())
                .flatMap(this::find)
                .orElseThrow(() -> ProblemException.notFound(
                        "type_set_not_found", "No such type set", "no type set is named " + HostileText.quote(name)));
    }

    /** One version of a custom set. */
    public record SetVersion(TypeSetDocument document, String author, Instant createdAt) {}

    /** Returns the latest versions of a custom set, newest first; none for a built-in one. */
    public List<SetVersion> versions(String name, int limit) {
        return versions.findByNameOrderByVersionDesc(name, Limit.of(limit)).stream()
                .map(TypeSetVersion::described)
                .toList();
    }

    private Optional<TypeSetDocument> own(String name) {
        return rows.current(name).map(TypeSetVersion::document);
    }

    /**
     * Returns the sets whose names sort after this one, sorted by name.
     *
     * @param withRetired whether retired sets are among them
     */
    public List<CurrentSet> after(String name, boolean withRetired, int limit) {
        Set<String> retired = withRetired ? retired() : Set.of();
        List<CurrentSet> found = new ArrayList<>();
        for (TypeSet set : builtIn.all()) {
            if (set.name().compareTo(name) > 0) {
                found.add(new CurrentSet(new TypeSetDocument(set), true));
            }
        }
        for (TypeSetVersion version : rows.after(name, withRetired, Limit.of(limit))) {
            TypeSet set = version.document().set();
            if (!isBuiltIn(set.name())) {
                found.add(new CurrentSet(new TypeSetDocument(set, retired.contains(set.name())), false));
            }
        }
        return found.stream()
                .sorted(Comparator.comparing(known -> known.document().set().name()))
                .limit(limit)
                .toList();
    }

    /** Returns the name at a position in a list of sets; 400 if it is not from a cursor. */
    public static String nameAt(byte[] position) {
        String name = new String(position, StandardCharsets.US_ASCII);
        if (!NAME.matcher(name).matches()) {
            throw ListQuery.badCursor();
        }
        return name;
    }

    /** Returns the names of the first custom sets in use, sorted. */
    public List<String> firstOwn(int limit) {
        return rows.after("", false, Limit.of(limit)).stream()
                .map(version -> version.document().set().name())
                .filter(name -> !isBuiltIn(name))
                .toList();
    }

    /** Returns the first sets in use, sorted by name. */
    public List<TypeSet> first(int limit) {
        return after("", false, limit).stream()
                .map(known -> known.document().set())
                .toList();
    }

    /** Returns the sets whose probes builds are searched for: the first ones in use, sorted by name. */
    public List<TypeSet> searched() {
        return first(SEARCHED);
    }

    /**
     * Creates a set, or adds a version to it. A set that does not change keeps its version.
     *
     * @param set with any version
     * @throws ProblemException if the precondition fails: 412
     */
    public StoredSet put(TypeSet set, Precondition precondition, Actor actor) {
        return transaction.execute(status -> {
            rows.add(set.name());
            TypeSetRow row = rows.locked(set.name());
            Optional<TypeSetDocument> before =
                    own(set.name()).map(known -> new TypeSetDocument(known.set(), row.isRetired()));
            precondition.check("type set", before.map(TypeSetDocument::etags).orElse(Set.of()));
            TypeSet next = set.withVersion(row.version() + 1);
            if (before.isPresent() && before.get().set().equals(next.withVersion(row.version()))) {
                return new StoredSet(before.get(), false);
            }
            TypeSetDocument after = new TypeSetDocument(next, row.isRetired());
            row.raiseTo(next.version());
            versions.save(new TypeSetVersion(new TypeSetDocument(next), actor.caller()));
            changes.recordEverything();
            audit.record(
                    actor, "type-set.put", set.name(), before.map(this::audited).orElse(null), audited(after));
            return new StoredSet(after, before.isEmpty());
        });
    }

    /** Returns the names of the retired sets. */
    public Set<String> retired() {
        return rows.retired();
    }

    /**
     * Retires a custom set, or takes it into use again. Lists leave a retired set out; its versions stay, and queries that name
     * it are answered. No-op if nothing changes.
     *
     * @throws ProblemException if the set is unknown: 404, or built in: 409
     */
    public void retire(String name, boolean retired, Actor actor) {
        requireOwn(name);
        require(name);
        transaction.executeWithoutResult(status -> {
            TypeSetRow row = rows.locked(name);
            if (row.isRetired() != retired) {
                row.retire(retired ? Instant.now() : null);
                audit.record(
                        actor,
                        retired ? "type-set.retire" : "type-set.restore",
                        name,
                        Map.of("retired", !retired),
                        Map.of("retired", retired));
            }
        });
    }

    /** Refuses a built-in set: 409. */
    public void requireOwn(String name) {
        if (isBuiltIn(name)) {
            throw ProblemException.conflict(
                    "built_in_type_set",
                    "A built-in type set cannot be changed",
                    "@" + name + " is built in; expected another name");
        }
    }

    private JsonNode audited(TypeSetDocument document) {
        return json.readTree(document.text());
    }

    private final class Source implements TypeSetSource {

        @Override
        public Optional<TypeSet> find(String name) {
            return builtIn.find(name).or(() -> own(name).map(TypeSetDocument::set));
        }

        @Override
        public Set<String> names() {
            Set<String> names = new TreeSet<>(builtIn.names());
            names.addAll(rows.names(Limit.of(NAMED)));
            return names;
        }
    }
}
