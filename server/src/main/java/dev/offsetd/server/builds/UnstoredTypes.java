package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Types of a file, in memory until they are encoded. Thread-safe. */
public final class UnstoredTypes {

    private final Architecture architecture;
    private final Instant readAt;
    private volatile @Nullable TypeCatalogue types;

    public UnstoredTypes(Architecture architecture, Instant readAt, TypeCatalogue types) {
        this.architecture = architecture;
        this.readAt = readAt;
        this.types = types;
    }

    /** Returns the types; empty if they are encoded by now, and stored soon. */
    public Optional<TypeIndex> index() {
        return Optional.ofNullable(types);
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
