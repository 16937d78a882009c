package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

/** Large bodies are not parsed on the thread of their request. */
class BodyParsingTests {

    private final AtomicInteger elsewhere = new AtomicInteger();

    private final BodyParsing parsing = new BodyParsing() {
        @Override
        public <T> T run(Supplier<T> work) {
            elsewhere.incrementAndGet();
            return work.get();
        }
    };

    private MockHttpServletRequest request(String body) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/");
        request.setContent(body.getBytes(StandardCharsets.UTF_8));
        parsing.install(request);
        return request;
    }

    @Test
    void largeBodyIsParsedElsewhere() throws Exception {
        String text = "a".repeat(BodyParsing.SMALL_BYTES);
        assertThat(JsonBody.read(request('"' + text + '"'), 1 << 20, "a string").asString())
                .isEqualTo(text);
        assertThat(elsewhere).hasValue(1);
    }

    @Test
    void smallBodyIsParsedAtOnce() throws Exception {
        assertThat(JsonBody.read(request("[1]"), 1 << 20, "an array").size()).isEqualTo(1);
        assertThat(elsewhere).hasValue(0);
    }

    @Test
    void faultOfALargeBodyIsAProblem() {
        assertThatThrownBy(() -> JsonBody.read(request("[".repeat(BodyParsing.SMALL_BYTES + 1)), 1 << 20, "an array"))
                .isInstanceOf(ProblemException.class);
    }
}
