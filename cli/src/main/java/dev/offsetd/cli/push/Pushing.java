package dev.offsetd.cli.push;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.push.PushResult.Status;
import dev.offsetd.cli.push.UploadClient.UploadResult;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.ByteProgress;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ElfIdentity;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.packages.BuildFinder;
import dev.offsetd.query.answer.ByteCount;
import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.function.LongConsumer;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.codec.digest.MessageDigestAlgorithms;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Uploads debug information that no source has. */
public final class Pushing {

    /** How long to wait for a busy server, per file. */
    private static final Duration MAX_WAIT = Duration.ofMinutes(15);

    private static final int BUFFER_BYTES = 1 << 16;

    /** The reason that says no more than {@link Status#ALREADY_THERE}. */
    private static final String SAME_FILE = "same_file";

    private final ReadOptions reading;
    private final DebugFileFinder files;
    private final Console console;
    private final BearerToken token;

    public Pushing(Console console, BearerToken token) {
        this.files = DebugFileFinder.ofSystem(console);
        this.reading = files.options();
        this.console = console;
        this.token = token;
    }

    /**
     * Files that are sent, and how.
     *
     * @param whole whether to send whole files instead of the sections that the server reads
     * @param executables whether to send stripped executables, too, for their keys and symbols
     * @param notes file with the build-id of a kernel, under which its raw BTF is sent; null for files that have one
     * @param asJson whether to print one JSON document instead of the table
     */
    record Options(
            boolean whole, boolean executables, @Nullable Path notes, boolean asJson) {}

    /** Forms in which a file is sent. */
    private enum Form {
        /** The executable, for its keys, names and symbols. */
        EXECUTABLE,
        WHOLE,
        /** The sections that the server reads. */
        SLIM
    }

    /**
     * Sends what the server does not have.
     *
     * @param paths files, and folders, packages, archives and images with files
     */
    int run(URI server, List<Path> paths, Options options) throws CommandFailure, IOException {
        try (PushInputs inputs = new PushInputs(files, console, options.executables())) {
            inputs.addAll(paths);
            if (inputs.candidates().isEmpty()) {
                return ExitCode.NOTHING_TO_SEND;
            }
            List<PushResult> results = options.notes() == null
                    ? pushAll(server, inputs, options)
                    : List.of(pushClaimed(server, inputs.candidates(), options.notes()));
            print(results, inputs, options.asJson());
            return inputs.leftOut().isEmpty() && results.stream().noneMatch(PushResult::isRefused)
                    ? ExitCode.OK
                    : ExitCode.NOT_ALL;
        }
    }

