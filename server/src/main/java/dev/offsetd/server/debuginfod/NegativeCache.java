package dev.offsetd.server.debuginfod;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.changes.ChangeListener;
import dev.offsetd.server.sources.FetchOutcome.Finality;
import dev.offsetd.server.sources.FileKind;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Files that no source had lately. Debuggers ask for every library of a process, and most have no debug file. A change of the
 * build, such as an upload or a retry, forgets its misses.
 */
@Component
class NegativeCache implements ChangeListener {

    private static final int MAX = 100_000;

    /** For a source that prepares files after the first request for them. */
    private static final Duration COMES_LATER = Duration.ofMinutes(2);

    private final Duration time;
    private final Cache<Miss, Long> ends =
            Caffeine.newBuilder().maximumSize(MAX).build();

    private record Miss(BuildId id, FileKind kind) implements Comparable<Miss> {

        @Override
        public int compareTo(Miss other) {
            int order = id.compareTo(other.id);
            return order != 0 ? order : kind.compareTo(other.kind);
        }
    }

    NegativeCache(DebuginfodProperties properties) {
        this.time = properties.missTime();
    }

    /** Records that no source has the file, and returns the time until they are asked again. */
    Duration add(BuildId id, FileKind kind, Finality finality) {
        Duration kept = finality == Finality.MAY_COME_LATER && time.compareTo(COMES_LATER) > 0 ? COMES_LATER : time;
        ends.put(new Miss(id, kind), System.nanoTime() + kept.toNanos());
        return kept;
    }

    /** Returns the time until the sources are asked again; empty if they may be asked now. */
    Optional<Duration> remaining(BuildId id, FileKind kind) {
        Long end = ends.getIfPresent(new Miss(id, kind));
        return end == null
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(end - System.nanoTime())).filter(Duration::isPositive);
    }

    @Override
    public void changed(Map<BuildId, Long> generations) {
        for (BuildId id : generations.keySet()) {
            for (FileKind kind : FileKind.values()) {
                ends.invalidate(new Miss(id, kind));
            }
        }
    }

    @Override
    public void anyMayHaveChanged() {
        ends.invalidateAll();
    }
}
