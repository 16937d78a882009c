package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
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

    /** Returns the state of a build, or empty if its functions and lines are to be read. */
    public Optional<FrameState> find(BuildId id) {
        return jdbc.sql("""
                        select b.generation, f.frames_problem_code, f.frames_problem_detail,
                            null as problem_section, null::bigint as problem_offset
                        from builds b join debug_files f using (build_id)
                        where b.build_id = :id and f.frames_sha256 = f.sha256 and f.frames_version >= :version
                            and (f.frames_problem_code is null or f.frames_retry_at > now())
                        """)
                .param("id", id.toBytes())
                .param("version", PartVersions.FRAMES)
                .query((row, number) -> {
                    Failure failure = BuildRow.failure(
                            row, "frames_problem_code", "frames_problem_detail", "problem_section", "problem_offset");
                    return failure == null
                            ? new FrameState.Stored(row.getLong("generation"))
                            : (FrameState) new FrameState.Without(failure);
                })
                .optional();
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

    /** Records why functions and lines cannot be stored, as {@link #stored}. */
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
        return connection
                .sql("""
                        update debug_files set frames_sha256 = sha256, frames_version = :version,
                            frames_problem_code = :code, frames_problem_detail = :detail,
                            frames_retry_at = case when :code::text is not null
                                then now() + :retry * interval '1 second' end
                        where build_id = :id and\s""" + where)
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
                        "(frames_sha256 is distinct from sha256 or frames_version < :version)")
                .update();
    }

    /**
     * Forgets that functions and lines are stored, because they are damaged: the next request reads them again. Part of the
     * caller's transaction.
     *
     * @param generation the damaged one; a later one is left alone
     */
    public void discard(BuildId id, long generation) {
        int updated = jdbc.sql("""
                        update debug_files f set frames_sha256 = null, frames_version = null
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
