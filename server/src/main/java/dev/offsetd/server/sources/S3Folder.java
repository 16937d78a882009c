package dev.offsetd.server.sources;

import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.storage.objects.S3Bucket;
import dev.offsetd.server.web.Pace;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import okio.Okio;

/**
 * A bucket of an S3 service with the layout of a folder of installed debug files: {@code .build-id/ab/cdef….debug}, and executables
 * without a suffix.
 *
 * @param name URL of the bucket and prefix, without credentials
 */
record S3Folder(String name, S3Bucket bucket, Timeouts timeouts, long maxFileBytes, DiskCache cache)
        implements Downloader {

    private static final Path FOLDER = Path.of(".build-id");

    @Override
    public Origin origin() {
        return Origin.S3;
    }

    @Override
    public List<Duration> missTimes() {
        return List.of();
    }

    @Override
    public Duration totalTimeout() {
        return timeouts.total();
    }

    @Override
    public Downloaded download(FileRequest request, FetchProgress progress) throws InterruptedException {
        return new ObjectDownload(request, progress).download();
    }

    private final class ObjectDownload {

        private final FileRequest request;
        private final BodyTransfer transfer;
        private final long maxBytes;
        private final long deadlineNanos = System.nanoTime() + timeouts.total().toNanos();
        private boolean transportFailed;

        private ObjectDownload(FileRequest request, FetchProgress progress) {
            this.request = request;
            this.maxBytes = Math.min(request.maxBytes(), maxFileBytes);
            this.transfer = new BodyTransfer(maxBytes, progress, new Pace(Pace.BYTES_PER_SECOND, timeouts.stall()));
        }

        Downloaded download() throws InterruptedException {
            return new Downloaded(run(), transportFailed, transfer.wireBytes());
        }

        private FetchOutcome run() throws InterruptedException {
            if (request.sourcePath() != null) {
                return new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL);
            }
            try {
                Optional<S3Bucket.Content> object = bucket.open(key());
                if (object.isEmpty()) {
                    return new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL);
                }
                try (S3Bucket.Content content = object.get()) {
                    return receive(content);
                }
            } catch (S3Bucket.RefusedException e) {
                return new FetchOutcome.Refused(e.status(), null, "HTTP status " + e.status());
            } catch (DiskException e) {
                DebuginfodDownload.throwIfInterrupted();
                return FetchOutcome.diskFailed(e.detail());
            } catch (BodyTransfer.TooSlowException | InterruptedIOException e) {
                DebuginfodDownload.throwIfInterrupted();
                return FetchOutcome.timedOut(e.getMessage() + ", stopped after " + transfer.received() + " bytes");
            } catch (IOException e) {
                DebuginfodDownload.throwIfInterrupted();
                transportFailed = true;
                return FetchOutcome.broken(
                        "the bucket cannot be read, stopped after " + transfer.received() + " bytes");
            }
        }

        private String key() {
            return (request.kind().isOfExecutable()
                            ? BuildIdPath.ofExecutable(FOLDER, request.id())
                            : BuildIdPath.below(FOLDER, request.id()))
                    .toString();
        }

        private FetchOutcome receive(S3Bucket.Content content) throws IOException, InterruptedException {
            if (content.bytes() > maxBytes) {
                return FetchOutcome.tooLarge("the object has " + content.bytes() + " bytes");
            }
            try (IncomingFile incoming = cache.newFile()) {
                transfer.copy(
                        transfer.paced(Okio.source(new Bounded(content.body()))), false, content.bytes(), incoming);
                if (transfer.received() != content.bytes()) {
                    transportFailed = true;
                    return FetchOutcome.broken(
                            "the object ends after " + transfer.received() + " bytes; expected " + content.bytes());
                }
                FileKind kind = request.kind().isOfExecutable() ? FileKind.EXECUTABLE : FileKind.DEBUGINFO;
                return cache.verifyAndPublish(
                        incoming,
                        new DiskCache.Key(request.id(), kind),
                        S3Folder.this,
                        FileHeaders.NONE,
                        transfer.wireBytes());
            }
        }

        /** Fails once the time for the file is over. */
        private final class Bounded extends FilterInputStream {

            private Bounded(InputStream body) {
                super(body);
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                if (System.nanoTime() - deadlineNanos > 0) {
                    throw new InterruptedIOException(
                            "not complete within " + timeouts.total().toMillis() + " ms");
                }
                return super.read(bytes, from, length);
            }
        }
    }
}
