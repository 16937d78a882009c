package dev.offsetd.server.pins;

import dev.offsetd.server.web.CreationPosition;
import jakarta.persistence.criteria.CriteriaBuilder;
import jakarta.persistence.criteria.CriteriaQuery;
import jakarta.persistence.criteria.Expression;
import jakarta.persistence.criteria.Predicate;
import jakarta.persistence.criteria.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.domain.Specification;

/** Finds the rows that a filter matches, after a cursor. */
record PinMatch(PinFilter filter, Optional<CreationPosition> after) implements Specification<PinRow> {

    @Override
    public @Nullable Predicate toPredicate(Root<PinRow> row, CriteriaQuery<?> query, CriteriaBuilder where) {
        List<Predicate> all = new ArrayList<>();
        filter.buildId().ifPresent(id -> all.add(where.equal(row.get("buildId"), id.toBytes())));
        filter.state().ifPresent(state -> all.add(where.equal(row.get("state"), state.word())));
        filter.agreement().ifPresent(agreement -> all.add(where.equal(row.get("agreement"), agreement.word())));
        filter.review()
                .ifPresent(review -> all.add(
                        review
                                ? row.get("review").isNotNull()
                                : row.get("review").isNull()));
        filter.text()
                .ifPresent(text -> all.add(where.or(
                        contains(row.get("item"), text, where),
                        contains(row.get("reason"), text, where),
                        contains(row.get("author"), text, where))));
        after.ifPresent(place -> all.add(where.or(
                where.lessThan(row.get("createdAt"), place.createdAt()),
                where.and(
                        where.equal(row.get("createdAt"), place.createdAt()),
                        where.lessThan(row.get("id"), place.id())))));
        return where.and(all.toArray(Predicate[]::new));
    }

    private static Predicate contains(Expression<String> column, String text, CriteriaBuilder where) {
        return where.greaterThan(where.locate(where.lower(column), text.toLowerCase(Locale.ROOT)), 0);
    }
}
