package dev.offsetd.server.access;

import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.http.HttpMethod.PUT;

import dev.offsetd.server.access.Route.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.ServletRequestPathUtils;

/** The table of routes and the role each requires. A path that is missing here is not served, whatever the controllers. */
final class Routes {

    /** The routes of the contract. */
    static final List<Route> ALL = List.of(
            Route.of(GET, "/livez", Role.ANYBODY),
            Route.of(GET, "/readyz", Role.ANYBODY),
            Route.of(GET, "/version", Role.ANYBODY),
            Route.of(GET, "/metrics", Role.READER),
            Route.of(GET, "/v1/whoami", Role.ANYBODY),
            Route.of(GET, "/v1/offsets/{buildId}", Role.READER),
            Route.of(POST, "/v1/offsets/{buildId}", Role.READER),
            Route.of(GET, "/v1/symbols/{buildId}", Role.READER),
            Route.of(POST, "/v1/symbols/{buildId}", Role.READER),
            Route.of(POST, "/v1/symbols", Role.READER),
            Route.of(GET, "/v1/symbolize/{buildId}", Role.READER),
            Route.of(POST, "/v1/symbolize", Role.READER),
            Route.of(POST, "/symbolicate/v5", Role.READER),
            Route.of(GET, "/v1/resolve/{buildId}", Role.READER),
            Route.of(POST, "/v1/offsets", Role.READER),
            Route.of(GET, "/v1/diff", Role.READER),
            Route.of(GET, "/v1/exports/{buildId}/isf", Role.READER),
            Route.of(GET, "/v1/exports/{buildId}/isf/r/{revision}/isf.json.gz", Role.READER),
            Route.of(GET, "/v1/exports/{buildId}/btf", Role.READER),
            Route.of(POST, "/v1/exports/{buildId}/btf", Role.READER),
            Route.of(GET, "/v1/exports/{buildId}/btf/r/{revision}/types.btf", Role.READER),
            Route.of(POST, "/v1/checks", Role.READER),
            Route.of(GET, "/v1/exports/go/offsets.json", Role.READER),
            Route.of(POST, "/v1/exports/go/offsets.json", Role.READER),
            Route.of(GET, "/v1/exports/go/offset_results.json", Role.READER),
            Route.of(POST, "/v1/exports/go/offset_results.json", Role.READER),
            Route.of(GET, "/volatility/banners.json", Role.READER),
            Route.of(GET, "/v1/builds", Role.READER),
            Route.of(GET, "/v1/builds/{buildId}", Role.READER),
            Route.of(GET, "/v1/builds/{buildId}/types", Role.READER),
            Route.of(GET, "/v1/builds/{buildId}/bundle", Role.READER),
            Route.of(PUT, "/v1/builds/{buildId}/bundle", Role.ADMINISTRATOR),
            Route.of(PUT, "/v1/builds/{buildId}/debuginfo", Role.PUBLISHER),
            Route.of(PUT, "/v1/builds/{buildId}/executable", Role.PUBLISHER),
            Route.of(GET, "/v1/builds/{buildId}/debuginfo/precheck", Role.PUBLISHER),
            Route.of(POST, "/v1/builds/{buildId}/retry", Role.PUBLISHER),
            Route.of(POST, "/v1/prewarms", Role.PUBLISHER),
            Route.of(GET, "/v1/prewarms", Role.PUBLISHER),
            Route.of(GET, "/v1/prewarms/{id}", Role.PUBLISHER),
            Route.of(DELETE, "/v1/prewarms/{id}", Role.PUBLISHER),
            Route.of(GET, "/v1/watches", Role.ADMINISTRATOR),
            Route.of(POST, "/v1/watches", Role.ADMINISTRATOR),
            Route.of(GET, "/v1/watches/{id}", Role.ADMINISTRATOR),
            Route.of(DELETE, "/v1/watches/{id}", Role.ADMINISTRATOR),
            Route.of(POST, "/v1/watches/{id}/run", Role.ADMINISTRATOR),
            Route.of(GET, "/v1/releases", Role.READER),
            Route.of(GET, "/v1/demand", Role.READER),
            Route.of(GET, "/v1/events", Role.READER),
            Route.of(GET, "/v1/webhooks", Role.ADMINISTRATOR),
            Route.of(PUT, "/v1/webhooks/{name}", Role.ADMINISTRATOR),
            Route.of(DELETE, "/v1/webhooks/{name}", Role.ADMINISTRATOR),
            Route.of(GET, "/v1/exports/sets/{set}", Role.READER),
            Route.of(GET, "/buildid/{buildId}/debuginfo", Role.READER),
            Route.of(GET, "/buildid/{buildId}/executable", Role.READER),
            Route.of(GET, "/buildid/{buildId}/section/{name}", Role.READER),
            Route.of(GET, "/buildid/{buildId}/source/{*path}", Role.READER),
            Route.of(GET, "/v1/type-sets", Role.READER),
            Route.of(GET, "/v1/type-sets/{name}", Role.READER),
            Route.of(PUT, "/v1/type-sets/{name}", Role.ADMINISTRATOR),
            Route.of(GET, "/v1/pins", Role.READER),
            Route.of(POST, "/v1/pins", Role.ADMINISTRATOR),
            Route.of(POST, "/v1/pins/check", Role.ADMINISTRATOR),
            Route.of(POST, "/v1/pins/copy", Role.ADMINISTRATOR),
            Route.of(GET, "/v1/pins/{id}", Role.READER),
            Route.of(PUT, "/v1/pins/{id}", Role.ADMINISTRATOR),
            Route.of(DELETE, "/v1/pins/{id}", Role.ADMINISTRATOR),
            Route.of(POST, "/v1/pins/{id}/restore", Role.ADMINISTRATOR),
            Route.of(POST, "/v1/pins/{id}/acknowledge", Role.ADMINISTRATOR));

