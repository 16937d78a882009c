package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeIndex;
import java.util.Optional;

/**
 * The types of a build with something said in place of its debug information. The names that it finds have what was said in
 * their shapes, marked; what shapes cannot say is answered by {@link #exactly}.
 */
public interface OverriddenTypes extends TypeIndex {

    /** Whether the build has debug information at all. */
    boolean hasDebugInformation();

    /**
     * The answer to a path that something is said of, exactly that.
     *
     * @param found what these types came to for the path
     * @return empty if nothing is said of the path itself, or if what was found has it already
     */
    Optional<Outcome> exactly(Alternative.TypePath path, Outcome found);
}
