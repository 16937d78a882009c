package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes the result of an attempt, within the caller's transaction. */
@Component
class BuildResults {

    private final JdbcClient jdbc;
    private final DebugFileTable files;
    private final SourceOutcomes outcomes;
    private final ConflictingFiles conflicts;
    private final Changes changes;

    BuildResults(
            JdbcClient jdbc,
            DebugFileTable files,
            SourceOutcomes outcomes,
            ConflictingFiles conflicts,
            Changes changes) {
        this.jdbc = jdbc;
        this.files = files;
        this.outcomes = outcomes;
        this.conflicts = conflicts;
        this.changes = changes;
    }

    void extracted(Lease lease, StoredFile file, List<SourceOutcome> checked) {
        jdbc.sql("""
                        update builds set state = 'extracted', settled_at = :at, settled_attempt = :attempt,
                            problem_code = null, problem_detail = null, problem_section = null, problem_offset = null,
                            problem_extractor_version = null,
                            -- After an upload, the sources are queried again when their retry time comes.
                            retry_at = case when :uploaded then retry_at end
                        where build_id = :id
                        """)
                .param("id", lease.id().toBytes())
                .param("at", file.extractedAt().atOffset(ZoneOffset.UTC))
                .param("attempt", lease.attempt())
                .param("uploaded", file.upload() != null)
                .update();
        files.store(lease.id(), file);
        conflicts.delete(lease.id(), file.sha256());
        outcomes.deleteUpload(lease.id());
        outcomes.store(lease.id(), checked);
        changes.record(lease.id());
    }

    /** Returns the build to the queue, because only the symbols of an uploaded file are usable. */
    void symbolsOnly(Lease lease, SymbolsOnly symbols, SourceOutcome outcome) {
        jdbc.sql("""
                        update builds set state = 'wanted', wanted_at = now(), retry_at = null,
                            problem_code = null, problem_detail = null, problem_section = null, problem_offset = null
                        where build_id = :id
                        """).param("id", lease.id().toBytes()).update();
        outcomes.store(lease.id(), List.of(outcome));
        storeSymbols(lease.id(), symbols);
    }

    void unchanged(Lease lease, Duration retryAfter, List<SourceOutcome> checked) {
        jdbc.sql("update builds set retry_at = now() + :retry * interval '1 second' where build_id = :id")
                .param("id", lease.id().toBytes())
                .param("retry", BuildRow.seconds(retryAfter))
                .update();
        outcomes.store(lease.id(), checked);
    }

    void failed(Lease lease, Failure failure, int extractorVersion, Duration retryAfter, List<SourceOutcome> checked) {
        jdbc.sql("""
                        update builds set state = :state, settled_at = now(), settled_attempt = :attempt,
                            problem_extractor_version = :extractor,
                            problem_code = :code, problem_detail = :detail, problem_section = :section,
                            problem_offset = :offset, retry_at = now() + :retry * interval '1 second'
                        where build_id = :id
                        """)
                .param("id", lease.id().toBytes())
                .param("attempt", lease.attempt())
                .param("state", failure.cause().state().word())
                .param("extractor", extractorVersion)
                .param("code", failure.cause().code())
                .param("detail", failure.detail())
                .param("section", failure.section())
                .param("offset", failure.offset())
                .param("retry", BuildRow.seconds(retryAfter))
                .update();
        outcomes.store(lease.id(), checked);
    }

    void storeSymbols(BuildId id, SymbolsOnly symbols) {
        files.store(id, symbols);
        changes.record(id);
    }

    void deleteSymbols(BuildId id) {
        files.delete(id);
        changes.record(id);
    }
}
