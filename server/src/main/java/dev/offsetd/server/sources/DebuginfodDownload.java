package dev.offsetd.server.sources;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.identity.FileNames;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.AddressRules;
import dev.offsetd.server.sources.http.AnnouncedBody;
import dev.offsetd.server.sources.http.BadResponseException;
import dev.offsetd.server.sources.http.Framing;
import dev.offsetd.server.sources.http.HeadersDeadline;
import dev.offsetd.server.sources.http.Redirect;
import dev.offsetd.server.sources.http.RetryAfter;
import dev.offsetd.server.web.Pace;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Credentials;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import okio.Okio;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to download a file of one build from one debuginfod: sends the request, follows redirects, streams the
 * body to the temporary folder of the disk cache, verifies the file and publishes it. Nothing that the upstream says is
 * trusted: a body becomes a file of a build only if it has the announced length and is the ELF file of the requested build.
 *
 * <p>For one thread, which may block in the network; interrupting it ends the attempt.
 */
final class DebuginfodDownload {

    private static final Logger log = LoggerFactory.getLogger(DebuginfodDownload.class);

    private static final String MAX_SIZE = "X-DEBUGINFOD-MAXSIZE";
    private static final String RANGE = "Range";

    private final Upstream upstream;
    private final DiskCache cache;
    private final FileRequest request;
    private final BodyTransfer transfer;
    private final long maxBytes;
    private final long deadlineNanos;

    /** Whether the connection failed, rather than the content of this file. */
    private boolean transportFailed;

    /** Bytes received of the whole executable, after parts that were not enough. */
    private long wholeBytes;

    DebuginfodDownload(Upstream upstream, DiskCache cache, FileRequest request, FetchProgress progress) {
        this(
                upstream,
                cache,
                request,
                progress,
                System.nanoTime() + upstream.policy().timeouts().total().toNanos());
    }

    private DebuginfodDownload(
            Upstream upstream, DiskCache cache, FileRequest request, FetchProgress progress, long deadlineNanos) {
        this.upstream = upstream;
        this.cache = cache;
        this.request = request;
        this.maxBytes = Math.min(request.maxBytes(), upstream.maxFileBytes());
        this.transfer = new BodyTransfer(
                maxBytes,
                progress,
                new Pace(Pace.BYTES_PER_SECOND, upstream.policy().timeouts().stall()));
        this.deadlineNanos = deadlineNanos;
    }

    Downloader.Downloaded download() throws InterruptedException {
        return new Downloader.Downloaded(run(), transportFailed, transfer.wireBytes() + wholeBytes);
    }

    private FetchOutcome run() throws InterruptedException {
        try {
            Optional<FetchOutcome> outcome = answered();
            return outcome.isPresent() ? outcome.get() : whole();
        } catch (BadResponseException e) {
            return FetchOutcome.broken(String.valueOf(e.getMessage()));
        } catch (DiskException e) {
            throwIfInterrupted();
            log.warn("build {}: the disk failed", request.id(), e);
            return FetchOutcome.diskFailed(e.detail());
        } catch (AddressRules.ForbiddenAddressException e) {
            return FetchOutcome.broken(e.detail());
        } catch (IOException e) {
            throwIfInterrupted();
            transportFailed = true;
            return failed(e);
        } catch (RuntimeException e) {
            throwIfInterrupted();
            // A defect in a library or in this server, triggered by the response. Other responses may be fine.
            log.error("build {}: the response of {} cannot be processed", request.id(), upstream.name(), e);
            transportFailed = true;
            return FetchOutcome.broken(failedWith(e));
        }
    }

