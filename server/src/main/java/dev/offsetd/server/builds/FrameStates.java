package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Whether the functions and lines of builds are stored, or why not. A state belongs to the file that answers for the build: it ends
 * with the file.
 */
@Component
public class FrameStates {

    private final JdbcClient jdbc;
    private final Changes changes;

    FrameStates(JdbcClient jdbc, Changes changes) {
        this.jdbc = jdbc;
        this.changes = changes;
    }

    /**
     * Returns the state of a build, or empty if its functions and lines are to be read before they can be looked up. A table of an
     * earlier reader is looked up meanwhile; its failures do not count.
     */
    public Optional<FrameState> find(BuildId id) {
        return jdbc.sql("""
                        select b.generation, f.frames_version, f.frames_problem_code, f.frames_problem_detail,
                            f.frames_version < :version and coalesce(f.frames_retry_at <= now(), true) as renewable
                        from builds b join debug_files f using (build_id)
                        where b.build_id = :id and f.frames_sha256 = f.sha256
                            and (f.frames_problem_code is null
                                or f.frames_version >= :version and f.frames_retry_at > now())
                        """)
                .param("id", id.toBytes())
                .param("version", PartVersions.FRAMES)
                .query((row, number) -> {
                    String code = row.getString("frames_problem_code");
                    return code == null
                            ? new FrameState.Stored(
                                    row.getLong("generation"),
                                    row.getInt("frames_version"),
                                    row.getBoolean("renewable"))
                            : (FrameState) new FrameState.Without(
                                    new Failure(Cause.ofCode(code), row.getString("frames_problem_detail")));
                })
                .optional();
    }

    /**
     * Returns whether the last attempt to read functions and lines found no file, or failed to renew those that are stored, however
     * long ago that was.
     */
    public boolean needFile(BuildId id) {
        return jdbc.sql("""
                        select count(*) > 0 from debug_files
                        where build_id = :id and frames_sha256 = sha256
                            and (frames_problem_code = :missing
                                or frames_problem_code is null and frames_version < :version
                                    and frames_retry_at is not null)
                        """)
                .param("id", id.toBytes())
                .param("version", PartVersions.FRAMES)
                .param("missing", Cause.NOT_FOUND.code())
                .query(Boolean.class)
                .single();
    }

    /**
     * Records that functions and lines are stored. Part of the transaction that stores them.
     *
     * @param sha256 of the file that answered for the build when they were read
     * @return whether it still does; otherwise the caller stores nothing
     */
    public boolean stored(BuildId id, String sha256) {
        return settle(id, sha256, null, Duration.ZERO);
    }

    /** Records why functions and lines cannot be read, as {@link #stored}. A stored table stays. */
    public void failed(BuildId id, String sha256, Failure failure, Duration retryAfter) {
        settle(id, sha256, failure, retryAfter);
    }

    private boolean settle(BuildId id, String sha256, @Nullable Failure failure, Duration retryAfter) {
        int updated = settling(jdbc, id, failure, retryAfter, "sha256 = :sha256")
                .param("sha256", HexFormat.of().parseHex(sha256))
                .update();
        // A failure changes no table that servers have cached.
        if (updated > 0 && failure == null) {
            changes.record(id);
        }
        return updated > 0;
    }

    private static JdbcClient.StatementSpec settling(
            JdbcClient connection, BuildId id, @Nullable Failure failure, Duration retryAfter, String where) {
        String stored = failure == null ? "false" : "frames_sha256 = sha256 and frames_problem_code is null";
        return connection
                .sql("""
                        update debug_files set frames_sha256 = sha256,
                            frames_version = case when %1$s then frames_version else :version end,
                            frames_problem_code = case when %1$s then null else :code::text end,
                            frames_problem_detail = case when %1$s then null else :detail::text end,
                            frames_retry_at = case when :code::text is not null
                                then now() + :retry * interval '1 second' end
                        where build_id = :id and %2$s
                        """.formatted(stored, where))
                .param("id", id.toBytes())
                .param("version", PartVersions.FRAMES)
                .param("code", failure == null ? null : failure.cause().code())
                .param("detail", failure == null ? null : failure.detail())
                .param("retry", Rows.seconds(retryAfter));
    }

    /**
     * Records that the process ended itself while it worked on a build: reading functions and lines may be why.
     *
     * @param connection of the caller's transaction
     */
    static void recordProcessEnd(JdbcClient connection, BuildId id, Failure failure, Duration retryAfter) {
        settling(
                        connection,
                        id,
                        failure,
                        retryAfter,
                        "(frames_sha256 is distinct from sha256 or frames_version < :version or frames_retry_at <= now())")
                .update();
    }

    /**
     * Forgets that functions and lines are stored, because they are damaged: the next request reads them again. Part of the
     * caller's transaction.
     *
     * @param generation the damaged one; a later one is left alone
     */
    public void discard(BuildId id, long generation) {
        StoredGenerations.lock(jdbc, Set.of(id));
        int updated = jdbc.sql("""
                        update debug_files f set frames_sha256 = null, frames_version = null, frames_retry_at = null
                        from builds b
                        where b.build_id = :id and b.generation = :generation and f.build_id = b.build_id
                            and f.frames_problem_code is null
                        """)
                .param("id", id.toBytes())
                .param("generation", generation)
                .update();
        if (updated > 0) {
            changes.record(id);
        }
    }
}
