package dev.offsetd.server.pins;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.web.CreationPosition;
import jakarta.persistence.criteria.CriteriaBuilder;
import jakarta.persistence.criteria.CriteriaQuery;
import jakarta.persistence.criteria.Expression;
import jakarta.persistence.criteria.Predicate;
import jakarta.persistence.criteria.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.domain.Specification;

/**
 * Filter of a list of pins; criteria that are null match all.
 *
 * @param review whether the pin needs a review
 * @param text part of the item, the reason or the author's name, in any case
 */
public record PinFilter(
        @Nullable BuildId buildId,
        Pin.@Nullable State state,
        Pin.@Nullable Agreement agreement,
        @Nullable Boolean review,
        @Nullable String text) {

    /** Returns a filter that matches every pin. */
    public static final PinFilter ALL = new PinFilter(null, null, null, null, null);

    /** Returns this filter with what the function makes of its build. */
    PinFilter with(UnaryOperator<BuildId> build) {
        return new PinFilter(buildId == null ? null : build.apply(buildId), state, agreement, review, text);
    }

    /** Returns a filter that matches every pin of one build. */
    public static PinFilter ofBuild(BuildId id) {
        return new PinFilter(id, null, null, null, null);
    }

    /** Finds the rows that a filter matches, after a cursor. */
    record Match(PinFilter filter, @Nullable CreationPosition after) implements Specification<PinRow> {

        @Override
        public @Nullable Predicate toPredicate(Root<PinRow> row, CriteriaQuery<?> query, CriteriaBuilder where) {
            List<Predicate> all = new ArrayList<>();
            if (filter.buildId() != null) {
                all.add(where.equal(row.get("buildId"), filter.buildId().toBytes()));
            }
            if (filter.state() != null) {
                all.add(where.equal(row.get("state"), filter.state().word()));
            }
            if (filter.agreement() != null) {
                all.add(where.equal(row.get("agreement"), filter.agreement().word()));
            }
            if (filter.review() != null) {
                all.add(
                        filter.review()
                                ? row.get("review").isNotNull()
                                : row.get("review").isNull());
            }
            String text = filter.text();
            if (text != null) {
                all.add(where.or(
                        contains(row.get("item"), text, where),
                        contains(row.get("reason"), text, where),
                        contains(row.get("author"), text, where)));
            }
            if (after != null) {
                all.add(where.or(
                        where.lessThan(row.get("createdAt"), after.createdAt()),
                        where.and(
                                where.equal(row.get("createdAt"), after.createdAt()),
                                where.lessThan(row.get("id"), after.id()))));
            }
            return where.and(all.toArray(Predicate[]::new));
        }

        private static Predicate contains(Expression<String> column, String text, CriteriaBuilder where) {
            return where.greaterThan(where.locate(where.lower(column), text.toLowerCase(Locale.ROOT)), 0);
        }
    }
}
