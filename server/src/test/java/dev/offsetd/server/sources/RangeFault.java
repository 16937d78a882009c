package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.Fault.Taken.BROKEN;
import static dev.offsetd.server.sources.Fault.Taken.REFUSED;
import static dev.offsetd.server.sources.Fault.Taken.TIMED_OUT;
import static dev.offsetd.server.sources.Fault.Taken.TOO_LARGE;

import dev.offsetd.server.sources.RangeUpstream.Part;
import java.io.IOException;

/**
 * Responses to a request for a range of a file that an upstream has begun to deliver, played by {@link RangeUpstream}, and the
 * outcomes that they must have.
 */
public enum RangeFault {
    // The range ends early.
    CUT(BROKEN, part -> part.partial(part.contentRange(), part.length(), part.half())),
    SHORT(BROKEN, part -> part.partial(part.contentRange(), part.half().length, part.half())),
    EMPTY(BROKEN, part -> part.partial(part.contentRange(), 0, new byte[0])),

    // The range is something else.
    WHOLE_FILE(BROKEN, part -> part.send(200, part.whole())),
    OTHER_RANGE(
            BROKEN,
            part -> part.partial("bytes 0-" + (part.length() - 1) + "/" + part.size(), part.length(), part.body())),
    OTHER_SIZE(BROKEN, part -> part.partial(part.contentRange(part.size() + 1), part.length(), part.body())),
    UNKNOWN_SIZE(
            BROKEN, part -> part.partial(part.contentRange().replaceFirst("/.*", "/*"), part.length(), part.body())),
    NO_CONTENT_RANGE(BROKEN, part -> part.send(206, part.body())),
    OTHER_ETAG(BROKEN, part -> part.with("ETag", "\"other\"").partial(part.contentRange(), part.length(), part.body())),
    OTHER_DATE(
            BROKEN,
            part -> part.with("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
                    .partial(part.contentRange(), part.length(), part.body())),
    CODED(
            BROKEN,
            part -> part.with("Content-Encoding", "gzip").partial(part.contentRange(), part.length(), part.body())),
    SEVERAL(
            BROKEN,
            part -> part.with("Content-Type", "multipart/byteranges; boundary=a")
                    .send(206, part.body())),

    // There is no range.
    MISS(BROKEN, part -> part.send(404, new byte[0])),
    GONE(BROKEN, part -> part.send(410, new byte[0])),
    NOT_MODIFIED(BROKEN, part -> part.send(304, new byte[0])),
    REDIRECT(BROKEN, part -> part.with("Location", "/elsewhere").send(302, new byte[0])),
    OVER_THE_LIMIT(TOO_LARGE, part -> part.send(406, new byte[0])),
    UNSATISFIABLE(
            REFUSED,
            part -> part.with("Content-Range", "bytes */" + part.size()).send(416, new byte[0])),
    BUSY(REFUSED, part -> part.send(503, new byte[0])),
    STALL(TIMED_OUT, part -> part.stall(part.half())),
    HANG(TIMED_OUT, Part::hang);

    /** Sends the response. */
    @FunctionalInterface
    interface Answer {
        void send(Part part) throws IOException, InterruptedException;
    }

    private final Fault.Taken taken;

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
    private final Answer answer;

    RangeFault(Fault.Taken taken, Answer answer) {
        this.taken = taken;
        this.answer = answer;
    }

    public Fault.Taken taken() {
        return taken;
    }

    void send(Part part) throws IOException, InterruptedException {
        answer.send(part);
    }
}
