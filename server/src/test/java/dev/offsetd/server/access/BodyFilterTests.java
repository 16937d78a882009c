package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.web.BodyParsing;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.unit.DataSize;

/** Large bodies keep their places while they are parsed. */
class BodyFilterTests {

    /** More than the share of one client. */
    private static final int MOST = 200;

    private static final byte[] BODY =
            ("\"" + "x".repeat(BodyParsing.SMALL_BYTES) + "\"").getBytes(StandardCharsets.UTF_8);

    /** Bodies that are parsed at once, each while another one is. */
    private final AtomicInteger parsed = new AtomicInteger();

    private final BodyParsing parsing = new BodyParsing() {
        @Override
        public <T> T run(Supplier<T> work) {
            if (parsed.incrementAndGet() < MOST) {
                read();
            }
            return work.get();
        }
    };

    private final BodyFilter filter =
            new BodyFilter(new BodyProperties(DataSize.ofBytes(1), Duration.ofHours(1)), parsing);

    private @Nullable ProblemException refused;

    private void read() {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/v1/offsets");
        request.setContent(BODY);
        try {
            filter.doFilter(request, new MockHttpServletResponse(), (wrapped, _) -> {
                try {
                    JsonBody.read((HttpServletRequest) wrapped, 1 << 20, "a string");
                } catch (ProblemException e) {
                    refused = e;
                }
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void clientWhoseLargeBodiesAreParsedIsRefusedMoreThanItsShare() {
        read();

        Objects.requireNonNull(refused);
        assertThat(refused.problem().status().value()).isEqualTo(503);
        assertThat(refused.problem().detail()).contains("its share of the places for large request bodies: " + parsed);

        int before = parsed.getAndSet(MOST);
        refused = null;
        for (int i = 0; i < before + 1; i++) {
            read();
        }
        assertThat(refused).as("places are given back").isNull();
    }
}
