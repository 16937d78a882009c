package dev.offsetd.server.access;

import com.google.re2j.Pattern;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.session.web.http.DefaultCookieSerializer;

/**
 * The session cookie. Each id costs a database query, so malformed ids are ignored, and more than a browser would send: ours,
 * and cookies of the same name for parent domains.
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
