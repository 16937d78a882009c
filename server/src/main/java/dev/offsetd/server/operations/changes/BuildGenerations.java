package dev.offsetd.server.operations.changes;

import dev.offsetd.extractor.builds.BuildId;
import java.util.Collection;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The generation of each build, implemented by the package that owns the builds. */
public interface BuildGenerations {

    /** Locks these builds until the caller's transaction ends, in the order of their build-ids. */
    void lock(Collection<BuildId> ids);

    /** Sets the generation of those of these builds that are known. */
    void set(Collection<BuildId> ids, long generation);

    /**
     * Returns builds with a later generation, the lowest generations first.
     *
     * @param connection used instead of one from the pool
     */
    Map<BuildId, Long> since(JdbcClient connection, long generation, int limit);
}