    /** Sends the raw BTF of a kernel under the build-id in the kernel's notes. */
    private PushResult pushClaimed(URI server, List<Candidate> candidates, Path notes)
            throws CommandFailure, IOException {
        if (candidates.size() != 1) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--notes is given with " + candidates.size() + " files; expected one");
        }
        Candidate candidate = candidates.getFirst();
        if (!candidate.elf().isRawBtf()) {
            BuildId own = candidate.elf().buildId();
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--notes is for BTF without ELF, such as /sys/kernel/btf/vmlinux; "
                            + HostileText.quote(candidate.place())
                            + (own == null ? " is an ELF file" : " says itself that its build-id is " + own));
        }
        Optional<BuildId> claimed = files.read(
                notes,
                () -> ElfIdentity.buildIdOfNotes(
                        Files.readAllBytes(notes),
                        candidate.elf().architecture().byteOrder()));
        if (claimed.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.BAD_FILE,
                    HostileText.quote(notes.toString()) + ": no NT_GNU_BUILD_ID note; expected /sys/kernel/notes");
        }
        try (ServerCalls calls = new ServerCalls(server, token, console, MAX_WAIT)) {
            return pushWhole(candidate, claimed.get(), new UploadClient(calls));
        }
    }

    /**
     * Sends the executables and libraries in these paths, so that the server knows their keys, names and symbols.
     *
     * @param names patterns for file names, one of which must match; empty for any name
     */
    public void sendExecutables(URI server, List<Path> paths, List<PathMatcher> names)
            throws CommandFailure, IOException {
        try (PushInputs inputs = new PushInputs(files, console, true);
                ServerCalls calls = new ServerCalls(server, token, console, MAX_WAIT)) {
            inputs.addAll(paths);
            int sent = 0;
            for (Candidate candidate : inputs.candidates()) {
                if (candidate.isLinked()
                        && (names.isEmpty()
                                || names.stream().anyMatch(name -> BuildFinder.matches(name, candidate.fileName())))) {
                    calls.restartTimer();
                    PushResult result = push(candidate, Form.EXECUTABLE, new UploadClient(calls));
                    if (result.isRefused()) {
                        console.say(HostileText.quote(candidate.place()) + " is not sent: "
                                + result.end().detail());
                    } else {
                        sent++;
                    }
                }
            }
            console.clearProgress();
            console.say("executables sent: " + sent);
        }
    }

    private List<PushResult> pushAll(URI server, PushInputs inputs, Options options)
            throws CommandFailure, IOException {
        List<Candidate> candidates = inputs.candidates();
        Set<BuildId> withDebugInfo = new HashSet<>();
        for (Candidate candidate : candidates) {
            if (candidate.hasDebugInfo() && candidate.elf().buildId() != null) {
                withDebugInfo.add(candidate.elf().buildId());
            }
        }
        List<PushResult> results = new ArrayList<>();
        try (ServerCalls calls = new ServerCalls(server, token, console, MAX_WAIT)) {
            for (Candidate candidate : candidates) {
                calls.restartTimer();
                results.add(push(candidate, withDebugInfo, new UploadClient(calls), options));
            }
            return results;
        } catch (CommandFailure e) {
            print(results, inputs, options.asJson());
            throw e;
        }
    }

    private PushResult push(Candidate candidate, Set<BuildId> withDebugInfo, UploadClient uploads, Options options)
            throws CommandFailure {
        ElfFacts elf = candidate.elf();
        if (elf.isRawBtf()) {
            return refused(
                    candidate, "no_build_id", "BTF without ELF has no build-id; --notes names the notes of its kernel");
        }
        if (elf.buildId() == null && !candidate.isLinked()) {
            return refused(candidate, "no_build_id", "it has no build-id; the linker writes one with --build-id");
        }
        if (!candidate.hasDebugInfo() && !(options.executables() && candidate.isLinked())) {
            return elf.buildId() != null && withDebugInfo.contains(elf.buildId())
                    ? unsent(
                            candidate,
                            new UploadResult(Status.NOT_NEEDED, "stripped", "its debug information is in another file"))
                    : refused(candidate, "stripped", new DebugFileHint(files).describe(candidate.file(), elf));
        }
        Form whole = options.whole() ? Form.WHOLE : Form.SLIM;
        return push(candidate, candidate.hasDebugInfo() ? whole : Form.EXECUTABLE, uploads);
    }

    /** Sends a file under its build-id, or under another key if it has none or programs share it. */
    private PushResult push(Candidate candidate, Form form, UploadClient uploads) throws CommandFailure {
        console.progress("reading " + candidate.place());
        BuildId buildId = candidate.elf().buildId();
        try {
            if (buildId != null && !buildId.isShared()) {
                PushResult result = push(candidate, form, buildId, uploads);
                if (!result.end().reason().equals(UploadClient.NOT_UNIQUE)) {
                    return result;
                }
            }
            BuildId key = DebugInfo.read(candidate.file(), reading, DebugInfo::keys)
                    .primary(each -> each.isShared() || Objects.equals(each, buildId));
            return push(candidate, form, key, uploads);
        } catch (ExtractionException e) {
            return refused(candidate, "malformed", String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return refused(candidate, "unreadable", "it cannot be read or copied: " + IoReason.of(e));
        } finally {
            console.clearProgress();
        }
    }

    private PushResult push(Candidate candidate, Form form, BuildId key, UploadClient uploads)
            throws CommandFailure, IOException {
        return switch (form) {
            case EXECUTABLE -> sendExecutable(candidate, key, uploads);
            case WHOLE -> pushWhole(candidate, key, uploads);
            // A SHA-256 is that of the whole file.
            case SLIM ->
                key.isA(BuildId.Alias.SHA256) ? pushWhole(candidate, key, uploads) : pushSlim(candidate, key, uploads);
        };
    }

    private PushResult sendExecutable(Candidate candidate, BuildId key, UploadClient uploads)
            throws CommandFailure, IOException {
        long bytes = Files.size(candidate.file());
        UploadResult end = uploads.sendExecutable(
                key, candidate.place(), sha256(candidate.file()), body(candidate, candidate.file(), bytes));
        return result(candidate, key, end, bytes, uploads);
    }

    private static PushResult refused(Candidate candidate, String reason, String detail) {
        return unsent(candidate, new UploadResult(Status.REFUSED, reason, detail));
    }

    private static PushResult unsent(Candidate candidate, UploadResult end) {
        return new PushResult(candidate, candidate.elf().buildId(), end, 0, "");
    }

    private PushResult pushWhole(Candidate candidate, BuildId buildId, UploadClient uploads)
            throws CommandFailure, IOException {
        return send(candidate, candidate.file(), sha256(candidate.file()), buildId, uploads);
    }

    private PushResult pushSlim(Candidate candidate, BuildId buildId, UploadClient uploads)
            throws CommandFailure, IOException {
        Path slim = Files.createTempFile("offsetd-push-", ".debug");
        try {
            MessageDigest digest = DigestUtils.getSha256Digest();
            try (OutputStream out = new DigestOutputStream(
                    new BufferedOutputStream(Files.newOutputStream(slim), BUFFER_BYTES), digest)) {
                DebugInfo.read(candidate.file(), reading, info -> info.writeSlimWithFunctions(out));
            } catch (ExtractionException e) {
                console.say(candidate.place() + " is sent whole: " + e.getMessage());
                return pushWhole(candidate, buildId, uploads);
            }
            return send(candidate, slim, HexFormat.of().formatHex(digest.digest()), buildId, uploads);
        } finally {
            Files.deleteIfExists(slim);
        }
    }

    /** @param body the file itself, or its slim copy */
    private PushResult send(Candidate candidate, Path body, String sha256, BuildId buildId, UploadClient uploads)
            throws CommandFailure, IOException {
        long bytes = Files.size(body);
        UploadResult advice = uploads.precheck(buildId, sha256, bytes);
        if (advice.status() == Status.TAKEN && advice.reason().equals("own_upload") && !body.equals(candidate.file())) {
            // The earlier upload may have been the whole file.
            UploadResult ofWhole = uploads.precheck(
                    buildId, sha256(candidate.file()), candidate.elf().fileBytes());
            advice = ofWhole.reason().equals(SAME_FILE) ? ofWhole : advice;
        }
        if (advice.status() != Status.TAKEN) {
            return result(candidate, buildId, advice, 0, uploads);
        }
        UploadResult end = uploads.send(buildId, candidate.place(), sha256, body(candidate, body, bytes));
        return result(candidate, buildId, end, bytes, uploads);
    }

    private static PushResult result(
            Candidate candidate, BuildId key, UploadResult end, long sentBytes, UploadClient uploads)
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

    private void print(List<PushResult> results, PushInputs inputs, boolean asJson) throws IOException {
        console.clearProgress();
        if (asJson) {
            console.println(json(results, inputs).toString());
            return;
        }
        if (results.isEmpty()) {
            return;
        }
        TextTable table = new TextTable("NAME", "BUILD", "RESULT", "SENT", "SIZE", "FILE", "ANSWERED FROM", "REASON");
        for (PushResult result : results) {
            table.add(
                    name(result.candidate()),
                    result.key() == null ? "" : result.key().toString(),
                    result.status().word(),
                    result.sentBytes() == 0 ? "" : ByteCount.text(result.sentBytes()),
                    ByteCount.text(result.elf().fileBytes()),
                    result.candidate().namedPath(),
                    result.source(),
                    result.end().reason().equals(SAME_FILE) ? "" : result.end().detail());
        }
        table.print(console);
    }

    /** Returns what the build is called, or else the name of its file. */
    private String name(Candidate candidate) {
        try {
            String title = DebugInfo.read(candidate.file(), reading, DebugInfo::identity)
                    .title();
            return title.isEmpty() ? candidate.fileName() : title;
        } catch (IOException | ExtractionException e) {
            return candidate.fileName();
        }
    }

    private ObjectNode json(List<PushResult> results, PushInputs inputs) {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        document.put(
                "complete",
                inputs.leftOut().isEmpty()
                        && results.size() == inputs.candidates().size()
                        && results.stream().noneMatch(PushResult::isRefused));
        ArrayNode leftOut = document.putArray("leftOut");
        inputs.leftOut().forEach(path -> leftOut.add(path.toString()));
        ArrayNode list = document.putArray("files");
        for (PushResult result : results) {
            ObjectNode file = list.addObject();
            file.put("file", result.candidate().place());
            file.put("name", name(result.candidate()));
            if (result.key() != null) {
                file.put("buildId", result.key().toString());
            }
            file.put("arch", result.elf().architecture().machine());
            file.put("result", result.status().name().toLowerCase(Locale.ROOT));
            putUnlessEmpty(file, "reason", result.end().reason());
            putUnlessEmpty(file, "detail", result.end().detail());
            putUnlessEmpty(file, "source", result.source());
            file.put("fileBytes", result.elf().fileBytes());
            file.put("sentBytes", result.sentBytes());
        }
        return document;
    }

    private static void putUnlessEmpty(ObjectNode file, String name, String value) {
        if (!value.isEmpty()) {
            file.put(name, value);
        }
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
