package dev.offsetd.server.admin.shell;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ModelAttribute;
import tools.jackson.databind.json.JsonMapper;

/** What the frame around every page shows. */
@ControllerAdvice("dev.offsetd.server.admin")
class PageFrame {

    private static final JsonMapper JSON = JsonMapper.shared();

    @ModelAttribute
    void addTo(Model model, HttpServletRequest request) {
        model.addAllAttributes(attributes(request));
    }

    /** The attributes that the frame's templates read. */
    static Map<String, Object> attributes(HttpServletRequest request) {
        Caller caller = Caller.of(request);
        Map<String, Object> attributes = new LinkedHashMap<>();
        attributes.put("theme", Theme.of(request).word());
        attributes.put(
                "themes",
                Arrays.stream(Theme.values())
                        .map(theme -> new Choice(theme.word(), theme.title()))
                        .toList());
        attributes.put("navigation", Navigation.of(caller.scopes()));
        attributes.put("here", here(request));
        // Of a request that is not let in, and so has no name, only the bare page is shown.
        if (!caller.scopes().isEmpty()) {
            attributes.put("me", Me.of(caller));
        }
        String headers = csrfHeaders(request);
        if (headers != null) {
            attributes.put("csrfHeaders", headers);
        }
        return attributes;
    }

    /** The page that is shown, to come back to. */
    private static String here(HttpServletRequest request) {
        String query = request.getQueryString();
        return "GET".equals(request.getMethod())
                ? request.getRequestURI() + (query == null ? "" : '?' + query)
                : "/admin";
    }

    /** The header that what a script sends must have, as JSON; null where nothing is to be sent. */
    private static @Nullable String csrfHeaders(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? JSON.writeValueAsString(Collections.singletonMap(token.getHeaderName(), token.getToken()))
                : null;
    }

    /** Colours that can be chosen. */
    record Choice(String word, String title) {}

    /**
     * Who is signed in.
     *
     * @param role the highest of their scopes
     */
    record Me(String name, String role, boolean publisher, boolean admin) {

        static Me of(Caller caller) {
            Scope highest = Collections.max(caller.scopes());
            return new Me(
                    caller.name(),
                    highest.word(),
                    caller.scopes().contains(Scope.PUBLISH),
                    caller.scopes().contains(Scope.ADMIN));
        }
    }
}
