package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.Fault.Taken.BROKEN;
import static dev.offsetd.server.sources.Fault.Taken.NOT_FOUND;
import static dev.offsetd.server.sources.Fault.Taken.REFUSED;
import static dev.offsetd.server.sources.Fault.Taken.TIMED_OUT;
import static dev.offsetd.server.sources.Fault.Taken.TOO_LARGE;
import static dev.offsetd.server.sources.FaultServer.BOMB_BYTES;
import static dev.offsetd.server.sources.FaultServer.chunked;
import static dev.offsetd.server.sources.FaultServer.gzip;
import static dev.offsetd.server.sources.FaultServer.length;
import static dev.offsetd.server.sources.FaultServer.size;

import dev.offsetd.extractor.builds.BuildId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Responses of hostile or broken upstreams, played by {@link FaultServer}, and the outcomes that they must have.
 */
public enum Fault {
    // The body ends early.
    TRUNC_CL(BROKEN, x -> x.send("200 OK", List.of(length(x.file())), x.half())),
    TRUNC_NOCL(BROKEN, x -> x.send("200 OK", List.of(size(x.file().length)), x.half())),
    TRUNC_BARE(BROKEN, x -> x.send("200 OK", List.of(), x.half())),
    GZIP_CUT(BROKEN, x -> {
        byte[] packed = gzip(x.file());
        x.send("200 OK", List.of(Texts.GZIP), Arrays.copyOf(packed, packed.length / 2));
    }),
    CHUNKED_CUT(BROKEN, x -> x.send("200 OK", List.of(Texts.CHUNKED), chunked(x.half(), "1f40\r\nhalf a chunk"))),
    CLOSED(BROKEN, x -> {
        // The server closes the connection without a response.
    }),
    RESET(BROKEN, FaultServer.Exchange::reset),
    RESET_BODY(BROKEN, x -> {
        x.send("200 OK", List.of(length(x.file())), x.half());
        // Data in transit may be lost when a connection is reset.
        Thread.sleep(100);
        x.reset();
    }),

    // The body is something else.
    WRONGID(BROKEN, x -> x.send("200 OK", List.of(length(x.otherFile())), x.otherFile())),
    WRONGMACHINE(BROKEN, x -> {
        byte[] impossible = TestElf.withMachine(x.file(), TestElf.EM_S390);
        x.send("200 OK", List.of(length(impossible)), impossible);
    }),
    NOID(BROKEN, x -> {
        byte[] anonymous = TestElf.withoutBuildId();
        x.send("200 OK", List.of(length(anonymous)), anonymous);
    }),
    TEXT200(BROKEN, x -> {
        byte[] page = Texts.ascii("<html>please log in</html>\u0007\n");
        x.send("200 OK", List.of("Content-Type: text/html", length(page)), page);
    }),
    EMPTY200(BROKEN, x -> x.send("200 OK", List.of("Content-Length: 0"))),
    BADSIZE(BROKEN, x -> x.send("200 OK", List.of(length(x.file()), "X-DEBUGINFOD-SIZE: many"), x.file())),
    BADCODING(BROKEN, x -> x.send("200 OK", List.of(length(x.file()), "Content-Encoding: br"), x.file())),
    NOTGZIP(BROKEN, x -> x.send("200 OK", List.of(length(x.file()), Texts.GZIP), x.file())),
    GZIP_BAD_CRC(BROKEN, x -> {
        byte[] packed = gzip(x.file());
        packed[packed.length - 8] ^= 1;
        x.send("200 OK", List.of(length(packed), Texts.GZIP), packed);
    }),
    GZIP_TRAILING(BROKEN, x -> {
        byte[] packed = gzip(x.file());
        byte[] more = Arrays.copyOf(packed, packed.length + 100);
        x.send("200 OK", List.of(length(more), Texts.GZIP), more);
    }),

