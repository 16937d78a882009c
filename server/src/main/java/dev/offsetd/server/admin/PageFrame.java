package dev.offsetd.server.admin;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;
import tools.jackson.databind.json.JsonMapper;

/** Model attributes of the layout. */
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
        attributes.put(
                "themes",
                Arrays.stream(ThemeController.Theme.values())
                        .map(theme -> new ThemeChoice(theme.word(), theme.title()))
                        .toList());
        attributes.put("navigation", Navigation.of(caller.scopes()));
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

    record ThemeChoice(String word, String title) {}

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

    /** Groups of links in the side bar. */
    static final class Navigation {

        private static final List<NavigationGroup> ALL = List.of(
                new NavigationGroup(
                        "Answers",
                        List.of(
                                new NavigationLink("overview", "Overview", "/admin", Scope.READ),
                                new NavigationLink("builds", "Builds", "/admin/builds", Scope.READ),
                                new NavigationLink("pins", "Pins", "/admin/pins", Scope.READ),
                                new NavigationLink("diff", "Diff", "/admin/diff", Scope.READ),
                                new NavigationLink("type-sets", "Type sets", "/admin/type-sets", Scope.READ),
                                new NavigationLink("checks", "Checks", "/admin/checks", Scope.READ))),
                new NavigationGroup(
                        "Prewarming",
                        List.of(
                                new NavigationLink("prewarms", "Prewarms", "/admin/prewarms", Scope.READ),
                                new NavigationLink("demand", "Demand", "/admin/demand", Scope.READ),
                                new NavigationLink("events", "Events", "/admin/events", Scope.READ),
                                new NavigationLink("watches", "Watches", "/admin/watches", Scope.ADMIN))),
                new NavigationGroup(
                        "Access",
                        List.of(
                                new NavigationLink("tokens", "Tokens", "/admin/tokens", Scope.ADMIN),
                                new NavigationLink("users", "Users", "/admin/users", Scope.ADMIN),
                                new NavigationLink("audit", "Audit", "/admin/audit", Scope.ADMIN))));

        private Navigation() {}

        /** Returns the pages that a user with these scopes can open. */
        static List<NavigationGroup> of(Set<Scope> scopes) {
            return ALL.stream()
                    .map(group -> new NavigationGroup(
                            group.title(),
                            group.entries().stream()
                                    .filter(entry -> scopes.contains(entry.scope()))
                                    .toList()))
                    .filter(group -> !group.entries().isEmpty())
                    .toList();
        }

        record NavigationGroup(String title, List<NavigationLink> entries) {}

        /**
         * A link.
         *
         * @param section name by which templates mark their page as current
         * @param scope required to open the page
         */
        record NavigationLink(String section, String title, String path, Scope scope) {}
    }
}
