package dev.offsetd.server.uploads.bundles;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.bundle.BuildArchive;
import dev.offsetd.query.bundle.BundleException;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.api.model.ImportAnswer;
import dev.offsetd.server.api.model.RejectedPin;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.sources.ReceivedFiles;
import dev.offsetd.server.sources.ReceivedFiles.ReceivedFile;
import dev.offsetd.server.sources.ReceivedFiles.UploadLimitException;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.uploads.UploadOutcome;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** Imports of bundled builds. Several are received at a time; one is in memory, as a whole. */
@RestController
class ImportsController {

    private static final Logger log = LoggerFactory.getLogger(ImportsController.class);
    private static final String SIGNER = "signer";
    private static final String UNSIGNED = "unsigned bundle";
    private static final int MAX_SIGNER_CHARS = 200;
    private static final Duration MAX_DURATION = Duration.ofMinutes(10);
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final Duration BUSY_RETRY_AFTER = Duration.ofSeconds(1);
    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    private final ImportedBuilds imports;
    private final ReceivedFiles received;
    private final BuildKeys keys;
    private final Shares shares;
    private final Semaphore importing = new Semaphore(1, true);

    ImportsController(ImportedBuilds imports, ReceivedFiles received, BuildKeys keys, Shares shares) {
        this.imports = imports;
        this.received = received;
        this.keys = keys;
        this.shares = shares;
    }

    @PutMapping(
            path = "/v1/builds/{buildId}/bundle",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<ImportAnswer> put(@PathVariable String buildId, HttpServletRequest request)
            throws IOException, InterruptedException {
        BuildId id = keys.resolve(buildId);
        String signer = signer(request);
        InputStream body = Shares.begun(request.getInputStream());
        try (Shares.Place _ = shares.take(Caller.of(request));
                ReceivedFile file = received.receive(body, BuildArchive.MAX_BYTES, MAX_DURATION)) {
            if (!importing.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw busy(BUSY_RETRY_AFTER);
            }
            try {
                BuildArchive archive = BuildArchive.read(file.path(), id);
                return answer(id, imports.importBuild(archive, signer, Actor.of(request)));
            } finally {
                importing.release();
            }
        } catch (BundleException | CorruptBlobException e) {
            throw refused(HttpStatus.UNPROCESSABLE_CONTENT, "bad_bundle", String.valueOf(e.getMessage()));
        } catch (UploadLimitException e) {
            Long limit = e.limitBytes();
            throw limit == null
                    ? refused(HttpStatus.REQUEST_TIMEOUT, "too_slow", String.valueOf(e.getMessage()))
                    : refused(
                                    HttpStatus.CONTENT_TOO_LARGE,
                                    "too_large",
                                    "the archive exceeds the limit of " + limit + " bytes")
                            .with("limit", limit);
        } catch (DiskException e) {
            log.warn("build {}: an import cannot be written: {}", id, e.detail());
            throw new ProblemException(Problem.of(
                            HttpStatus.SERVICE_UNAVAILABLE,
                            Cause.DISK_FAILED.code(),
                            "The server's disk failed",
                            "the archive cannot be written to the server's disk; nothing of it was stored")
                    .retryAfter(DISK_RETRY_AFTER));
        } catch (BusyException e) {
            throw busy(e.retryAfter());
        }
    }

    private static ProblemException refused(HttpStatus status, String code, String detail) {
        return ProblemException.of(status, code, "The import cannot be accepted", detail);
    }

    private static ProblemException busy(Duration retryAfter) {
        return new ProblemException(Problem.busy("another import is in progress", retryAfter));
    }

    private static String signer(HttpServletRequest request) {
        Map<String, String> sent = QueryString.parse(request.getQueryString(), Set.of(SIGNER), _ -> false);
        String signer = sent.getOrDefault(SIGNER, UNSIGNED);
        if (signer.isBlank()
                || signer.length() > MAX_SIGNER_CHARS
                || signer.chars().anyMatch(Character::isISOControl)) {
            throw refused(
                    HttpStatus.BAD_REQUEST,
                    "bad_signer",
                    SIGNER + " is " + HostileText.quote(signer) + "; expected 1 to " + MAX_SIGNER_CHARS
                            + " characters without control characters");
        }
        return sent.isEmpty() ? signer : "bundle signed by " + signer;
    }

    private static ResponseEntity<ImportAnswer> answer(BuildId id, ImportedBuilds.ImportResult result) {
        ImportAnswer.ResultEnum word = switch (result.stored()) {
            case UploadOutcome.Taken _ -> ImportAnswer.ResultEnum.TAKEN;
            case UploadOutcome.Replaced _ -> ImportAnswer.ResultEnum.REPLACED;
            case UploadOutcome.SameFile _ -> ImportAnswer.ResultEnum.SAME_FILE;
            case UploadOutcome.Refused _ -> ImportAnswer.ResultEnum.KEPT;
            case UploadOutcome.Stripped _, UploadOutcome.Unreadable _ ->
                throw new IllegalStateException("a bundle has no such files: " + result.stored());
        };
        ImportAnswer answer = new ImportAnswer(
                id.toString(),
                word,
                result.pins().added(),
                result.pins().leftOut().stream()
                        .map(pin -> new RejectedPin(pin.item(), pin.code(), pin.detail()))
                        .toList());
        if (result.stored() instanceof UploadOutcome.Refused kept) {
            answer.reason(kept.reason()).detail(kept.detail());
        }
        boolean isNew = word == ImportAnswer.ResultEnum.TAKEN;
        return ResponseEntity.status(isNew ? HttpStatus.CREATED : HttpStatus.OK)
                .header(HttpHeaders.LOCATION, BuildResources.PATH + id)
                .cacheControl(CacheControl.noStore())
                .body(answer);
    }
}