    // The response is not HTTP, or not correct HTTP.
    GARBAGE(BROKEN, x -> x.write("SSH-2.0-OpenSSH\u001b[31m\r\n\r\n")),
    HTTP_0_9(BROKEN, x -> x.write(x.file())),
    HTTP_2(BROKEN, x -> x.write(Texts.ascii("\0\0\0\u0004\0\0\0\0\0"))),
    STATUS_NEGATIVE(BROKEN, x -> x.send("-12 Negative", List.of("Content-Length: 0"))),
    STATUS_ZERO(BROKEN, x -> x.send("000 Nothing", List.of("Content-Length: 0"))),
    STATUS_TEXT(BROKEN, x -> x.send("abc Text", List.of("Content-Length: 0"))),
    STATUS_LONG(BROKEN, x -> x.send("2000 Many", List.of("Content-Length: 0"))),
    STATUS_101(BROKEN, x -> x.send("101 Switching", List.of("Connection: upgrade", "Upgrade: h2c"))),
    STATUS_204_WITH_BODY(BROKEN, x -> x.send("204 No Content", List.of(length(x.file())), x.file())),
    STATUS_206(BROKEN, x -> x.send("206 Partial Content", List.of(length(x.half())), x.half())),
    STATUS_304(BROKEN, x -> x.send("304 Not Modified", List.of())),
    LENGTH_NEGATIVE(BROKEN, x -> x.send("200 OK", List.of("Content-Length: -5"), x.file())),
    LENGTH_TEXT(BROKEN, x -> x.send("200 OK", List.of("Content-Length: many"), x.file())),
    LENGTH_HUGE(BROKEN, x -> x.send("200 OK", List.of("Content-Length: " + Texts.TWENTY_DIGITS), x.file())),
    LENGTH_TWICE(BROKEN, x -> x.send("200 OK", List.of("Content-Length: 1", length(x.file())), x.file())),
    LENGTH_SHORT(BROKEN, x -> x.send("200 OK", List.of("Content-Length: 100"), x.file())),
    SIZE_NEGATIVE(BROKEN, x -> x.send("200 OK", List.of("X-DEBUGINFOD-SIZE: -5"), x.file())),
    SIZE_HUGE(BROKEN, x -> x.send("200 OK", List.of("X-DEBUGINFOD-SIZE: " + Texts.TWENTY_DIGITS), x.file())),
    CHUNK_NEGATIVE(BROKEN, x -> x.send("200 OK", List.of(Texts.CHUNKED), Texts.ascii("-5\r\nabcde\r\n0\r\n\r\n"))),
    CHUNK_TEXT(BROKEN, x -> x.send("200 OK", List.of(Texts.CHUNKED), Texts.ascii("many\r\nabcde\r\n0\r\n\r\n"))),
    CHUNK_OVERFLOW(
            BROKEN, x -> x.send("200 OK", List.of(Texts.CHUNKED), Texts.ascii("ffffffffffffffffff\r\nabcde\r\n"))),
    CHUNK_MAX(BROKEN, x -> x.send("200 OK", List.of(Texts.CHUNKED), Texts.ascii("ffffffffffffffff\r\nabcde\r\n"))),
    CHUNK_WITHOUT_END(
            BROKEN, x -> x.send("200 OK", List.of(Texts.CHUNKED), Texts.ascii("5\r\nabcdefghij\r\n0\r\n\r\n"))),
    ERROR_LENGTH_NEGATIVE(BROKEN, x -> x.send("500 Error", List.of("Content-Length: -5"), x.half())),
    MISS_LENGTH_NEGATIVE(BROKEN, x -> x.send("404 Not Found", List.of("Content-Length: -5"), x.half())),

    // Endless data outside of the body. Each continues until the client disconnects.
    STATUS_LINE_ENDLESS(BROKEN, x -> x.forever("HTTP/1.1 200 ", "a")),
    GARBAGE_ENDLESS(BROKEN, x -> x.forever("", "\u0001")),
    HEADERFLOOD(BROKEN, x -> x.send("200 OK", Texts.flood(20 << 10, x.file()), x.file())),
    HEADERFLOOD_HUGE(BROKEN, x -> x.send("200 OK", Texts.flood(1 << 20, x.file()), x.file())),
    HEADER_ENDLESS(BROKEN, x -> x.forever("HTTP/1.1 200 OK\r\nX-Long: ", "a")),
    HEADERS_ENDLESS(BROKEN, x -> x.forever("HTTP/1.1 200 OK\r\n", "X-Many: a\r\n")),
    EARLY_HINTS_ENDLESS(BROKEN, x -> x.forever("", "HTTP/1.1 103 Early Hints\r\n\r\n")),
    CONTINUE_ENDLESS(BROKEN, x -> x.forever("", "HTTP/1.1 100 Continue\r\n\r\n")),
    CHUNK_SIZE_ENDLESS(BROKEN, x -> x.forever(Texts.CHUNKED_HEAD, "0")),
    CHUNK_EXTENSION_ENDLESS(BROKEN, x -> x.forever(Texts.CHUNKED_HEAD + "5;", "a")),
    CHUNK_END_ENDLESS(BROKEN, x -> x.forever(Texts.CHUNKED_HEAD + "5\r\nabcde", "a")),
    TRAILER_ENDLESS(BROKEN, x -> {
        x.write(Texts.CHUNKED_HEAD);
        x.write(chunked(x.file(), "0\r\n"));
        x.forever("X-Long: ", "a");
    }),
    TRAILERS_ENDLESS(BROKEN, x -> {
        x.write(Texts.CHUNKED_HEAD);
        x.write(chunked(x.file(), "0\r\n"));
        x.forever("", "X-Many: a\r\n");
    }),
    GZIP_NAME_ENDLESS(BROKEN, x -> x.forever(Texts.gzipHead(8), "a")),
    GZIP_COMMENT_ENDLESS(BROKEN, x -> x.forever(Texts.gzipHead(16), "a")),
    // Stored blocks of no bytes (RFC 1951 section 3.2.4).
    GZIP_BLOCKS_ENDLESS(BROKEN, x -> x.forever(Texts.gzipHead(0), "\0\0\0\u00ff\u00ff")),
    GZIP_MEMBERS_ENDLESS(BROKEN, x -> x.forever(Texts.GZIP_OK, Texts.latin(gzip(new byte[0])))),
    REDIRECT_BODY_ENDLESS(BROKEN, x -> x.forever(Texts.redirectHead("/loop"), "1\r\na\r\n")),
    MISS_BODY_ENDLESS(NOT_FOUND, x -> x.forever(Texts.chunkedHead("404 Not Found"), "1\r\na\r\n")),
    ERROR_BODY_ENDLESS(REFUSED, x -> x.forever(Texts.chunkedHead("500 Error"), "1\r\na\r\n")),
    ERROR_CHUNK_ENDLESS(REFUSED, x -> x.forever(Texts.chunkedHead("500 Error") + "5;", "a")),

