package dev.offsetd.server.uploads;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.FileNames;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.api.model.ExecutableAnswer;
import dev.offsetd.server.api.model.UploadAdvice;
import dev.offsetd.server.api.model.UploadAnswer;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.sources.ReceivedFiles;
import dev.offsetd.server.sources.ReceivedFiles.ReceivedFile;
import dev.offsetd.server.sources.ReceivedFiles.UploadLimitException;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Uploads over HTTP, by clients with a token and by signed-in users from the page of a build. The controller reads the body
 * as a stream; no filter reads it before.
 */
@RestController
class UploadsController {

    private static final Logger log = LoggerFactory.getLogger(UploadsController.class);
    private static final String FILE_NAME = "file name";

    private final Uploads uploads;
    private final ExecutableUploads executables;
    private final UploadPrecheck precheck;
    private final ReceivedFiles received;
    private final UploadProperties properties;
    private final BuildKeys keys;
    private final Builds builds;
    private final MeterRegistry meters;
    private final Shares shares;

    UploadsController(
            Uploads uploads,
            ExecutableUploads executables,
            UploadPrecheck precheck,
            ReceivedFiles received,
            UploadProperties properties,
            BuildKeys keys,
            Builds builds,
            Shares shares,
            MeterRegistry meters) {
        this.uploads = uploads;
        this.executables = executables;
        this.precheck = precheck;
        this.received = received;
        this.properties = properties;
        this.keys = keys;
        this.builds = builds;
        this.meters = meters;
        this.shares = shares;
        // Registered at zero: a rate over a series that starts at 1 misses its first event.
        for (UploadAnswer.ResultEnum result : UploadAnswer.ResultEnum.values()) {
            ended(result.getValue());
        }
    }

