package dev.offsetd.server.builds;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.TypeCatalogue;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Types of a file that are read and not stored yet: at first those of some names, then all. Thread-safe. */
public final class EarlyTypes {

    private final Architecture architecture;
    private final Instant readAt;
    private final @Nullable RequestedNames names;
    private volatile @Nullable TypeCatalogue types;

    /** @param names those that were looked for; null for all */
    public EarlyTypes(Architecture architecture, Instant readAt, @Nullable RequestedNames names, TypeCatalogue types) {
        this.architecture = architecture;
        this.readAt = readAt;
        this.names = names;
        this.types = types;
    }

    /** Returns whether these are all types of the file. */
    public boolean areAll() {
        return names == null;
    }

    /** Returns the types; empty if they are about to be stored, or if one of these names was not looked for. */
    public Optional<TypeCatalogue> of(RequestedNames wanted) {
        return names == null || names.containsAll(wanted) ? Optional.ofNullable(types) : Optional.empty();
    }

    public Architecture architecture() {
        return architecture;
    }

    public Instant readAt() {
        return readAt;
    }

    /** Releases the memory. */
    public void forget() {
        types = null;
    }
}
