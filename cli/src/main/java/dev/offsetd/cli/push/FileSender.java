package dev.offsetd.cli.push;

import dev.offsetd.cli.push.PushResult.Status;
import dev.offsetd.cli.push.UploadClient.UploadResult;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.ByteProgress;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.IoReason;
import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.LongConsumer;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.codec.digest.MessageDigestAlgorithms;

/** Sends single files to a server. A file that is refused or unreadable has a result; a failing server throws. */
final class FileSender {

    private static final int BUFFER_BYTES = 1 << 16;

    private final Console console;
    private final ReadOptions reading;
    private final ServerCalls calls;
    private final UploadClient uploads;

    FileSender(Console console, ReadOptions reading, ServerCalls calls) {
        this.console = console;
        this.reading = reading;
        this.calls = calls;
        this.uploads = new UploadClient(calls);
    }

    /** Forms in which a file is sent. */
    enum Form {
        /** The executable, for its keys, names and symbols. */
        EXECUTABLE,
        WHOLE,
        /** The sections that the server reads. */
        SLIM
    }

    /** Sends a file under its build-id, or under another key if it has none or programs share it. */
    PushResult send(Candidate candidate, Form form) throws CommandFailure {
        calls.restartTimer();
        console.progress("reading " + candidate.place());
        BuildId buildId = candidate.elf().buildId();
        try {
            if (buildId != null && !buildId.isShared()) {
                PushResult result = sendUnder(buildId, candidate, form);
                if (!result.end().reason().equals(UploadClient.NOT_UNIQUE)) {
                    return result;
                }
            }
            BuildId key = DebugInfo.read(candidate.file(), reading, DebugInfo::keys)
                    .primary(each -> each.isShared() || Objects.equals(each, buildId));
            return sendUnder(key, candidate, form);
        } catch (ExtractionException e) {
            return PushResult.refused(candidate, "malformed", String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return PushResult.refused(candidate, "unreadable", "it cannot be read or copied: " + IoReason.of(e));
        } finally {
            console.clearProgress();
        }
    }

    private PushResult sendUnder(BuildId key, Candidate candidate, Form form) throws CommandFailure, IOException {
        return switch (form) {
            case EXECUTABLE -> sendExecutable(candidate, key);
            case WHOLE -> sendWhole(candidate, key);
            // A SHA-256 is that of the whole file.
            case SLIM -> key.isA(BuildId.Alias.SHA256) ? sendWhole(candidate, key) : sendSlim(candidate, key);
        };
    }

    private PushResult sendExecutable(Candidate candidate, BuildId key) throws CommandFailure, IOException {
        long bytes = Files.size(candidate.file());
        UploadResult end = uploads.sendExecutable(
                key, candidate.place(), sha256(candidate.file()), body(candidate, candidate.file(), bytes));
        return result(candidate, key, end, bytes);
    }

    PushResult sendWhole(Candidate candidate, BuildId key) throws CommandFailure, IOException {
        return sendUnlessKnown(candidate, candidate.file(), sha256(candidate.file()), key);
    }

    private PushResult sendSlim(Candidate candidate, BuildId key) throws CommandFailure, IOException {
        Path slim = Files.createTempFile("offsetd-push-", ".debug");
        try {
            MessageDigest digest = DigestUtils.getSha256Digest();
            try (OutputStream out = new DigestOutputStream(
                    new BufferedOutputStream(Files.newOutputStream(slim), BUFFER_BYTES), digest)) {
                DebugInfo.read(candidate.file(), reading, info -> info.writeSlimWithFunctions(out));
            } catch (ExtractionException e) {
                console.say(candidate.place() + " is sent whole: " + e.getMessage());
                return sendWhole(candidate, key);
            }
            return sendUnlessKnown(candidate, slim, HexFormat.of().formatHex(digest.digest()), key);
        } finally {
            Files.deleteIfExists(slim);
        }
    }

    /** @param body the file itself, or its slim copy */
    private PushResult sendUnlessKnown(Candidate candidate, Path body, String sha256, BuildId key)
            throws CommandFailure, IOException {
        long bytes = Files.size(body);
        UploadResult advice = uploads.precheck(key, sha256, bytes);
        if (advice.status() == Status.TAKEN && advice.reason().equals("own_upload") && !body.equals(candidate.file())) {
            // The earlier upload may have been the whole file.
            UploadResult ofWhole = uploads.precheck(
                    key, sha256(candidate.file()), candidate.elf().fileBytes());
            advice = ofWhole.reason().equals(UploadClient.SAME_FILE) ? ofWhole : advice;
        }
        if (advice.status() != Status.TAKEN) {
            return result(candidate, key, advice, 0);
        }
        UploadResult end = uploads.send(key, candidate.place(), sha256, body(candidate, body, bytes));
        return result(candidate, key, end, bytes);
    }

    private PushResult result(Candidate candidate, BuildId key, UploadResult end, long sentBytes)
            throws CommandFailure {
        String source = end.status() == Status.REFUSED ? "" : uploads.source(key);
        return new PushResult(candidate, key, end, sentBytes, source);
    }

    private BodyPublisher body(Candidate candidate, Path body, long total) throws FileNotFoundException {
        String name = candidate.fileName();
        ByteProgress progress = new ByteProgress(console, "sending " + name);
        return new CountedBody(BodyPublishers.ofFile(body), sent -> {
            if (sent == total) {
                console.progress(name + " is sent; the server is reading it");
            } else {
                progress.update(sent, total);
            }
        });
    }

    private static String sha256(Path file) throws IOException {
        return new DigestUtils(MessageDigestAlgorithms.SHA_256).digestAsHex(file);
    }

    /** Request body that reports the bytes handed to the connection. */
    private static final class CountedBody implements BodyPublisher {

        private final BodyPublisher body;
        private final LongConsumer sent;

        /** @param sent receives the running total, which restarts when the body is sent again */
        CountedBody(BodyPublisher body, LongConsumer sent) {
            this.body = body;
            this.sent = sent;
        }

        @Override
        public long contentLength() {
            return body.contentLength();
        }

        @Override
        public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
            body.subscribe(new Flow.Subscriber<>() {

                private long count;

                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                    subscriber.onSubscribe(subscription);
                }

                @Override
                public void onNext(ByteBuffer bytes) {
                    count += bytes.remaining();
                    sent.accept(count);
                    subscriber.onNext(bytes);
                }

                @Override
                public void onError(Throwable failure) {
                    subscriber.onError(failure);
                }

                @Override
                public void onComplete() {
                    subscriber.onComplete();
                }
            });
        }
    }
}