    @PutMapping(
            path = {"/v1/builds/{buildId}/debuginfo", "/admin/builds/{buildId}/debuginfo"},
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<UploadAnswer> put(@PathVariable String buildId, HttpServletRequest request)
            throws IOException, InterruptedException {
        BuildId id = keys.resolve(buildId);
        String outcome = "failed";
        try {
            ResponseEntity<UploadAnswer> answer = receive(id, request);
            outcome = String.valueOf(
                    answer.getBody() == null ? null : answer.getBody().getResult());
            return answer;
        } catch (ProblemException e) {
            outcome = e.problem().code();
            throw e;
        } catch (IOException e) {
            outcome = "cut_off";
            throw e;
        } finally {
            ended(outcome).increment();
        }
    }

    @PutMapping(
            path = "/v1/builds/{buildId}/executable",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<ExecutableAnswer> putExecutable(@PathVariable String buildId, HttpServletRequest request)
            throws IOException, InterruptedException {
        return receive(keys.resolve(buildId), request, upload -> {
            if (upload.keys().all().stream().noneMatch(key -> key.isA(BuildId.Alias.HTLHASH))) {
                throw new ProblemException(UploadProblems.notExecutable());
            }
            Build build = executables.take(upload, named(request), Actor.of(request));
            return ResponseEntity.ok()
                    .header(HttpHeaders.LOCATION, BuildResources.PATH + build.id())
                    .cacheControl(CacheControl.noStore())
                    .body(new ExecutableAnswer(
                            build.id().toString(),
                            upload.file().sha256(),
                            upload.file().bytes(),
                            upload.keys().all().stream()
                                    .filter(key -> !keys.isShared(key))
                                    .map(BuildId::toString)
                                    .toList(),
                            build.file() != null,
                            build.file() != null || build.symbolsOnly() != null));
        });
    }

    /** @param outcome a result, or the code of a problem */
    private Counter ended(String outcome) {
        return Counter.builder("offsetd.uploads")
                .description("Uploads that have ended, by result")
                .tag("outcome", outcome)
                .register(meters);
    }

    @GetMapping(
            path = {"/v1/builds/{buildId}/debuginfo/precheck", "/admin/builds/{buildId}/debuginfo/precheck"},
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<UploadAdvice> precheck(@PathVariable String buildId, HttpServletRequest request) {
        BuildId id = keys.resolve(buildId);
        return ResponseEntity.ok()
                .cacheControl(CacheControl.noStore())
                .body(precheck.advise(id, UploadPrecheck.FileDescription.of(request), Caller.of(request)));
    }

    @FunctionalInterface
    private interface UploadAction<T> {
        ResponseEntity<T> with(IdentifiedFile upload) throws IOException, ExtractionException, InterruptedException;
    }

    private ResponseEntity<UploadAnswer> receive(BuildId id, HttpServletRequest request)
            throws IOException, InterruptedException {
        return receive(
                id,
                request,
                upload -> answer(
                        upload.build(), upload.file(), uploads.store(upload, named(request), Actor.of(request))));
    }

    private <T> ResponseEntity<T> receive(BuildId id, HttpServletRequest request, UploadAction<T> action)
            throws IOException, InterruptedException {
        long limit = properties.maxSize().toBytes();
        if (request.getContentLengthLong() > limit) {
            throw new ProblemException(UploadProblems.tooLarge(limit));
        }
        requireBareFile(request);
        Optional<String> expected = digest(request);
        InputStream body = Shares.begun(request.getInputStream());
        try (Shares.Place _ = shares.take(Caller.of(request));
                ReceivedFile file = received.receive(body, limit, properties.totalTimeout())) {
            if (expected.isPresent() && !expected.get().equals(file.sha256())) {
                throw new ProblemException(UploadProblems.digestMismatch(file.sha256(), expected.get()));
            }
            return act(id, file, path(request).orElse(null), action);
        } catch (UploadLimitException e) {
            throw new ProblemException(UploadProblems.notTaken(e.limitBytes(), String.valueOf(e.getMessage())));
        } catch (DiskException e) {
            log.warn("build {}: an upload cannot be written: {}", id, e.detail());
            throw new ProblemException(UploadProblems.disk());
        } catch (ExtractionException e) {
            throw new ProblemException(UploadProblems.unreadable(e, false));
        } catch (BusyException e) {
            throw new ProblemException(UploadProblems.busy(e.retryAfter()));
        }
    }

    private <T> ResponseEntity<T> act(BuildId id, ReceivedFile file, @Nullable String path, UploadAction<T> action)
            throws ExtractionException, InterruptedException {
        IdentifiedFile identified = identified(id, file).underKeyOfBuild(keys::isSharedNow);
        try {
            return action.with(identified);
        } catch (IOException e) {
            throw diskFailed(id, e);
        } catch (ProblemException | ExtractionException e) {
            // The file is of this build all the same, so its name tells whose debug file is missing.
            Optional.ofNullable(path)
                    .flatMap(name -> ClaimedName.of(name, ClaimedName.By.PUSH))
                    .ifPresent(name -> builds.storeClaimedNames(Map.of(identified.build(), name)));
            throw e;
        }
    }

    private static IdentifiedFile identified(BuildId id, ReceivedFile file)
            throws ExtractionException, InterruptedException {
        try {
            return IdentifiedFile.of(file, id);
        } catch (IOException e) {
            throw diskFailed(id, e);
        }
    }

    /** Returns the problem of a body that was received as a whole: it is not the client that failed. */
    private static ProblemException diskFailed(BuildId id, IOException e) {
        log.warn("build {}: an upload cannot be read from the disk", id, e);
        return new ProblemException(UploadProblems.disk());
    }

    /** Returns the path of the file, if the client sent it. */
    private static Optional<String> path(HttpServletRequest request) {
        return QueryString.first(request.getQueryString(), "name");
    }

    private static Identity named(HttpServletRequest request) {
        return path(request)
                .map(path -> FileNames.ofPath(path, FILE_NAME).merge(FileNames.ofArchive(path, FILE_NAME)))
                .orElse(Identity.UNKNOWN);
    }

    private static void requireBareFile(HttpServletRequest request) {
        String type = request.getContentType();
        if (type != null && type.strip().toLowerCase(Locale.ROOT).startsWith("multipart/")) {
            throw new ProblemException(UploadProblems.form(type));
        }
    }

    private static Optional<String> digest(HttpServletRequest request) {
        List<String> headers = Collections.list(request.getHeaders(ContentDigest.HEADER));
        try {
            return ContentDigest.sha256(headers);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    UploadProblems.badDigest(String.join(", ", headers), String.valueOf(e.getMessage())));
        }
    }

    private static ResponseEntity<UploadAnswer> answer(BuildId id, ReceivedFile file, UploadOutcome outcome) {
        UploadAnswer.ResultEnum result = switch (outcome) {
            case UploadOutcome.Taken _ -> UploadAnswer.ResultEnum.TAKEN;
            case UploadOutcome.Replaced _ -> UploadAnswer.ResultEnum.REPLACED;
            case UploadOutcome.SameFile _ -> UploadAnswer.ResultEnum.SAME_FILE;
            case UploadOutcome.Stripped(boolean symbolsKept) ->
                throw new ProblemException(UploadProblems.stripped(symbolsKept));
            case UploadOutcome.Unreadable(ExtractionException cause) ->
                throw new ProblemException(UploadProblems.unreadable(cause, true));
            case UploadOutcome.Refused refused -> throw new ProblemException(UploadProblems.conflict(refused));
        };
        return ResponseEntity.status(outcome instanceof UploadOutcome.Taken ? HttpStatus.CREATED : HttpStatus.OK)
                .header(HttpHeaders.LOCATION, BuildResources.PATH + id)
                .cacheControl(CacheControl.noStore())
                .body(new UploadAnswer(id.toString(), result, file.sha256(), file.bytes()));
    }
}
