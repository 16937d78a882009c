package dev.offsetd.query.typeset;

import java.util.Optional;
import java.util.Set;

/** Source of type sets by name. */
public interface TypeSetSource {

    /** Returns the current version of a set; empty if there is none. */
    Optional<TypeSet> find(String name);

    /** Returns the names of all sets. */
    Set<String> names();
}
