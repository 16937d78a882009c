package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeIndex;
import java.util.Optional;

/** What is said of a build in place of its debug information. */
public interface Overrides {

    /** Whether nothing is said. */
    boolean isEmpty();

    /**
     * The types of the build with what is said of them.
     *
     * @param types by the debug information; empty if the build has none
     */
    OverriddenTypes over(Optional<TypeIndex> types);
}
