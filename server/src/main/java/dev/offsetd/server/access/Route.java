package dev.offsetd.server.access;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * A method on a path, and the role it requires.
 *
 * @param path matched as Spring matches it to a controller
 */
record Route(HttpMethod method, PathPattern path, Role role) {

    /** Callers that may use a route. */
    enum Role {
        /** Everyone, even if reading needs a token: the route reveals nothing about other callers. */
        ANYBODY(null),

        /** Every signed-in user, including those who must change their password first. Pages only. */
        SIGNED_IN(Scope.READ),

        /** Callers with {@link Scope#READ}; without {@code offsetd.read-auth}, everyone has it. */
        READER(Scope.READ),

        PUBLISHER(Scope.PUBLISH),

        ADMINISTRATOR(Scope.ADMIN);

        private final @Nullable Scope required;

        Role(@Nullable Scope required) {
            this.required = required;
        }

        /** Returns whether the caller has the scope that the role requires. */
        boolean isOf(Caller caller) {
            return required == null || caller.scopes().contains(required);
        }

        /** Returns the scope that the role requires; empty if none. */
        Optional<Scope> required() {
            return Optional.ofNullable(required);
        }
    }

    static Route of(HttpMethod method, String path, Role role) {
        return new Route(method, PathPatternParser.defaultInstance.parse(path), role);
    }

    /** Returns whether the route handles this method. HEAD is handled as GET. */
    boolean takes(String name) {
        return method.matches(name) || (method.equals(HttpMethod.GET) && HttpMethod.HEAD.matches(name));
    }
}
