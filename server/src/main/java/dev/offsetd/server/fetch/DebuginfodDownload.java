package dev.offsetd.server.fetch;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import okhttp3.Call;
import okhttp3.Credentials;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.GzipSource;
import okio.Okio;
import okio.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to download one file from one debuginfod: ask, follow redirects, stream into the disk cache's temporary
 * folder, verify, publish. An upstream's word is taken for nothing: a 200 becomes a file only when the length it
 * announced came, and the bytes are the asked build's ELF file.
 *
 * <p>For one thread, which may block in the network; interrupting it ends the attempt.
 */
final class DebuginfodDownload {

    private static final Logger log = LoggerFactory.getLogger(DebuginfodDownload.class);

    private static final int CHUNK_BYTES = 256 << 10;

    /** Set by debuginfod: the decompressed size, which no content coding or proxy hides. */
    private static final String SIZE_HEADER = "X-DEBUGINFOD-SIZE";

    private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");

    private static final long UNKNOWN = -1;

    private final Upstream upstream;
    private final DiskCache cache;
    private final FileVerification verification;
    private final BuildId id;
    private final FetchProgress progress;
    private final long deadlineNanos;

    /** Decompressed bytes of the body that came. */
    private long received;

    /** Bytes of the file, as far as the upstream says. */
    private OptionalLong total = OptionalLong.empty();

    /** Bytes of the body that came, before decompression. */
    private long wireBytes;

    private boolean transportFailed;

    /** Bytes of the body that came without anything that they decompress to. */
    private final Framing coding = new Framing();

    DebuginfodDownload(
            Upstream upstream, DiskCache cache, FileVerification verification, BuildId id, FetchProgress progress) {
        this.upstream = upstream;
        this.cache = cache;
        this.verification = verification;
        this.id = id;
        this.progress = progress;
        this.deadlineNanos =
                System.nanoTime() + upstream.policy().timeouts().total().toNanos();
    }

    /** Whatever the upstream sends, this ends with an outcome. */
    Attempt run() throws InterruptedException {
        FetchOutcome outcome;
        try {
            outcome = outcome();
        } catch (RuntimeException e) {
            throwIfInterrupted();
            // A library's or our own mistake, on what the upstream sent: its other files may be read without it.
            log.error("build {}: a response of {} cannot be taken", id, upstream.name(), e);
            transportFailed = true;
            outcome = FetchOutcome.broken(failedWith(e));
        }
        return new Attempt(outcome, transportFailed, wireBytes);
    }

    private FetchOutcome outcome() throws InterruptedException {
        try {
            HttpUrl url = upstream.policy()
                    .base()
                    .newBuilder()
                    .addPathSegments("buildid/" + id + "/debuginfo")
                    .build();
            for (int redirects = 0; redirects <= Redirect.MAX; redirects++) {
                Call call = upstream.http().newCall(request(url));
                call.timeout().timeout(remainingNanos(), TimeUnit.NANOSECONDS);
                try (Response response = call.execute()) {
                    requireModest(response.headers());
                    if (!Redirect.is(response)) {
                        return outcomeOf(response, call);
                    }
                    url = Redirect.target(url, response.header("Location"));
                }
            }
            return FetchOutcome.broken("more than " + Redirect.MAX + " redirects");
        } catch (BadResponseException e) {
            return FetchOutcome.broken(e.detail());
        } catch (DiskException e) {
            throwIfInterrupted();
            log.warn("build {}: the disk failed", id, e);
            return FetchOutcome.diskFailed(e.detail());
        } catch (AddressRules.ForbiddenAddressException e) {
            return FetchOutcome.broken(e.detail());
        } catch (IOException e) {
            throwIfInterrupted();
            transportFailed = true;
            return failed(e);
        }
    }

    private Request request(HttpUrl url) {
        Request.Builder request = new Request.Builder()
                .url(url)
                .header("User-Agent", upstream.userAgent())
                // Asking for it ourselves keeps OkHttp from decompressing on its own, out of our sight.
                .header("Accept-Encoding", "gzip, identity");
        HttpUrl base = upstream.policy().base();
        if (upstream.http().isConfigured(url) && !base.username().isEmpty()) {
            request.header("Authorization", Credentials.basic(base.username(), base.password()));
        }
        return request.build();
    }

    /** At least 1: OkHttp takes 0 for no limit. */
    private long remainingNanos() {
        return Math.max(1, deadlineNanos - System.nanoTime());
    }

