package dev.offsetd.server.admin;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.springframework.web.util.WebUtils;

/** Colour themes of the pages. */
enum Theme {
    /** The preference of the browser. */
    AUTO,
    LIGHT,
    DARK;

    /** Cookie that stores the choice. */
    static final String COOKIE = "offsetd-theme";

    /** Returns the name in cookies and forms. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the label. */
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

    /** Returns the theme of the request's cookie; {@link #AUTO} if it has none. */
    static Theme of(HttpServletRequest request) {
        Cookie cookie = WebUtils.getCookie(request, COOKIE);
        return cookie == null ? AUTO : ofWord(cookie.getValue()).orElse(AUTO);
    }
}
