package dev.offsetd.query.typeset;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Built-in type sets. Thread-safe. */
public final class BuiltInTypeSets implements TypeSetSource {

    /** Index of the sets, one name per line: a folder in a jar cannot be listed. */
    private static final String INDEX = "index.txt";

    private final Map<String, TypeSet> read = new ConcurrentHashMap<>();

    /** Read on first use: a command without type sets would spend 2 % of its time on it. */
    private static final class Index {

        static final SortedSet<String> NAMES = Collections.unmodifiableSortedSet(new TreeSet<>(
                new String(resource(INDEX), StandardCharsets.UTF_8).lines().toList()));
    }

    /** Reads nothing yet. */
    public BuiltInTypeSets() {}

    private static TypeSet read(String name) {
        TypeSet set = TypeSetParser.parse(resource(name + ".json"));
        if (!set.name().equals(name)) {
            throw new IllegalStateException("type set " + name + " is named " + set.name());
        }
        return set;
    }

    private static byte[] resource(String name) {
        try (InputStream in = BuiltInTypeSets.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource " + name + " is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns all built-in sets by name. */
    public List<TypeSet> all() {
        return Index.NAMES.stream().map(this::known).toList();
    }

    @Override
    public Optional<TypeSet> find(String name) {
        return Index.NAMES.contains(name) ? Optional.of(known(name)) : Optional.empty();
    }

    private TypeSet known(String name) {
        return read.computeIfAbsent(name, BuiltInTypeSets::read);
    }

    @Override
    public Set<String> names() {
        return Index.NAMES;
    }
}
