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
import dev.offsetd.server.uploads.ExtractedUploads;
import dev.offsetd.server.web.QueryString;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
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
        try (Shares.Place _ = shares.take(Caller.of(request));
                ReceivedFile file = received.receive(request.getInputStream(), BuildArchive.MAX_BYTES, MAX_DURATION)) {
            if (!importing.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw BundleProblems.busy(BUSY_RETRY_AFTER);
            }
            try {
                BuildArchive archive = BuildArchive.read(file.path(), id);
                return answer(id, imports.importBuild(archive, signer, Actor.of(request)));
            } finally {
                importing.release();
            }
        } catch (BundleException | CorruptBlobException e) {
            throw BundleProblems.badBundle(String.valueOf(e.getMessage()));
        } catch (UploadLimitException e) {
            throw e.limitBytes() != null
                    ? BundleProblems.tooLarge(e.limitBytes())
                    : BundleProblems.tooSlow(String.valueOf(e.getMessage()));
        } catch (DiskException e) {
            log.warn("build {}: an import cannot be written: {}", id, e.detail());
            throw BundleProblems.disk();
        } catch (BusyException e) {
            throw BundleProblems.busy(e.retryAfter());
        }
    }

    private static String signer(HttpServletRequest request) {
        Map<String, String> sent = QueryString.parse(request.getQueryString(), Set.of(SIGNER), _ -> false);
        String signer = sent.getOrDefault(SIGNER, UNSIGNED);
        if (signer.isBlank()
                || signer.length() > MAX_SIGNER_CHARS
                || signer.chars().anyMatch(Character::isISOControl)) {
            throw BundleProblems.badQuery(
                    "bad_signer",
                    SIGNER + " is " + HostileText.quote(signer) + "; expected 1 to " + MAX_SIGNER_CHARS
                            + " characters without control characters");
        }
        return sent.isEmpty() ? signer : "bundle signed by " + signer;
    }

    private static ResponseEntity<ImportAnswer> answer(BuildId id, ImportedBuilds.ImportResult result) {
        ImportAnswer.ResultEnum word = switch (result.stored()) {
            case ExtractedUploads.Result.Taken _ -> ImportAnswer.ResultEnum.TAKEN;
            case ExtractedUploads.Result.Replaced _ -> ImportAnswer.ResultEnum.REPLACED;
            case ExtractedUploads.Result.SameFile _ -> ImportAnswer.ResultEnum.SAME_FILE;
            case ExtractedUploads.Result.Kept _ -> ImportAnswer.ResultEnum.KEPT;
        };
        ImportAnswer answer = new ImportAnswer(
                id.toString(),
                word,
                result.pins().added(),
                result.pins().leftOut().stream()
                        .map(pin -> new RejectedPin(pin.item(), pin.code(), pin.detail()))
                        .toList());
        if (result.stored() instanceof ExtractedUploads.Result.Kept(String reason, String detail)) {
            answer.reason(reason).detail(detail);
        }
        boolean isNew = word == ImportAnswer.ResultEnum.TAKEN;
        return ResponseEntity.status(isNew ? HttpStatus.CREATED : HttpStatus.OK)
                .header(HttpHeaders.LOCATION, BuildResources.PATH + id)
                .cacheControl(CacheControl.noStore())
                .body(answer);
    }
}
