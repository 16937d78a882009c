package dev.offsetd.server.prewarms;

import dev.offsetd.query.item.Coverage;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Coverage of the types of a batch by a build.
 *
 * @param complete whether the build has all of them; of type sets, all required items
 * @param coverage by the item that names the set, such as {@code @ruby}
 * @param missing items outside of sets that were not found
 */
public record PrewarmResult(boolean complete, Map<String, SetShare> coverage, List<String> missing) {

    public PrewarmResult {
        coverage = Collections.unmodifiableMap(new LinkedHashMap<>(coverage));
        missing = List.copyOf(missing);
    }

    /**
     * Coverage of a type set.
     *
     * @param missing items that were not found, and names of groups without any alternative found, in the order of the
     *     set
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
                                case Coverage.MissingEntry.MissingSingle one ->
                                    one.item().text();
                                case Coverage.MissingEntry.MissingGroup group -> group.name();
                            })
                            .toList());
        }
    }
}
