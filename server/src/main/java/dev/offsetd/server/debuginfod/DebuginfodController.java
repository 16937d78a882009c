package dev.offsetd.server.debuginfod;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.ElfSection;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.debuginfod.BuildFiles.ClientRequest;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.FileHeaders;
import dev.offsetd.server.sources.FileKind;
import dev.offsetd.server.sources.ForwardedFor;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.web.ByteRange;
import dev.offsetd.server.web.FileInput;
import dev.offsetd.server.web.PacedOutput;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Debuginfod's web API, as its clients use it. */
@RestController
@ConditionalOnProperty(name = "offsetd.debuginfod.enabled", matchIfMissing = true)
class DebuginfodController {

    private static final String MAX_SIZE = "X-DEBUGINFOD-MAXSIZE";
    private static final Pattern BYTES = Pattern.compile("[0-9]{1,18}");
    private static final int MAX_NAME_LENGTH = 255;

    /** A request counts as one more for so many bytes of its response. */
    private static final long BYTES_OF_A_REQUEST = 1 << 20;

    private static final String FROM_UPSTREAM = "public, max-age=3600";

    /** An upstream's file replaces an upload. */
    private static final String FROM_UPLOAD = "public, max-age=60";

    private final BuildFiles files;
    private final BuildKeys keys;
    private final FileContents contents;
    private final RateLimits limits;
    private final MeterRegistry meters;

    DebuginfodController(
            BuildFiles files, BuildKeys keys, FileContents contents, RateLimits limits, MeterRegistry meters) {
        this.files = files;
        this.keys = keys;
        this.contents = contents;
        this.limits = limits;
        this.meters = meters;
        // Registered at zero: a rate over a series that starts at 1 misses its first event.
        List.of("debuginfo", "executable", "section", "source").forEach(this::sentBytes);
    }

    @GetMapping("/buildid/{buildId}/debuginfo")
    void debuginfo(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        send(files.find(client(buildId, request), FileKind.DEBUGINFO), "debuginfo", request, response);
    }

    @GetMapping("/buildid/{buildId}/executable")
    void executable(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        send(files.find(client(buildId, request), FileKind.EXECUTABLE), "executable", request, response);
    }

    @GetMapping("/buildid/{buildId}/section/{name}")
    void section(
            @PathVariable String buildId,
            @PathVariable String name,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        ClientRequest client = client(buildId, request);
        if (name.length() > MAX_NAME_LENGTH) {
            throw bad(
                    "bad_section",
                    "section name of " + name.length() + " characters; expected at most " + MAX_NAME_LENGTH);
        }
        try (CachedFile file = withSection(client, name)) {
            ElfSection section = contents.section(file, name).orElseThrow();
            client.requireAtMost(section.bytes());
            String etag =
                    '"' + DigestUtils.sha256Hex(file.sha256() + ":" + section.offset() + ":" + section.bytes()) + '"';
            send(
                    new SentFile(file, section.offset(), section.bytes(), etag, cacheControl(file)),
                    "section",
                    request,
                    response);
        }
    }

    /** The path of a source file is absolute, and has no dot segments any more. */
    @GetMapping("/buildid/{buildId}/source/{*path}")
    void source(
            @PathVariable String buildId,
            @PathVariable String path,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        if (Arrays.stream(path.split("/", -1)).anyMatch(part -> part.equals(".") || part.equals(".."))) {
            throw bad("bad_path", "source path " + HostileText.quote(path) + "; expected no . or .. in it");
        }
        send(files.source(client(buildId, request), path), "source", request, response);
    }

    private ClientRequest client(String buildId, HttpServletRequest request) {
        BuildId id = BuildKeys.parseGnu(buildId);
        if (keys.isShared(id)) {
            throw keys.notUnique(id);
        }
        String maxSize = request.getHeader(MAX_SIZE);
        if (maxSize != null && !BYTES.matcher(maxSize).matches()) {
            throw bad("bad_size", MAX_SIZE + " " + HostileText.quote(maxSize) + "; expected a number of bytes");
        }
        // To elfutils' server, 0 means no limit.
        long bytes = maxSize == null ? 0 : Long.parseLong(maxSize);
        return new ClientRequest(
                id,
                bytes == 0 ? -1 : bytes,
                ForwardedFor.of(Collections.list(request.getHeaders(ForwardedFor.HEADER))),
                Caller.of(request));
    }

