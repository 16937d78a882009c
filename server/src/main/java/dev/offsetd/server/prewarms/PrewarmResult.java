package dev.offsetd.server.prewarms;

import dev.offsetd.query.item.Coverage;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a build has of the types of its batch.
 *
 * @param complete whether it has all of them; of sets, all that is required
 * @param coverage by the item that names the set, such as {@code @ruby}
 * @param missing items beside the sets that were not found
 */
public record PrewarmResult(boolean complete, Map<String, SetShare> coverage, List<String> missing) {

    public PrewarmResult {
        coverage = Collections.unmodifiableMap(new LinkedHashMap<>(coverage));
        missing = List.copyOf(missing);
    }

    /**
     * How much a build has of a set.
     *
     * @param missing items that were not found, and groups none of whose alternatives was, in the order of the set
     */
    public record SetShare(Coverage.Share required, Coverage.Share optional, List<String> missing) {

        public SetShare {
            missing = List.copyOf(missing);
        }

        static SetShare of(Coverage coverage) {
            return new SetShare(
                    coverage.required(),
                    coverage.optional(),
                    coverage.missing().stream()
                            .map(missing -> switch (missing) {
                                case Coverage.Missing.One one -> one.item().text();
                                case Coverage.Missing.Group group -> group.name();
                            })
                            .toList());
        }
    }
}
