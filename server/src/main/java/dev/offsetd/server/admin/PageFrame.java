package dev.offsetd.server.admin;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;
import tools.jackson.databind.json.JsonMapper;

/** Model attributes of the layout, with the formats that all templates use. */
@ControllerAdvice("dev.offsetd.server.admin")
public class PageFrame {

    private static final JsonMapper JSON = JsonMapper.shared();

    @ModelAttribute
    void addTo(Model model, HttpServletRequest request) {
        model.addAllAttributes(attributes(request));
    }

    /** Returns the attributes that the layout reads. A page that answers an exception adds them by itself. */
    public static Map<String, Object> attributes(HttpServletRequest request) {
        Caller caller = Caller.of(request);
        Map<String, Object> attributes = new LinkedHashMap<>();
        attributes.put("theme", ThemeController.Theme.of(request).word());
        attributes.put("themes", ThemeController.Theme.values());
        attributes.put("format", new Format());
        attributes.put("badge", new Badge(Badge.Tone.QUIET, ""));
        attributes.put("here", here(request));
        // Without scopes no user is signed in: the page has no navigation.
        if (!caller.scopes().isEmpty()) {
            attributes.put("me", Me.of(caller));
        }
        attributes.put("once", SingleUse.value());
        attributes.put(
                "server",
                ServletUriComponentsBuilder.fromContextPath(request).build().toUriString());
        String headers = csrfHeaders(request);
        if (headers != null) {
            attributes.put("csrfHeaders", headers);
        }
        return attributes;
    }

    /** Returns the path and query of the page, to poll it or to return to it. */
    private static String here(HttpServletRequest request) {
        String query = request.getQueryString();
        return "GET".equals(request.getMethod())
                ? request.getRequestURI() + (query == null ? "" : '?' + query)
                : "/admin";
    }

    /** Returns the CSRF header for requests of htmx, as JSON; null if the page has no token. */
    private static @Nullable String csrfHeaders(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? JSON.writeValueAsString(Collections.singletonMap(token.getHeaderName(), token.getToken()))
                : null;
    }

    /**
     * The user who is signed in.
     *
     * @param role word of the highest scope
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
