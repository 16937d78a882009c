package dev.offsetd.server.admin.shell;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.springframework.web.util.WebUtils;

/** The colours that somebody wants pages in. */
enum Theme {
    /** As the browser prefers. */
    AUTO,
    LIGHT,
    DARK;

    /** The cookie that remembers them. */
    static final String COOKIE = "offsetd-theme";

    /** Its name in cookies, forms and pages. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Its name for people. */
    String title() {
        return switch (this) {
            case AUTO -> "Auto";
            case LIGHT -> "Light";
            case DARK -> "Dark";
        };
    }

    static Optional<Theme> ofWord(String word) {
        return Arrays.stream(values())
                .filter(theme -> theme.word().equals(word))
                .findFirst();
    }

    /** What the request's cookie says, {@link #AUTO} if it says nothing known. */
    static Theme of(HttpServletRequest request) {
        Cookie cookie = WebUtils.getCookie(request, COOKIE);
        return cookie == null ? AUTO : ofWord(cookie.getValue()).orElse(AUTO);
    }
}
