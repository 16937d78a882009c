package dev.offsetd.server.builds;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.query.symbol.StoredSymbols;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Content of a file that is read and not stored yet: at first what a query waits for, then all types. Thread-safe. */
public final class EarlyContent {

    private final Architecture architecture;
    private final Instant readAt;
    private final @Nullable Wanted wanted;
    private final @Nullable Lines lines;
    private volatile @Nullable TypeCatalogue types;

    private EarlyContent(
            Architecture architecture,
            Instant readAt,
            @Nullable Wanted wanted,
            @Nullable Lines lines,
            @Nullable TypeCatalogue types) {
        this.architecture = architecture;
        this.readAt = readAt;
        this.wanted = wanted;
        this.lines = lines;
        this.types = types;
    }

    /**
     * Content that a query waits for.
     *
     * @param names of types
     * @param addresses at which functions and lines are looked up, as ELF virtual addresses
     */
    public record Wanted(RequestedNames names, Set<Long> addresses) {

        public static final Wanted NONE = new Wanted(RequestedNames.NONE, Set.of());

        public Wanted {
            addresses = Collections.unmodifiableSet(new TreeSet<>(addresses));
        }

        public static Wanted of(RequestedNames names) {
            return new Wanted(names, Set.of());
        }
    }

    /** Functions and lines at some addresses, and all symbols. */
    public record Lines(StoredFrames frames, StoredSymbols symbols) {}

    /** Returns all types of a file. */
    public static EarlyContent all(Architecture architecture, Instant readAt, TypeCatalogue types) {
        return new EarlyContent(architecture, readAt, null, null, types);
    }

    /** Returns the types of some names. */
    public static EarlyContent of(
            Architecture architecture, Instant readAt, RequestedNames names, TypeCatalogue types) {
        return new EarlyContent(architecture, readAt, Wanted.of(names), null, types);
    }

    /** Returns the functions and lines at some addresses. */
    public static EarlyContent of(Architecture architecture, Instant readAt, Set<Long> addresses, Lines lines) {
        return new EarlyContent(architecture, readAt, new Wanted(RequestedNames.NONE, addresses), lines, null);
    }

    /** Returns whether these are all types of the file. */
    public boolean areAllTypes() {
        return wanted == null;
    }

    /** Returns the types; empty if they are about to be stored, or if one of these names was not looked for. */
    public Optional<TypeCatalogue> types(RequestedNames names) {
        return wanted == null || wanted.names().containsAll(names) ? Optional.ofNullable(types) : Optional.empty();
    }

    /** Returns the functions and lines; empty if they were not read at one of these addresses. */
    public Optional<Lines> lines(Set<Long> addresses) {
        return wanted != null && wanted.addresses().containsAll(addresses)
                ? Optional.ofNullable(lines)
                : Optional.empty();
    }

    public Architecture architecture() {
        return architecture;
    }

    public Instant readAt() {
        return readAt;
    }

    /** Releases the memory of the types. */
    public void forgetTypes() {
        types = null;
    }
}
