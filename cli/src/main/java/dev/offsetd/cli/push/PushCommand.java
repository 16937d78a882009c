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
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.codec.digest.MessageDigestAlgorithms;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code push URL FILE...}: uploads debug information that no source has. */
public final class PushCommand {

    /** How long to wait for a busy server, per file. */
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private static final int BUFFER_BYTES = 1 << 16;

    private final OffsetExtractor extractor;
    private final DebugFileFinder files;
    private final Console console;
    private final BearerToken token;

    public PushCommand(OffsetExtractor extractor, DebugFileFinder files, Console console, BearerToken token) {
        this.extractor = extractor;
        this.files = files;
        this.console = console;
        this.token = token;
    }

    private record Candidate(Path file, ElfFacts elf) {

        boolean hasDebugInfo() {
            return elf.hasDwarf() || elf.hasBtf();
        }
    }

    /**
     * Sends what the server does not have.
     *
     * @param paths files, and folders, whose files with a build-id and debug information are sent
     * @param whole whether to send whole files instead of the sections that the server reads
     * @param asJson whether to print one JSON document instead of the table
     */
    public int run(URI server, List<Path> paths, boolean whole, boolean asJson) throws CommandFailure, IOException {
        List<Candidate> candidates = candidates(paths);
        Set<BuildId> withDebugInfo = new HashSet<>();
        candidates.stream()
                .filter(Candidate::hasDebugInfo)
                .forEach(candidate -> candidate.elf().buildId().ifPresent(withDebugInfo::add));
        List<PushResult> results = new ArrayList<>();
        try (ServerCalls calls = new ServerCalls(server, token, console, PATIENCE)) {
            for (Candidate candidate : candidates) {
                calls.restartTimer();
                PushResult result = push(candidate, withDebugInfo, new UploadClient(calls), whole);
                results.add(result);
                if (console.terminal().isEmpty()) {
                    console.say(result.file() + " " + result.buildId() + ": " + result.text());
                }
            }
        } catch (CommandFailure e) {
            print(results, candidates.size(), asJson);
            throw e;
        }
        print(results, candidates.size(), asJson);
        return results.stream().anyMatch(PushResult::isRefused) ? ExitCode.NOT_ALL : ExitCode.OK;
    }

    private List<Candidate> candidates(List<Path> paths) throws CommandFailure {
        List<Candidate> candidates = new ArrayList<>();
        for (Path path : paths) {
            if (Files.isDirectory(path)) {
                List<Candidate> inside = inFolder(path);
                if (inside.isEmpty()) {
                    throw new CommandFailure(
                            ExitCode.NOTHING_TO_SEND,
                            HostileText.quote(path.toString())
                                    + ": no file in it has a build-id and debug information");
                }
                candidates.addAll(inside);
            } else {
                candidates.add(named(path));
            }
        }
        return candidates;
    }

    private Candidate named(Path file) throws CommandFailure {
        try {
            return new Candidate(file, files.inspect(file));
        } catch (CommandFailure e) {
            throw new CommandFailure(ExitCode.NOTHING_TO_SEND, Objects.toString(e.getMessage()));
        }
    }

    /** Returns the candidates in a folder and its subfolders, without following links; ignores files that are not ELF. */
    private List<Candidate> inFolder(Path folder) throws CommandFailure {
        List<Candidate> inside = new ArrayList<>();
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path file : tree.filter(Files::isRegularFile)
                    .filter(path -> !Files.isSymbolicLink(path))
                    .sorted()
                    .toList()) {
                if (!isElf(file)) {
                    continue;
                }
                try {
                    Candidate candidate = new Candidate(file, extractor.inspect(file));
                    if (candidate.hasDebugInfo() && candidate.elf().buildId().isPresent()) {
                        inside.add(candidate);
                    }
                } catch (ExtractionException e) {
                    console.say(HostileText.quote(file.toString()) + " skipped: " + e.getMessage());
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new CommandFailure(
                    ExitCode.NOTHING_TO_SEND,
                    HostileText.quote(folder.toString()) + ": cannot be read: " + e.getMessage());
        }
        return inside;
    }

