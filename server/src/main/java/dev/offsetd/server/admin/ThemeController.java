package dev.offsetd.server.admin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.util.WebUtils;

/** Stores the chosen theme in a cookie. */
@Controller
class ThemeController {

    private static final Duration MAX_AGE = Duration.ofDays(365);

    @PostMapping("/admin/theme")
    ResponseEntity<Void> choose(
            @RequestParam("theme") String word,
            @RequestParam(name = "back", defaultValue = "/admin") String back,
            HttpServletRequest request) {
        Theme theme = Word.find(Theme.class, word)
                .orElseThrow(() -> ProblemException.badRequest(
                        "bad_theme",
                        "Unknown theme",
                        "theme " + HostileText.quote(word) + "; expected "
                                + Arrays.stream(Theme.values()).map(Theme::word).collect(Collectors.joining(", "))));
        ResponseCookie cookie = ResponseCookie.from(Theme.COOKIE, theme.word())
                .path("/admin")
                .maxAge(MAX_AGE)
                .httpOnly(true)
                .sameSite("Lax")
                .secure(request.isSecure())
                .build();
        return ResponseEntity.status(HttpStatus.SEE_OTHER)
                .header(HttpHeaders.SET_COOKIE, cookie.toString())
                .location(URI.create(LocalPath.of(back)))
                .build();
    }

    /** Colour themes of the pages. */
    enum Theme implements Word {
        /** The preference of the browser. */
        AUTO,
        LIGHT,
        DARK;

        /** Cookie that stores the choice. */
        static final String COOKIE = "offsetd-theme";

        public String title() {
            return switch (this) {
                case AUTO -> "Auto";
                case LIGHT -> "Light";
                case DARK -> "Dark";
            };
        }

        /** Returns the theme of the request's cookie; {@link #AUTO} if it has none. */
        static Theme of(HttpServletRequest request) {
            Cookie cookie = WebUtils.getCookie(request, COOKIE);
            return cookie == null
                    ? AUTO
                    : Word.find(Theme.class, cookie.getValue()).orElse(AUTO);
        }
    }
}
