package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.changes.Changes;
import dev.offsetd.server.outcome.Failure;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes the result of an attempt, within the caller's transaction. */
@Component
class BuildResults {

    private final JdbcClient jdbc;
    private final SourceOutcomes outcomes;
    private final Conflicts conflicts;
    private final Changes changes;

    BuildResults(JdbcClient jdbc, SourceOutcomes outcomes, Conflicts conflicts, Changes changes) {
        this.jdbc = jdbc;
        this.outcomes = outcomes;
        this.conflicts = conflicts;
        this.changes = changes;
    }

    void extracted(Lease lease, StoredFile file, List<SourceOutcome> checked) {
        Upload upload = file.upload();
        StoredFile.Supplementary supplementary = file.supplementary();
        about(lease.id(), file, """
                        update builds set state = 'extracted', settled_at = :at, settled_attempt = :attempt,
                            extractor_version = :extractor, machine = :machine, bits = :bits, byte_order = :byteOrder,
                            origin = :origin, upstream = :upstream, file_sha256 = :sha256, file_bytes = :bytes,
                            verified = :verified, fetched_bytes = :fetchedBytes,
                            supplementary_build_id = :supplementaryId, supplementary_upstream = :supplementaryUpstream,
                            supplementary_sha256 = :supplementarySha256, supplementary_bytes = :supplementaryBytes,
                            upload_token = :token, upload_label = :label, debug_format = :debugFormat,
                            debug_info_bytes = :debugInfoBytes,
                            problem_code = null, problem_detail = null, problem_section = null, problem_offset = null,
                            symbols_read_at = null,
                            -- After an upload, the sources are queried again when their retry time comes.
                            retry_at = case when :origin = 'upload' then retry_at end
                        where build_id = :id
                        """)
                .param("attempt", lease.attempt())
                .param("debugFormat", upload == null ? null : upload.dwarf() ? BuildRow.DWARF : BuildRow.BTF)
                .param("debugInfoBytes", upload == null ? null : upload.debugInfoBytes())
                .param(
                        "supplementaryId",
                        supplementary == null ? null : supplementary.buildId().toBytes())
                .param("supplementaryUpstream", supplementary == null ? null : supplementary.upstream())
                .param(
                        "supplementarySha256",
                        supplementary == null ? null : HexFormat.of().parseHex(supplementary.sha256()))
                .param("supplementaryBytes", supplementary == null ? null : supplementary.bytes())
                .update();
        conflicts.forget(lease.id(), file.sha256());
        outcomes.forgetUpload(lease.id());
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
        keepSymbols(lease.id(), symbols);
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
                            extractor_version = :extractor,
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

    void keepSymbols(BuildId id, SymbolsOnly symbols) {
        about(id, symbols.file(), """
                        update builds set symbols_read_at = :at, symbols_extractor_version = :extractor,
                            symbol_count = :count, machine = :machine, bits = :bits, byte_order = :byteOrder,
                            origin = :origin, upstream = :upstream, file_sha256 = :sha256, file_bytes = :bytes,
                            verified = :verified, upload_token = :token, upload_label = :label,
                            fetched_bytes = :fetchedBytes, debug_format = null, debug_info_bytes = null,
                            supplementary_build_id = null, supplementary_upstream = null,
                            supplementary_sha256 = null, supplementary_bytes = null
                        where build_id = :id
                        """).param("count", symbols.count()).update();
        changes.record(id);
    }

    void dropSymbols(BuildId id) {
        jdbc.sql("update builds set symbols_read_at = null where build_id = :id")
                .param("id", id.toBytes())
                .update();
        changes.record(id);
    }

    /** Binds the columns of the file that the statement writes. */
    private JdbcClient.StatementSpec about(BuildId id, StoredFile file, String sql) {
        Upload upload = file.upload();
        return jdbc.sql(sql)
                .param("id", id.toBytes())
                .param("at", file.extractedAt().atOffset(ZoneOffset.UTC))
                .param("extractor", file.extractorVersion())
                .param("machine", file.architecture().machine())
                .param("bits", file.architecture().bits())
                .param("byteOrder", file.architecture().byteOrderName())
                .param("origin", file.origin().word())
                .param("upstream", file.upstream())
                .param("sha256", HexFormat.of().parseHex(file.sha256()))
                .param("bytes", file.bytes())
                .param("verified", file.verified())
                .param("fetchedBytes", file.fetchedBytes())
                .param("token", upload == null ? null : upload.token())
                .param("label", upload == null ? null : upload.label());
    }
}