    /** Returns the outcome of the request; empty if the upstream delivers too few parts of an executable. */
    private Optional<FetchOutcome> answered() throws IOException, BadResponseException, InterruptedException {
        HttpUrl url = url();
        for (int redirects = 0; redirects <= Redirect.MAX; redirects++) {
            Call call = upstream.http().newCall(requestTo(url));
            call.timeout().timeout(remainingNanos(), TimeUnit.NANOSECONDS);
            try (Response response = call.execute()) {
                limitHeaders(response.headers());
                if (response.code() == 206 && isOfParts()) {
                    return program(response);
                }
                if (!Redirect.is(response)) {
                    return Optional.of(outcomeOf(response, call));
                }
                url = Redirect.target(url, response.header("Location"));
            }
        }
        return Optional.of(FetchOutcome.broken("more than " + Redirect.MAX + " redirects"));
    }

    /** Fetches the whole executable in the time that is left. */
    private FetchOutcome whole() throws InterruptedException {
        FileRequest whole =
                FileRequest.of(request.id(), FileKind.EXECUTABLE, request.maxBytes(), request.forwardedFor());
        Downloader.Downloaded downloaded =
                new DebuginfodDownload(upstream, cache, whole, FetchProgress.NONE, deadlineNanos).download();
        transportFailed = downloaded.transportFailed();
        wholeBytes = downloaded.wireBytes();
        return downloaded.outcome();
    }

    private HttpUrl url() {
        HttpUrl.Builder url = upstream.policy().base().newBuilder().addPathSegments("buildid/" + request.id());
        if (request.sourcePath() == null) {
            return url.addPathSegment(request.kind().word()).build();
        }
        url.addPathSegment("source");
        // Each part is encoded. The path is absolute, so the first part is empty.
        for (String part : request.sourcePath().substring(1).split("/", -1)) {
            url.addPathSegment(part);
        }
        return url.build();
    }

    private Request requestTo(HttpUrl url) {
        Request.Builder built = new Request.Builder()
                .url(url)
                .header("User-Agent", upstream.userAgent())
                // With an explicit header, OkHttp leaves decompression, and with it the count of bytes, to the caller.
                .header("Accept-Encoding", "gzip, identity")
                .header(MAX_SIZE, Long.toString(isOfParts() ? upstream.maxFileBytes() : maxBytes))
                .header(ForwardedFor.HEADER, request.forwardedFor().toUpstream());
        if (isOfParts()) {
            built.header("Accept-Encoding", "identity").header(RANGE, RangeTransfer.header(ProgramDownload.START));
        }
        HttpUrl base = upstream.policy().base();
        if (upstream.http().isConfigured(url) && !base.username().isEmpty()) {
            built.header("Authorization", Credentials.basic(base.username(), base.password()));
        }
        return built.build();
    }

    private boolean isOfParts() {
        return request.kind() == FileKind.PROGRAM;
    }

    /** Returns at least 1, because 0 means no limit to OkHttp. */
    private long remainingNanos() {
        return Math.max(1, deadlineNanos - System.nanoTime());
    }

    private static void limitHeaders(Headers headers) throws BadResponseException {
        long bytes = headers.byteCount();
        if (bytes > Framing.MAX_BYTES) {
            throw new BadResponseException(
                    "response headers of " + bytes + " bytes; expected at most " + Framing.MAX_BYTES);
        }
    }

    private FetchOutcome outcomeOf(Response response, Call call)
            throws IOException, BadResponseException, InterruptedException {
        int status = response.code();
        if (status == 200) {
            boolean whole = false;
            try {
                FetchOutcome outcome = receive(response, call);
                whole = outcome instanceof FetchOutcome.Fetched;
                return outcome;
            } finally {
                if (!whole) {
                    // Otherwise OkHttp reads on for a while, in order to reuse the connection.
                    call.cancel();
                }
            }
        }
        return withoutFile(response).orElse(FetchOutcome.broken("HTTP status " + status + "; expected 200"));
    }

