package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeIndex;
import java.util.Optional;

/**
 * Types of a build with overrides applied. The shapes that it finds have the overridden sizes and members; paths that shapes
 * cannot express are answered by {@link #exactly}.
 */
public interface OverriddenTypes extends TypeIndex {

    /** Returns whether the build has debug information at all. */
    boolean hasDebugInformation();

    /**
     * Returns the answer to a path that is overridden itself.
     *
     * @param found the answer of these types to the path
     * @return empty if nothing overrides the path itself, or if {@code found} has the overridden value already
     */
    Optional<ItemOutcome> exactly(Alternative.TypePath path, ItemOutcome found);

    /** Returns whether a member of a shape that was found here is overridden. */
    boolean overrides(Member member);

    /** Returns whether a placement is overridden, or part of a member that is. */
    boolean overrides(Placement.Fixed placement);
}
