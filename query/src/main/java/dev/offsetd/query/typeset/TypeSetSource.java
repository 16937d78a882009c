package dev.offsetd.query.typeset;

import java.util.Optional;
import java.util.Set;

/** Where type sets are found by their names. */
public interface TypeSetSource {

    /** The set of this name as it is now; empty if there is none. */
    Optional<TypeSet> find(String name);

    /** The names of all sets that there are. */
    Set<String> names();
}