    /** Returns the outcome of a status that explains a missing file; empty for any other status. */
    private Optional<FetchOutcome> withoutFile(Response response) {
        int status = response.code();
        if (status == 404) {
            return Optional.of(
                    new FetchOutcome.NotFound(upstream.policy().kind().finality()));
        }
        if (status == 410) {
            return Optional.of(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
        }
        if (status == 406) {
            // A debuginfod's answer to the size limit.
            return Optional.of(
                    FetchOutcome.tooLarge("HTTP status 406; the file is larger than " + maxBytes + " bytes"));
        }
        if (status >= 400 && status <= 599) {
            return Optional.of(new FetchOutcome.Refused(
                    status,
                    RetryAfter.in(response.headers(), Instant.now(), upstream.maxRetryAfter())
                            .orElse(null),
                    "HTTP status " + status));
        }
        return Optional.empty();
    }

    private FetchOutcome receive(Response response, Call call)
            throws IOException, BadResponseException, InterruptedException {
        AnnouncedBody announced = AnnouncedBody.of(response);
        Optional<String> excess = announced.excess(maxBytes);
        if (excess.isPresent()) {
            return FetchOutcome.tooLarge(excess.get());
        }
        BufferedSource body = Okio.buffer(transfer.paced(response.body().source()));
        Optional<FetchOutcome> sections = sections(response, body, announced, call);
        if (sections.isPresent()) {
            return sections.get();
        }
        try (IncomingFile incoming = cache.newFile()) {
            transfer.copy(body, announced.gzip(), announced.size(), incoming);
            if (transfer.received() > maxBytes) {
                return FetchOutcome.tooLarge("body goes on after " + maxBytes + " bytes");
            }
            if (transfer.received() == 0) {
                throw new BadResponseException("HTTP status 200 with an empty body");
            }
            Optional<String> mismatch = announced.mismatch(transfer.wireBytes(), transfer.received());
            if (mismatch.isPresent()) {
                transportFailed = true;
                return FetchOutcome.broken(mismatch.get());
            }
            return verifyAndPublish(
                    incoming,
                    request.kind() == FileKind.SECTIONS
                            ? FileKind.DEBUGINFO
                            : request.kind().inCache(),
                    FileHeaders.of(response.headers()),
                    response.headers());
        }
    }

    /** Fetches only the sections that the extractor reads; empty if the whole file should be fetched. */
    private Optional<FetchOutcome> sections(Response response, BufferedSource body, AnnouncedBody announced, Call call)
            throws IOException, BadResponseException, InterruptedException {
        Long size = announced.size();
        if (request.kind() != FileKind.SECTIONS
                || announced.gzip()
                || size == null
                || size <= upstream.sectionsAbove()
                || !"bytes".equals(response.header("Accept-Ranges"))) {
            return Optional.empty();
        }
        Optional<IncomingFile> slim;
        try {
            slim = new SectionDownload(ranges(response, size), cache, transfer, upstream.threads())
                    .run(body, call::cancel);
        } catch (RangeTransfer.NoRangeException e) {
            limitHeaders(e.response().headers());
            return Optional.of(withoutFile(e.response())
                    // The upstream had the file a moment ago.
                    .filter(outcome -> !(outcome instanceof FetchOutcome.NotFound))
                    .orElse(FetchOutcome.broken(String.valueOf(e.getMessage()))));
        }
        if (slim.isEmpty()) {
            return Optional.empty();
        }
        try (IncomingFile file = slim.get()) {
            FileHeaders said = FileHeaders.of(response.headers());
            // The signature is one over the whole file.
            FileHeaders kept = new FileHeaders(said.file(), said.archive(), null);
            return Optional.of(verifyAndPublish(file, FileKind.SECTIONS, kept, response.headers()));
        }
    }

    /** Returns a transfer of ranges of the file that a response is about. */
    private RangeTransfer ranges(Response response, long size) {
        String etag = response.header("ETag");
        return new RangeTransfer(
                range -> {
                    Request.Builder part = requestTo(response.request().url())
                            .newBuilder()
                            .header("Accept-Encoding", "identity")
                            .header(RANGE, range);
                    if (etag != null && etag.startsWith("\"")) {
                        part.header("If-Range", etag);
                    }
                    Call next = upstream.http().newCall(part.build());
                    next.timeout().timeout(remainingNanos(), TimeUnit.NANOSECONDS);
                    return next.execute();
                },
                transfer,
                size,
                response.headers());
    }

    /** Receives the parts of an executable, of which the response has the first; empty if they are not enough. */
    private Optional<FetchOutcome> program(Response response) throws IOException, InterruptedException {
        long size = ProgramDownload.size(response).orElse(0L);
        if (size > upstream.maxFileBytes()) {
            return Optional.of(FetchOutcome.tooLarge("the file has " + size + " bytes"));
        }
        if (size > 0) {
            try (IncomingFile parts = cache.newFile()) {
                if (new ProgramDownload(ranges(response, size), upstream.threads()).run(response, parts.path())) {
                    var _ = parts.finish();
                    ElfFacts elf = cache.verify(parts, request.id());
                    return Optional.of(new FetchOutcome.Fetched(
                            temporary(parts, null, size, elf, FileHeaders.of(response.headers()))));
                }
            } catch (ExtractionException e) {
                return Optional.of(DiskCache.rejected(e));
            }
        }
        return Optional.empty();
    }

    private FetchOutcome verifyAndPublish(IncomingFile incoming, FileKind kind, FileHeaders said, Headers headers)
            throws DiskException, InterruptedException {
        if (request.sourcePath() != null) {
            return new FetchOutcome.Fetched(temporary(incoming, incoming.finish(), incoming.bytes(), null, said));
        }
        FetchOutcome outcome = cache.verifyAndPublish(
                incoming, new DiskCache.Key(request.id(), kind), upstream, said, transfer.wireBytes());
        return outcome instanceof FetchOutcome.Fetched(CachedFile published)
                ? new FetchOutcome.Fetched(published.withNames(names(headers)))
                : outcome;
    }

    /** Returns a file that is not cached, and removed when its receiver closes it. */
    private CachedFile temporary(
            IncomingFile incoming, @Nullable String sha256, long bytes, @Nullable ElfFacts elf, FileHeaders said) {
        IncomingFile file = incoming.handOver();
        return new CachedFile(
                file.path(),
                upstream.name(),
                upstream.origin(),
                sha256,
                bytes,
                transfer.wireBytes(),
                elf,
                Identity.UNKNOWN,
                said,
                () -> delete(file));
    }

    /** Returns what the names of the file and of its package say of the build. */
    private static Identity names(Headers headers) {
        String file = headers.get(FileHeaders.FILE);
        String archive = headers.get(FileHeaders.ARCHIVE);
        Identity ofFile = file == null ? Identity.UNKNOWN : FileNames.ofFile(file, FileHeaders.FILE);
        return archive == null ? ofFile : ofFile.merge(FileNames.ofArchive(archive, FileHeaders.ARCHIVE));
    }

    private void delete(IncomingFile file) {
        try {
            file.close();
        } catch (DiskException e) {
            log.warn("{}: its temporary file stays: {}", request, e.detail());
        }
    }

    private String progressMade() {
        return "after " + transfer.received() + " bytes of the body";
    }

    private String failedWith(Exception e) {
        return "failed " + progressMade() + ": " + HostileText.quote(e.toString());
    }

    private FetchOutcome failed(IOException e) {
        String progress = progressMade();
        return switch (e) {
            case HeadersDeadline.HeadersTimeoutException late ->
                FetchOutcome.timedOut(String.valueOf(late.getMessage()));
            case UnknownHostException _ -> FetchOutcome.broken("its host has no address: the name is not known");
            case ConnectException refused ->
                FetchOutcome.broken("no connection: " + HostileText.quote(String.valueOf(refused.getMessage())));
            case BodyTransfer.TooSlowException slow ->
                FetchOutcome.timedOut(slow.getMessage() + ", stopped " + progress);
            case SocketTimeoutException _ -> FetchOutcome.timedOut("silent " + progress);
            case InterruptedIOException _ ->
                FetchOutcome.timedOut("not complete within "
                        + upstream.policy().timeouts().total().toMillis() + " ms, stopped " + progress);
            default -> FetchOutcome.broken(failedWith(e));
        };
    }

    static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
