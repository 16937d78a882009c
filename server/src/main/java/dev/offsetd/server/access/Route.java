package dev.offsetd.server.access;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * What one method on one path takes.
 *
 * @param path matched as Spring matches it to a controller
 */
record Route(HttpMethod method, PathPattern path, Role role) {

    /** Who may use a route. */
    enum Role {
        /** Anybody, also where reading is closed: it tells nothing that was asked of others. */
        ANYBODY(null),
        /** Who may {@link Scope#READ}: anybody, while reading is open. */
        READER(Scope.READ),
        /** Who may {@link Scope#PUBLISH}. */
        PUBLISHER(Scope.PUBLISH),
        /** Who may {@link Scope#ADMIN}. */
        ADMINISTRATOR(Scope.ADMIN);

        private final @Nullable Scope required;

        Role(@Nullable Scope required) {
            this.required = required;
        }

        /** The scope that it takes; empty if it takes none. */
        Optional<Scope> required() {
            return Optional.ofNullable(required);
        }
    }

    static Route of(HttpMethod method, String path, Role role) {
        return new Route(method, PathPatternParser.defaultInstance.parse(path), role);
    }

    boolean isAt(PathContainer other) {
        return path.matches(other);
    }

    /** Whether requests with this method end here; HEAD is a GET whose body is not sent. */
    boolean takes(String name) {
        return method.matches(name) || (method.equals(HttpMethod.GET) && HttpMethod.HEAD.matches(name));
    }
}