    private static boolean isElf(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return HexFormat.of().formatHex(in.readNBytes(4)).equals("7f454c46");
        }
    }

    private PushResult push(Candidate candidate, Set<BuildId> withDebugInfo, UploadClient uploads, boolean whole)
            throws CommandFailure {
        ElfFacts elf = candidate.elf();
        if (elf.buildId().isEmpty()) {
            return refused(candidate, "no_build_id", "it has no build-id; the linker writes one with --build-id");
        }
        BuildId buildId = elf.buildId().get();
        if (!candidate.hasDebugInfo()) {
            return withDebugInfo.contains(buildId)
                    ? new PushResult(
                            candidate.file(),
                            elf,
                            Status.NOT_NEEDED,
                            "stripped",
                            "its debug information is in another file",
                            0)
                    : refused(
                            candidate, "stripped", new DebugFileHint(extractor, files).describe(candidate.file(), elf));
        }
        console.progress("reading " + candidate.file());
        try {
            return whole ? pushWhole(candidate, buildId, uploads) : pushSlim(candidate, buildId, uploads);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.NOTHING_TO_SEND,
                    HostileText.quote(candidate.file().toString()) + ": cannot be read: " + e.getMessage());
        } finally {
            console.clearProgress();
        }
    }

    private static PushResult refused(Candidate candidate, String reason, String detail) {
        return new PushResult(candidate.file(), candidate.elf(), Status.REFUSED, reason, detail, 0);
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
                extractor.writeSlim(candidate.file(), out);
            } catch (ExtractionException e) {
                console.say(candidate.file() + " is sent whole: " + e.getMessage());
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
            advice = ofWhole.reason().equals("same_file") ? ofWhole : advice;
        }
        if (advice.status() != Status.TAKEN) {
            return new PushResult(
                    candidate.file(), candidate.elf(), advice.status(), advice.reason(), advice.detail(), 0);
        }
        UploadResult end = uploads.send(buildId, sha256, body(candidate.file(), body, bytes));
        return new PushResult(candidate.file(), candidate.elf(), end.status(), end.reason(), end.detail(), bytes);
    }

    private BodyPublisher body(Path file, Path body, long total) throws FileNotFoundException {
        String name = String.valueOf(file.getFileName());
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

    private void print(List<PushResult> results, int files, boolean asJson) throws IOException {
        console.clearProgress();
        if (asJson) {
            console.println(json(results, files).toString());
            return;
        }
        TextTable table = new TextTable("BUILD", "FILE", "RESULT", "SENT", "SIZE", "REASON");
        for (PushResult result : results) {
            table.add(
                    result.buildId(),
                    result.file().toString(),
                    result.status().word(),
                    result.sentBytes() == 0 ? "" : TextTable.size(result.sentBytes()),
                    TextTable.size(result.elf().fileBytes()),
                    result.detail());
        }
        table.print(console);
    }

    private static ObjectNode json(List<PushResult> results, int files) {
        ObjectNode document = JsonMapper.shared().createObjectNode();
        document.put("complete", results.size() == files && results.stream().noneMatch(PushResult::isRefused));
        ArrayNode list = document.putArray("files");
        for (PushResult result : results) {
            ObjectNode file = list.addObject();
            file.put("file", result.file().toString());
            result.elf().buildId().ifPresent(buildId -> file.put("buildId", buildId.toString()));
            file.put("arch", result.elf().architecture().machine());
            file.put("result", result.status().name().toLowerCase(Locale.ROOT));
            if (!result.reason().isEmpty()) {
                file.put("reason", result.reason());
            }
            if (!result.detail().isEmpty()) {
                file.put("detail", result.detail());
            }
            file.put("fileBytes", result.elf().fileBytes());
            file.put("sentBytes", result.sentBytes());
        }
        return document;
    }
}
