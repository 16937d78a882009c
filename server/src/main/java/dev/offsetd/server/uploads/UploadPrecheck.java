package dev.offsetd.server.uploads;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.api.model.UploadAdvice;
import dev.offsetd.server.api.model.UploadAdvice.ReasonEnum;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.builds.extraction.FrameReads;
import dev.offsetd.server.builds.extraction.StoredLayouts;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Advises a client whether the server would accept a file. */
@Component
class UploadPrecheck {

    private static final String SHA256 = "sha256";
    private static final String SIZE = "size";
    private static final long UNDER_WAY_RETRY_AFTER_SECONDS = 2;

    private final Builds builds;
    private final StoredLayouts layouts;
    private final FrameReads frames;
    private final SymbolizeProperties symbolize;
    private final UploadProperties properties;

    UploadPrecheck(
            Builds builds,
            StoredLayouts layouts,
            FrameReads frames,
            SymbolizeProperties symbolize,
            UploadProperties properties) {
        this.builds = builds;
        this.layouts = layouts;
        this.frames = frames;
        this.symbolize = symbolize;
        this.properties = properties;
    }

    /**
     * Description of a file by the client.
     *
     * @param sha256 lower-case hex; null if not given
     * @param bytes size of the file; null if not given
     */
    record FileDescription(
            @Nullable String sha256, @Nullable Long bytes) {

        static FileDescription of(HttpServletRequest request) {
            Map<String, String> parameters =
                    QueryString.parse(request.getQueryString(), Set.of(SHA256, SIZE), _ -> true);
            String sha256 = parameters.get(SHA256);
            if (sha256 != null && !Pattern.matches("[0-9a-fA-F]{64}", sha256)) {
                throw bad("bad_sha256", SHA256 + " " + HostileText.quote(sha256) + "; expected 64 hex digits");
            }
            String size = parameters.get(SIZE);
            if (size != null && !Pattern.matches("[0-9]{1,18}", size)) {
                throw bad("bad_size", SIZE + " " + HostileText.quote(size) + "; expected a number of bytes");
            }
            return new FileDescription(
                    sha256 == null ? null : sha256.toLowerCase(Locale.ROOT), size == null ? null : Long.valueOf(size));
        }

        private static ProblemException bad(String code, String detail) {
            return ProblemException.badRequest(code, "The description of the file is invalid", detail);
        }
    }

    UploadAdvice advise(BuildId id, FileDescription file, Caller caller) {
        Build build = builds.find(id).orElse(null);
        UploadAdvice advice = advise(id, build, file, caller);
        if (build == null || !build.paused() || !advice.getUpload()) {
            return advice;
        }
        return no(ReasonEnum.UNDER_WAY, "a server ended while it read a file of this build; the next one is read later")
                .retryAfter(build.retryAfter().toSeconds());
    }

    private UploadAdvice advise(BuildId id, @Nullable Build build, FileDescription file, Caller caller) {
        if (file.bytes() != null && file.bytes() > properties.maxSize().toBytes()) {
            return no(
                    ReasonEnum.TOO_LARGE,
                    "the file has " + file.bytes() + " bytes; the limit is "
                            + properties.maxSize().toBytes() + " (offsetd.uploads.max-size)");
        }
        if (build == null) {
            return yes(ReasonEnum.UNKNOWN_BUILD, "this build has not been requested yet");
        }
        StoredFile stored = build.file();
        if (stored != null) {
            boolean same = stored.sha256().equals(file.sha256());
            if (same && takesFrames() && frames.needFile(id)) {
                return yes(
                        ReasonEnum.NO_SOURCE_HAS_IT,
                        "no source has the file any more, from which the functions and lines of the build are read");
            }
            if (!same && stored.isClaimed()) {
                return yes(
                        ReasonEnum.NO_SOURCE_HAS_IT,
                        "the build is answered from a file without a build-id; any file with a note replaces it");
            }
            return !same && layouts.areFromProgram(id, build.generation())
                    ? yes(ReasonEnum.NO_SOURCE_HAS_IT, "the build has no debug information, only what the program says")
                    : compare(stored, file, caller);
        }
        if (build.running()) {
            return no(ReasonEnum.UNDER_WAY, "the sources are being queried, or another client uploads a file")
                    .retryAfter(UNDER_WAY_RETRY_AFTER_SECONDS);
        }
        // A file that cannot be read is refused again, by the reader of that day.
        SymbolsOnly symbols = build.symbolsOnly();
        if (symbols != null
                && symbols.file().sha256().equals(file.sha256())
                && build.failure() != null
                && build.failure().cause() == Cause.NO_DEBUGINFO) {
            return no(ReasonEnum.SAME_FILE, "this file has no debug information; its symbols are stored already");
        }
        return switch (build.state()) {
            case WANTED, EXTRACTED -> yes(ReasonEnum.UNKNOWN_BUILD, "no source has been queried for this build yet");
            case NOT_FOUND -> yes(ReasonEnum.NO_SOURCE_HAS_IT, "none of the sources has this build");
            case UNUSABLE ->
                yes(ReasonEnum.SOURCE_FILE_UNUSABLE, "a source has a file of this build, but it is unusable");
            case FAILED -> yes(ReasonEnum.SOURCES_FAILED, "the sources could not be queried");
        };
    }

    private boolean takesFrames() {
        return properties.keep() || symbolize.uploads(properties.keep());
    }

    /** Returns the advice for a build that another file answers for. */
    private UploadAdvice compare(StoredFile stored, FileDescription file, Caller caller) {
        boolean same = stored.sha256().equals(file.sha256());
        boolean renewable = UploadStore.isRenewable(stored, caller);
        if (same && !renewable) {
            return no(ReasonEnum.SAME_FILE, "the server already has this file");
        }
        Upload upload = stored.upload();
        if (upload == null && !stored.origin().outranksUploads()) {
            return yes(ReasonEnum.NO_SOURCE_HAS_IT, "no source that this server knows has this build");
        }
        if (upload == null) {
            return no(
                    stored.origin().isRemote() ? ReasonEnum.UPSTREAM_HAS_IT : ReasonEnum.LOCAL_FOLDER_HAS_IT,
                    answeredFrom(stored));
        }
        if (!upload.sameUploaderAs(caller.token(), caller.name())) {
            return no(ReasonEnum.OTHER_TOKEN, "an upload of " + HostileText.quote(upload.label()) + " answers");
        }
        return yes(
                ReasonEnum.OWN_UPLOAD,
                renewable
                        ? "an earlier extractor read the stored file; the same file would be read again"
                        : "an upload of this token answers; a file with more debug information would replace it");
    }

    private static String answeredFrom(StoredFile stored) {
        return "the build is answered from " + stored.upstream();
    }

    private UploadAdvice yes(ReasonEnum reason, String detail) {
        return new UploadAdvice(true, reason, detail, properties.maxSize().toBytes());
    }

    private UploadAdvice no(ReasonEnum reason, String detail) {
        return new UploadAdvice(false, reason, detail, properties.maxSize().toBytes());
    }
}
