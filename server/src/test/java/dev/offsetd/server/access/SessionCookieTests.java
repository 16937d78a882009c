package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import jakarta.servlet.http.Cookie;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

class SessionCookieTests {

    private static List<String> read(Stream<String> ids) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setCookies(ids.map(id ->
                        new Cookie("SESSION", Base64.getEncoder().encodeToString(id.getBytes(StandardCharsets.UTF_8))))
                .toArray(Cookie[]::new));
        return new PagesConfiguration.SessionCookie().readCookieValues(request);
    }

    @Test
    void wellFormedIdsAreRead() {
        String id = UUID.randomUUID().toString();
        assertThat(read(Stream.of(id))).containsExactly(id);
    }

    @Test
    void malformedIdsAreIgnored() {
        assertThat(read(Stream.of("", "a\0", "x".repeat(36), UUID.randomUUID() + "\0")))
                .isEmpty();
    }

    @Test
    @ChecklistRow(39)
    void fewIdsPerRequestAreLookedUp() {
        assertThat(read(Stream.generate(() -> UUID.randomUUID().toString()).limit(150)))
                .hasSize(4);
    }
}