    /** The contract and its reference page, for everybody. */
    static final List<Route> DOCUMENTS = List.of(
            Route.of(GET, "/", Role.ANYBODY),
            Route.of(GET, "/openapi.yaml", Role.ANYBODY),
            Route.of(GET, "/openapi.json", Role.ANYBODY),
            Route.of(GET, "/docs", Role.ANYBODY),
            Route.of(GET, "/docs/reference.css", Role.ANYBODY),
            Route.of(GET, "/favicon.ico", Role.ANYBODY),
            Route.of(GET, "/favicon.svg", Role.ANYBODY));

    /** All routes outside the admin pages. */
    static final List<Route> API =
            Stream.of(ALL, DOCUMENTS).flatMap(List::stream).toList();

    static final String PAGES_PATH = "/admin";

    static final String SIGN_IN_PATH = PAGES_PATH + "/sign-in";
    static final String PASSWORD_PATH = PAGES_PATH + "/password";
    static final String SIGN_OUT_PATH = PAGES_PATH + "/sign-out";
    private static final String ASSETS_PATH = PAGES_PATH + "/assets/";

    /** The routes of the admin pages, for signed-in users. */
    static final List<Route> PAGES = List.of(
            Route.of(GET, ASSETS_PATH + "**", Role.ANYBODY),
            Route.of(POST, PAGES_PATH + "/theme", Role.READER),
            Route.of(GET, SIGN_IN_PATH, Role.ANYBODY),
            Route.of(POST, SIGN_IN_PATH, Role.ANYBODY),
            Route.of(GET, SIGN_IN_PATH + "/provider", Role.ANYBODY),
            Route.of(POST, SIGN_OUT_PATH, Role.SIGNED_IN),
            Route.of(GET, PASSWORD_PATH, Role.SIGNED_IN),
            Route.of(POST, PASSWORD_PATH, Role.SIGNED_IN),
            Route.of(GET, PAGES_PATH + "/account", Role.READER),
            Route.of(POST, PAGES_PATH + "/account/sessions/{handle}/end", Role.READER),
            Route.of(GET, PAGES_PATH + "/users", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/users", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/users/{id}/role", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/users/{id}/enable", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/users/{id}/disable", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/users/{id}/reset", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/users/{id}/sign-out", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/builds", Role.READER),
            Route.of(GET, PAGES_PATH + "/builds/{buildId}", Role.READER),
            Route.of(POST, PAGES_PATH + "/builds/{buildId}/ask", Role.READER),
            Route.of(POST, PAGES_PATH + "/builds/{buildId}/retry", Role.PUBLISHER),
            Route.of(PUT, PAGES_PATH + "/builds/{buildId}/debuginfo", Role.PUBLISHER),
            Route.of(GET, PAGES_PATH + "/builds/{buildId}/debuginfo/precheck", Role.PUBLISHER),
            Route.of(GET, PAGES_PATH + "/builds/{buildId}/types", Role.READER),
            Route.of(GET, PAGES_PATH + "/builds/{buildId}/lines", Role.READER),
            Route.of(GET, PAGES_PATH + "/pins", Role.READER),
            Route.of(POST, PAGES_PATH + "/pins", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/pins/new", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/pins/check", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/pins/copy", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/pins/copy", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/pins/{id}", Role.READER),
            Route.of(GET, PAGES_PATH + "/pins/{id}/edit", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/pins/{id}/retire", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/pins/{id}/restore", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/pins/{id}/acknowledge", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH, Role.READER),
            Route.of(GET, PAGES_PATH + "/diff", Role.READER),
            Route.of(GET, PAGES_PATH + "/checks", Role.READER),
            Route.of(POST, PAGES_PATH + "/checks", Role.READER),
            Route.of(GET, PAGES_PATH + "/type-sets", Role.READER),
            Route.of(GET, PAGES_PATH + "/type-sets/{name}", Role.READER),
            Route.of(GET, PAGES_PATH + "/type-sets/{name}/edit", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/type-sets/{name}/edit", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/type-sets/{name}/retire", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/type-sets/{name}/restore", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/type-sets/-/new", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/type-sets/-/new", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/type-sets/-/check", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/prewarms", Role.READER),
            Route.of(POST, PAGES_PATH + "/prewarms", Role.PUBLISHER),
            Route.of(GET, PAGES_PATH + "/prewarms/{id}", Role.READER),
            Route.of(POST, PAGES_PATH + "/prewarms/{id}/cancel", Role.PUBLISHER),
            Route.of(GET, PAGES_PATH + "/watches", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/watches/{id}/run", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/watches/{id}/remove", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/demand", Role.READER),
            Route.of(GET, PAGES_PATH + "/demand.csv", Role.READER),
            Route.of(GET, PAGES_PATH + "/events", Role.READER),
            Route.of(GET, PAGES_PATH + "/webhooks", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/tokens", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/tokens", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/tokens/{id}/revoke", Role.ADMINISTRATOR),
            Route.of(POST, PAGES_PATH + "/tokens/{id}/revoke", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/audit", Role.ADMINISTRATOR),
            Route.of(GET, PAGES_PATH + "/audit.csv", Role.ADMINISTRATOR));

    private Routes() {}

    /** Returns the route outside the admin pages of this request. */
    static Optional<Route> of(HttpServletRequest request) {
        return at(API, request).stream()
                .filter(route -> route.takes(request.getMethod()))
                .findFirst();
    }

    /** Returns the routes of the table at the path of this request, for any method. */
    static List<Route> at(List<Route> table, HttpServletRequest request) {
        PathContainer path = ServletRequestPathUtils.parse(request).pathWithinApplication();
        return table.stream().filter(route -> route.path().matches(path)).toList();
    }

    /** Returns whether a raw path is that of a page. */
    static boolean isPage(String path) {
        return path.startsWith(PAGES_PATH)
                && (path.length() == PAGES_PATH.length() || path.charAt(PAGES_PATH.length()) == '/');
    }

    static boolean isSignIn(HttpServletRequest request) {
        return request.getRequestURI().equals(SIGN_IN_PATH);
    }

    /** Returns whether this is a style sheet, script or image: public, and the same for every user. */
    static boolean isAsset(HttpServletRequest request) {
        return request.getRequestURI().startsWith(ASSETS_PATH);
    }
}
