package dev.offsetd.server.admin;

import dev.offsetd.server.operations.Word;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.util.WebUtils;

/** Colour themes of the pages. */
enum Theme implements Word {
    /** The preference of the browser. */
    AUTO,
    LIGHT,
    DARK;

    /** Cookie that stores the choice. */
    static final String COOKIE = "offsetd-theme";

    /** Returns the label. */
    String title() {
        return switch (this) {
            case AUTO -> "Auto";
            case LIGHT -> "Light";
            case DARK -> "Dark";
        };
    }

    /** Returns the theme of the request's cookie; {@link #AUTO} if it has none. */
    static Theme of(HttpServletRequest request) {
        Cookie cookie = WebUtils.getCookie(request, COOKIE);
        return cookie == null ? AUTO : Word.find(Theme.class, cookie.getValue()).orElse(AUTO);
    }
}