    // Too much of the body.
    BOMB(TOO_LARGE, x -> x.send("200 OK", List.of(Texts.GZIP, length(Texts.bomb())), Texts.bomb())),
    BOMB_NOCL(TOO_LARGE, x -> {
        x.send("200 OK", List.of(), x.file());
        x.forever("", "bomb");
    }),
    OVERSIZE(TOO_LARGE, x -> x.send("200 OK", List.of("Content-Encoding: identity", size(BOMB_BYTES)))),

    // Too slow.
    HANG(TIMED_OUT, FaultServer.Exchange::hang),
    HEADERDRIP(TIMED_OUT, x -> x.drip("HTTP/1.1 200 OK\r\nX-Slow: " + "x".repeat(10_000))),
    EARLY_HINTS_DRIP(TIMED_OUT, x -> x.drip("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(400))),
    STALL(TIMED_OUT, x -> {
        x.send("200 OK", List.of(length(x.file())), x.half());
        x.hang();
    }),
    SLOW(TIMED_OUT, x -> {
        x.send("200 OK", List.of("Content-Length: 10000"));
        x.drip("x".repeat(10_000));
    }),
    CHUNK_DRIP(TIMED_OUT, x -> {
        x.write(Texts.CHUNKED_HEAD);
        x.drip("5;" + "x".repeat(10_000));
    }),
    REDIRECT_STALL(TIMED_OUT, x -> {
        x.write("HTTP/1.1 302 Found\r\nLocation: /hang" + x.rest() + "\r\nContent-Length: 0\r\n\r\n");
        x.hang();
    }),

    // Invalid redirects.
    LOOP(BROKEN, x -> x.redirect("/loop" + x.rest())),
    REDIR4(BROKEN, x -> x.redirect("/redir3" + x.rest())),
    REDIR_FILE(BROKEN, x -> x.redirect("file:///etc/passwd")),
    REDIR_NOWHERE(BROKEN, x -> x.send("302 Found", List.of("Content-Length: 0"))),
    REDIR_EMPTY(BROKEN, x -> x.redirect("")),
    REDIR_BRACKET(BROKEN, x -> x.redirect("http://[::1")),
    REDIR_PORT(BROKEN, x -> x.redirect("http://127.0.0.1:99999/")),
    REDIR_DIGITS(BROKEN, x -> x.redirect("http://127.0.0.1:" + Texts.TWENTY_DIGITS + "/")),
    REDIR_LONG(BROKEN, x -> x.redirect("http://" + "a".repeat(10_000) + ".invalid/")),
    REDIR_CONTROLS(BROKEN, x -> x.redirect("http://\u0001\u001b[31m\u007f/")),
    REDIR_PERCENT(BROKEN, x -> x.redirect("http://%00%zz/%")),
    REDIR_SELF_IN_USERINFO(BROKEN, x -> x.redirect("http://user:secret@[fe80::1%25eth0]/")),

    // An error with an invalid Retry-After.
    RETRY_AFTER_DIGITS(REFUSED, x -> x.refuse("503 Busy", Texts.TWENTY_DIGITS)),
    RETRY_AFTER_DIGITS_429(REFUSED, x -> x.refuse("429 Too Many", Texts.TWENTY_DIGITS)),
    RETRY_AFTER_DIGITS_408(REFUSED, x -> x.refuse("408 Slow", Texts.TWENTY_DIGITS)),
    RETRY_AFTER_INT_OVERFLOW(REFUSED, x -> x.refuse("503 Busy", "2147483648")),
    RETRY_AFTER_NEGATIVE(REFUSED, x -> x.refuse("503 Busy", "-5")),
    RETRY_AFTER_TEXT(REFUSED, x -> x.refuse("503 Busy", "soon")),
    RETRY_AFTER_FAR(REFUSED, x -> x.refuse("503 Busy", "Fri, 31 Dec 9999 23:59:59 GMT")),
    RETRY_AFTER_NOW(REFUSED, x -> x.refuse("503 Busy", "0"));

    /** Expected outcome of a fault. */
    public enum Taken {
        /** {@link dev.offsetd.server.sources.outcome.Cause#UPSTREAM_BROKEN}. */
        BROKEN,
        /** {@link FetchOutcome.Refused}. */
        REFUSED,
        /** {@link FetchOutcome.NotFound}, whatever the body is. */
        NOT_FOUND,
        /** {@link dev.offsetd.server.sources.outcome.Cause#TOO_LARGE}; needs a limit below {@link FaultServer#BOMB_BYTES}. */
        TOO_LARGE,
        /** {@link dev.offsetd.server.sources.outcome.Cause#UPSTREAM_SILENT}, after the timeouts of the client. */
        TIMED_OUT
    }

    /** Sends the fault over one connection. */
    @FunctionalInterface
    interface Answer {
        void send(FaultServer.Exchange exchange) throws IOException, InterruptedException;
    }

    private static final Map<String, Fault> BY_MODE =
            Stream.of(values()).collect(Collectors.toMap(Fault::mode, Function.identity()));

    private final Taken taken;

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
    private final Answer answer;

    Fault(Taken taken, Answer answer) {
        this.taken = taken;
        this.answer = answer;
    }

    public Taken taken() {
        return taken;
    }

    /** Returns its mode at a {@link FaultServer}: the first part of the path. */
    public String mode() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the upstream sends data outside of the body until the client disconnects. */
    public boolean isEndless() {
        return name().endsWith("_ENDLESS");
    }

    /**
     * Returns the fault of a build in the mode {@link FaultServer#BY_BUILD}: constant for a build-id, and uniformly distributed.
     */
    public static Fault of(BuildId id) {
        return values()[Math.floorMod(Arrays.hashCode(id.toBytes()), values().length)];
    }

    /** Returns the fault of a mode, or null if there is none. */
    static @Nullable Fault ofMode(String mode) {
        return BY_MODE.get(mode);
    }

    void send(FaultServer.Exchange exchange) throws IOException, InterruptedException {
        answer.send(exchange);
    }

    /** Parts of responses. An enum's constants cannot use its own static fields. */
    private static final class Texts {

        static final String CHUNKED = "Transfer-Encoding: chunked";
        static final String GZIP = "Content-Encoding: gzip";
        static final String GZIP_OK = "HTTP/1.1 200 OK\r\n" + GZIP + "\r\n\r\n";
        static final String CHUNKED_HEAD = chunkedHead("200 OK");

        /** More than a long can hold. */
        static final String TWENTY_DIGITS = "99999999999999999999";

        /** Compressed once, on first use. */
        private static byte[] packedBomb = new byte[0];

        private Texts() {}

        static synchronized byte[] bomb() {
            if (packedBomb.length == 0) {
                packedBomb = gzip(new byte[BOMB_BYTES]);
            }
            return packedBomb;
        }

        static String chunkedHead(String status) {
            return "HTTP/1.1 " + status + "\r\n" + CHUNKED + "\r\n\r\n";
        }

        static String redirectHead(String target) {
            return "HTTP/1.1 302 Found\r\nLocation: " + target + "/\r\n" + CHUNKED + "\r\n\r\n";
        }

        /** Returns status, headers, and a gzip header with these flags (RFC 1952 section 2.3). */
        static String gzipHead(int flags) {
            return GZIP_OK + "\u001f\u008b\b" + (char) flags + "\0\0\0\0\0\u00ff";
        }

        static List<String> flood(int bytes, byte[] file) {
            List<String> headers = new ArrayList<>();
            headers.add(length(file));
            for (int i = 0; i < bytes / 64; i++) {
                headers.add(String.format(Locale.ROOT, "X-Flood-%04d: %s", i, "x".repeat(48)));
            }
            return headers;
        }

        static byte[] ascii(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }

        static String latin(byte[] bytes) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }
}
