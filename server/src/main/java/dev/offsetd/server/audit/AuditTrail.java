package dev.offsetd.server.audit;

import jakarta.persistence.EntityManager;
import jakarta.persistence.TypedQuery;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads the record of changes, newest first. */
@Component
public class AuditTrail {

    /** Rows that are read at a time when all are wanted. */
    private static final int BATCH = 500;

    /** Most kinds of changes that are listed; there are as many as the program knows. */
    private static final int MAX_ACTIONS = 200;

    private final EntityManager entities;

    AuditTrail(EntityManager entities) {
        this.entities = entities;
    }

    /**
     * One change.
     *
     * @param id counts the rows
     * @param who label of the token, name of the user, or the operator
     * @param token null if it was none that did it
     * @param before JSON, or null if there was nothing
     * @param after JSON, or null if there is nothing any more
     */
    public record Row(
            long id,
            Instant at,
            String who,
            @Nullable UUID token,
            String address,
            String action,
            String subject,
            @Nullable String before,
            @Nullable String after,
            String requestId) {

        /** Where the row stands. */
        public Place place() {
            return new Place(at, id);
        }
    }

    /** Where a row stands among all: by its time, and by its number among those of one time. */
    public record Place(Instant at, long id) {}

    /**
     * Which rows are wanted; what is null is not looked at.
     *
     * @param from first time
     * @param until first time that is too late
     */
    public record Filter(
            @Nullable String who,
            @Nullable String action,
            @Nullable String subject,
            @Nullable Instant from,
            @Nullable Instant until) {}

    /**
     * A page of the rows.
     *
     * @param after the place of the last row of the page before; empty for the first page
     * @param limit most rows to give
     */
    public List<Row> page(Filter filter, Optional<Place> after, int limit) {
        StringBuilder query = new StringBuilder("select e from AuditEntry e where 1 = 1");
        Map<String, Object> parameters = new HashMap<>();
        add(query, parameters, "who", " and e.who = :who", filter.who());
        add(query, parameters, "action", " and e.action = :action", filter.action());
        add(query, parameters, "subject", " and e.subject = :subject", filter.subject());
        add(query, parameters, "from", " and e.at >= :from", filter.from());
        add(query, parameters, "until", " and e.at < :until", filter.until());
        after.ifPresent(place -> {
            query.append(" and e.at <= :lastAt and (e.at < :lastAt or e.id < :lastId)");
            parameters.put("lastAt", place.at());
            parameters.put("lastId", place.id());
        });
        query.append(" order by e.at desc, e.id desc");
        TypedQuery<AuditEntry> rows = entities.createQuery(query.toString(), AuditEntry.class);
        parameters.forEach(rows::setParameter);
        return rows.setMaxResults(limit).getResultList().stream()
                .map(AuditEntry::row)
                .toList();
    }

    private static void add(
            StringBuilder query,
            Map<String, Object> parameters,
            String name,
            String condition,
            @Nullable Object value) {
        if (value != null) {
            query.append(condition);
            parameters.put(name, value);
        }
    }

    /** Gives all rows, however many: a few are in memory at a time, and no connection is held in between. */
    public void forEach(Filter filter, Consumer<Row> taker) {
        Optional<Place> last = Optional.empty();
        while (true) {
            List<Row> rows = page(filter, last, BATCH);
            rows.forEach(taker);
            if (rows.size() < BATCH) {
                return;
            }
            last = Optional.of(rows.getLast().place());
        }
    }

    /** What was done at all, in the order of the words. Steps from one word to the next, past all rows with the same. */
    public List<String> actions() {
        List<?> words = entities.createNativeQuery("""
                        with recursive words as (
                            (select action from audit order by action limit 1)
                            union all
                            select (select action from audit where action > words.action order by action limit 1)
                            from words where words.action is not null)
                        select action from words where action is not null
                        """, String.class)
                .setMaxResults(MAX_ACTIONS)
                .getResultList();
        return words.stream().map(String.class::cast).toList();
    }
}
