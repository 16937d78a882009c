package dev.offsetd.server.admin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.util.WebUtils;

/** Stores the chosen theme in a cookie. */
@Controller
class ThemeController {

    private static final Duration MAX_AGE = Duration.ofDays(365);

    @PostMapping("/admin/theme")
    String choose(
            @RequestParam("theme") String word,
            @RequestParam(name = "back", defaultValue = "/admin") String back,
            HttpServletRequest request,
            HttpServletResponse response) {
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
        response.addHeader(HttpHeaders.SET_COOKIE, cookie.toString());
        return SeeOther.to(request, LocalPath.of(back));
    }

    /** Colour themes of the pages. */
    enum Theme implements Word {
        /** The preference of the browser. */
        AUTO,
        LIGHT,
        DARK;

        /** Cookie that stores the choice. */
        static final String COOKIE = "offsetd-theme";

        /** Returns the theme of the request's cookie; {@link #AUTO} if it has none. */
        static Theme of(HttpServletRequest request) {
            Cookie cookie = WebUtils.getCookie(request, COOKIE);
            return cookie == null
                    ? AUTO
                    : Word.find(Theme.class, cookie.getValue()).orElse(AUTO);
        }
    }
}
