package dev.offsetd.extractor;

import dev.offsetd.extractor.layout.Definition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Collector of the first complete struct, union, class or enumeration of each name. */
final class FirstMatches implements Consumer<Definition> {

    private final Set<String> missing;
    private final List<Definition> found = new ArrayList<>();

    FirstMatches(Set<String> names) {
        this.missing = new HashSet<>(names);
    }

    @Override
    public void accept(Definition definition) {
        if (WholeTypeReader.isCompleteTag(definition) && missing.remove(definition.name())) {
            found.add(definition);
        }
    }

    boolean isComplete() {
        return missing.isEmpty();
    }

    List<Definition> found() {
        return found;
    }
}