    private static ProblemException bad(String code, String detail) {
        return ProblemException.badRequest(code, "The request for a file is invalid", detail);
    }

    /** Looks on this server first, then fetches the debug file, then the executable. */
    private CachedFile withSection(ClientRequest client, String name) throws InterruptedException {
        Optional<CachedFile> here = files.withSection(client.id(), name);
        if (here.isPresent()) {
            return here.get();
        }
        ClientRequest unlimited = new ClientRequest(client.id(), -1, client.forwardedFor(), client.caller());
        ProblemException problem = new ProblemException(
                DebuginfodProblems.notFound("no file of this build has the section", Duration.ZERO));
        for (FileKind kind : List.of(FileKind.DEBUGINFO, FileKind.EXECUTABLE)) {
            CachedFile file;
            try {
                file = files.find(unlimited, kind);
            } catch (ProblemException e) {
                if (e.problem().status() != HttpStatus.NOT_FOUND) {
                    throw e;
                }
                continue;
            }
            if (contents.section(file, name).isPresent()) {
                return file;
            }
            file.close();
            if (FileContents.isDebugInfo(name) || name.equals(".gdb_index")) {
                // The executable cannot have it.
                throw problem;
            }
        }
        throw problem;
    }

    private void send(CachedFile file, String kind, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        try (file) {
            send(
                    new SentFile(file, 0, file.bytes(), '"' + file.sha256() + '"', cacheControl(file)),
                    kind,
                    request,
                    response);
        }
    }

    private void send(SentFile file, String kind, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        long sent = file.send(request, response);
        sentBytes(kind).increment((double) sent);
        limits.charge(Caller.of(request), sent / BYTES_OF_A_REQUEST);
    }

    private static String cacheControl(CachedFile file) {
        return file.source().equals(Origin.UPLOAD.word()) ? FROM_UPLOAD : FROM_UPSTREAM;
    }

    private Counter sentBytes(String kind) {
        return Counter.builder("offsetd.debuginfod.bytes")
                .description("Bytes of files sent to debuginfod's clients")
                .baseUnit("bytes")
                .tag("kind", kind)
                .register(meters);
    }

    /**
     * A part of a file as the representation of a resource, sent whole or as one range of it (RFC 9110 section 14).
     *
     * @param offset bytes from the start of the file
     * @param etag validator, in quotes
     * @param cacheControl value of {@code Cache-Control}
     */
    private record SentFile(CachedFile file, long offset, long bytes, String etag, String cacheControl) {

        private static final String SIZE = "X-DEBUGINFOD-SIZE";

        /** Sends the response and returns the number of bytes of its body. */
        long send(HttpServletRequest request, HttpServletResponse response) throws IOException {
            ByteRange sent = ByteRange.begin(request, response, etag, bytes, _ -> DebuginfodProblems.outside(bytes));
            response.setHeader(HttpHeaders.CACHE_CONTROL, cacheControl);
            if (sent == null) {
                return 0;
            }
            response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
            response.setHeader(SIZE, Long.toString(bytes));
            set(response, FileHeaders.FILE, file.headers().file());
            set(response, FileHeaders.ARCHIVE, file.headers().archive());
            if (bytes == file.bytes()) {
                // Over the whole file.
                set(response, FileHeaders.IMA_SIGNATURE, file.headers().imaSignature());
            }
            response.setContentLengthLong(sent.length());
            if (HttpMethod.HEAD.matches(request.getMethod())) {
                return 0;
            }
            try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
                new FileInput(channel, offset + sent.first(), sent.length())
                        .transferTo(new PacedOutput(response.getOutputStream()));
            }
            return sent.length();
        }

        private static void set(HttpServletResponse response, String name, @Nullable String value) {
            if (value != null) {
                response.setHeader(name, value);
            }
        }
    }
}
