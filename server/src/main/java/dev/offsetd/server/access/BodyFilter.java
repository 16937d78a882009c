package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Route.Role;
import dev.offsetd.server.web.BodyParsing;
import dev.offsetd.server.web.Pace;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemBody;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Bounds what senders of bodies hold: a sender that is too slow is answered 408, and large bodies that everyone may send, which
 * are read into memory, need a {@linkplain Shares place} from their {@value #SMALL_BYTES}th byte on until they are parsed.
 */
final class BodyFilter extends OncePerRequestFilter {

    /** Attribute of a request whose body is not read to its end because its sender is too slow. */
    static final String ABANDONED = BodyFilter.class.getName();

    /** Bytes of a body that need no place. Most bodies are smaller. */
    private static final int SMALL_BYTES = 64 << 10;

    /** Largest body that is read into memory. */
    private static final int LARGE_BYTES = 4 << 20;

    private static final int MOST = 256;

    private final BodyProperties limits;
    private final BodyParsing parsing;
    private final Shares large =
            new Shares("large request bodies", Math.clamp(Runtime.getRuntime().maxMemory() / 8 / LARGE_BYTES, 2, MOST));

    BodyFilter(BodyProperties limits, BodyParsing parsing) {
        this.limits = limits;
        this.parsing = parsing;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getContentLengthLong() <= 0 && request.getHeader(HttpHeaders.TRANSFER_ENCODING) == null;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String coding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
        if (coding != null && !coding.strip().equalsIgnoreCase("identity")) {
            ProblemBody.write(coded(coding), request, response);
            return;
        }
        PacedRequest paced = new PacedRequest(request);
        parsing.install(paced);
        try {
            chain.doFilter(paced, response);
        } finally {
            paced.leave();
        }
    }

    private static Problem coded(String coding) {
        return Problem.of(
                        HttpStatus.UNSUPPORTED_MEDIA_TYPE,
                        "unsupported_coding",
                        "The body is encoded",
                        "Content-Encoding " + HostileText.quote(coding) + "; expected none")
                .with("accepted", List.of("identity"))
                // The codings that are accepted (RFC 9110 §12.5.3).
                .withHeader(HttpHeaders.ACCEPT_ENCODING, "identity");
    }

    /** Returns whether the route is for all readers. Uploads have places of their own, and administrators are trusted. */
    private static boolean isReading(HttpServletRequest request) {
        return Routes.of(request).filter(route -> route.role() == Role.READER).isPresent();
    }

    private final class PacedRequest extends HttpServletRequestWrapper {

        private @Nullable PacedBody body;

        PacedRequest(HttpServletRequest request) {
            super(request);
        }

        @Override
        public ServletInputStream getInputStream() throws IOException {
            if (body == null) {
                body = new PacedBody(super.getInputStream(), this);
            }
            return body;
        }

        void leave() {
            if (body != null) {
                body.leave();
            }
        }
    }

    private final class PacedBody extends ServletInputStream {

        private final ServletInputStream body;
        private final HttpServletRequest request;
        private final boolean needsPlace;
        private final Pace pace = new Pace(limits.minRate().toBytes(), limits.grace());
        private long received;
        private Shares.@Nullable Place place;

        PacedBody(ServletInputStream body, HttpServletRequest request) {
            this.body = body;
            this.request = request;
            this.needsPlace = isReading(request);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            long start = System.nanoTime();
            int read;
            try {
                read = body.read(into, from, length);
            } catch (IOException e) {
                // Tomcat wraps the timeout of the connector.
                if (e instanceof SocketTimeoutException || e.getCause() instanceof SocketTimeoutException) {
                    throw tooSlow();
                }
                throw e;
            }
            if (!pace.keeps(Math.max(read, 0), System.nanoTime() - start)) {
                throw tooSlow();
            }
            received += Math.max(read, 0);
            if (needsPlace && place == null && received > SMALL_BYTES) {
                place = large.take(Caller.of(request));
            }
            return read;
        }

        /** Gives the place back: the body is parsed. */
        @Override
        public void close() {
            leave();
        }

        void leave() {
            if (place != null) {
                place.close();
            }
        }

        private ProblemException tooSlow() {
            request.setAttribute(ABANDONED, true);
            return ProblemException.of(
                    HttpStatus.REQUEST_TIMEOUT,
                    "too_slow",
                    "The body took too long",
                    "the body arrives too slowly; expected at least " + pace);
        }

        @Override
        public boolean isFinished() {
            return body.isFinished();
        }

        @Override
        public boolean isReady() {
            return body.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            body.setReadListener(listener);
        }
    }
}