    private static void requireModest(Headers headers) throws BadResponseException {
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
                FetchOutcome outcome = receive(response);
                whole = outcome instanceof FetchOutcome.Fetched;
                return outcome;
            } finally {
                if (!whole) {
                    // Else OkHttp reads on for a while, in the hope to use the connection again.
                    call.cancel();
                }
            }
        }
        if (status == 404) {
            return new FetchOutcome.NotFound(upstream.policy().kind().finality());
        }
        if (status == 410) {
            return new FetchOutcome.NotFound(FetchOutcome.Finality.LAST_WORD);
        }
        if (status >= 400 && status <= 599) {
            return new FetchOutcome.Refused(
                    status,
                    RetryAfter.in(response.headers(), Instant.now(), upstream.maxRetryAfter()),
                    "HTTP status " + status);
        }
        return FetchOutcome.broken("HTTP status " + status + "; expected 200");
    }

    private FetchOutcome receive(Response response) throws IOException, BadResponseException, InterruptedException {
        ResponseBody body = response.body();
        boolean gzip = isGzip(response.headers());
        long announcedOnWire = body.contentLength();
        long announced = announcedSize(response.headers());
        if (announced > upstream.maxFileBytes()) {
            return FetchOutcome.tooLarge(SIZE_HEADER + " is " + announced);
        }
        if (!gzip && announcedOnWire > upstream.maxFileBytes()) {
            return FetchOutcome.tooLarge("Content-Length is " + announcedOnWire);
        }
        total = announced != UNKNOWN
                ? OptionalLong.of(announced)
                : gzip || announcedOnWire == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(announcedOnWire);
        Source wire = new CountingSource(body.source());
        try (IncomingFile incoming = cache.receive()) {
            copy(Okio.buffer(gzip ? new GzipSource(wire) : wire), incoming);
            if (received > upstream.maxFileBytes()) {
                return FetchOutcome.tooLarge("body goes on after " + upstream.maxFileBytes() + " bytes");
            }
            if (received == 0) {
                throw new BadResponseException("HTTP status 200 with an empty body");
            }
            requireAnnounced(wireBytes, announcedOnWire, "Content-Length");
            requireAnnounced(received, announced, SIZE_HEADER);
            return verifyAndPublish(incoming);
        }
    }

    /**
     * Copies until the end of the body, or until one byte more than allowed was read. One chunk is hashed and written while
     * the next one comes.
     */
    private void copy(BufferedSource body, IncomingFile incoming) throws IOException, InterruptedException {
        try (ExecutorService writer = Executors.newVirtualThreadPerTaskExecutor()) {
            byte[] chunk = new byte[CHUNK_BYTES];
            byte[] other = new byte[CHUNK_BYTES];
            Future<?> written = CompletableFuture.completedFuture(null);
            int filled = fill(chunk, body);
            while (filled > 0) {
                await(written);
                byte[] full = chunk;
                int length = filled;
                written = writer.submit(() -> {
                    incoming.write(full, length);
                    return null;
                });
                chunk = other;
                other = full;
                filled = fill(chunk, body);
            }
            await(written);
        }
    }

    private static void await(Future<?> written) throws DiskException, InterruptedException {
        try {
            written.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DiskException failure) {
                throw failure;
            }
            throw new IllegalStateException("a chunk cannot be written", e);
        }
    }

    /** Fills the chunk: what is read at once are a few kilobytes, which are not worth a system call each. */
    private int fill(byte[] chunk, BufferedSource body) throws IOException {
        long room = upstream.maxFileBytes() + 1 - received;
        int length = (int) Math.min(chunk.length, room);
        int filled = 0;
        while (filled < length) {
            int read = body.read(chunk, filled, length - filled);
            if (read < 0) {
                break;
            }
            received += read;
            filled += read;
            coding.reset();
            progress.received(received, total);
        }
        return filled;
    }

    private FetchOutcome verifyAndPublish(IncomingFile incoming) throws DiskException, InterruptedException {
        // Not brought to the disk, which takes longer than reading it: what a loss of power leaves is checked against
        // its
        // hash whenever it is taken out of the cache, and fetched anew.
        String sha256 = incoming.finish();
        ElfFacts elf;
        try {
            elf = verification.verify(incoming.path(), id);
        } catch (LimitExceededException e) {
            return FetchOutcome.tooLarge("file: " + e.getMessage());
        } catch (ExtractionException e) {
            return FetchOutcome.broken("file: " + e.getMessage());
        } catch (IOException e) {
            throw new DiskException(e);
        }
        return new FetchOutcome.Fetched(cache.publish(incoming, id, upstream.name(), wireBytes, sha256, elf));
    }

    private static boolean isGzip(Headers headers) throws BadResponseException {
        String coding = headers.get("Content-Encoding");
        if (coding == null) {
            return false;
        }
        return switch (coding.toLowerCase(Locale.ROOT)) {
            case "identity" -> false;
            case "gzip", "x-gzip" -> true;
            default ->
                throw new BadResponseException(
                        "Content-Encoding is " + HostileText.quote(coding) + "; expected gzip or none");
        };
    }

    private static long announcedSize(Headers headers) throws BadResponseException {
        String size = headers.get(SIZE_HEADER);
        if (size == null) {
            return UNKNOWN;
        }
        if (!SIZE.matcher(size).matches()) {
            throw new BadResponseException(
                    SIZE_HEADER + " is " + HostileText.quote(size) + "; expected a number of bytes");
        }
        return Long.parseLong(size);
    }

    private void requireAnnounced(long came, long announced, String header) throws BadResponseException {
        if (announced != UNKNOWN && came != announced) {
            transportFailed = true;
            throw new BadResponseException("body of " + came + " bytes; " + header + " is " + announced);
        }
    }

    private String progressMade() {
        return "after " + received + " bytes of the body";
    }

    private String failedWith(Exception e) {
        return "failed " + progressMade() + ": " + HostileText.quote(e.toString());
    }

    private FetchOutcome failed(IOException e) {
        String progress = progressMade();
        return switch (e) {
            case HeadersDeadline.HeadersTimeoutException late -> FetchOutcome.timedOut(late.detail());
            case UnknownHostException _ -> FetchOutcome.broken("its host has no address: the name is not known");
            case ConnectException refused ->
                FetchOutcome.broken("no connection: " + HostileText.quote(String.valueOf(refused.getMessage())));
            case SocketTimeoutException _ -> FetchOutcome.timedOut("silent " + progress);
            case InterruptedIOException _ ->
                FetchOutcome.timedOut("not complete within "
                        + upstream.policy().timeouts().total().toMillis() + " ms, stopped " + progress);
            default -> FetchOutcome.broken(failedWith(e));
        };
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Counts the bytes of the body as they come, before decompression. */
    private final class CountingSource extends ForwardingSource {

        CountingSource(Source body) {
            super(body);
        }

        @Override
        public long read(Buffer sink, long byteCount) throws IOException {
            long read = super.read(sink, byteCount);
            if (read > 0) {
                wireBytes += read;
                coding.received(read);
            }
            return read;
        }
    }
}
