package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.session.web.http.DefaultCookieSerializer;

/**
 * The cookie with the id of a session. Each id is looked up in the database, so only what may be one is taken for one, and
 * no more than a browser could have: one of ours, and others' by the same name for a domain above.
 */
final class SessionCookie extends DefaultCookieSerializer {

    private static final int MAX_IDS = 4;

    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    @Override
    public List<String> readCookieValues(HttpServletRequest request) {
        return super.readCookieValues(request).stream()
                .filter(id -> ID.matcher(id).matches())
                .limit(MAX_IDS)
                .toList();
    }
}
