package dev.offsetd.server.access;

import dev.offsetd.server.api.AccessApi;
import dev.offsetd.server.api.model.CallerState;
import dev.offsetd.server.api.model.RateLimit;
import dev.offsetd.server.api.model.TokenInUse;
import jakarta.servlet.http.HttpServletRequest;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.RestController;

/** Returns the name, scopes, token and rate limit of the caller. */
@RestController
class WhoamiController implements AccessApi {

    private final RateLimits limits;

    /** The current request. */
    private final HttpServletRequest request;

    WhoamiController(RateLimits limits, HttpServletRequest request) {
        this.limits = limits;
        this.request = request;
    }

    @Override
    public ResponseEntity<CallerState> getCaller() {
        Caller caller = Caller.of(request);
        List<dev.offsetd.server.api.model.Scope> scopes = caller.scopes().stream()
                .sorted()
                .map(scope -> dev.offsetd.server.api.model.Scope.fromValue(scope.word()))
                .toList();
        CallerState state = new CallerState(caller.name(), scopes);
        if (SecurityContextHolder.getContext().getAuthentication() instanceof CallerAuthentication authenticated
                && authenticated.getDetails() instanceof Token token) {
            state.token(new TokenInUse(token.id(), token.expiresAt().atOffset(ZoneOffset.UTC)));
        }
        limits.state(caller)
                .ifPresent(limit -> state.rateLimit(new RateLimit(
                        RateLimit.ByEnum.fromValue(limit.by()),
                        limit.requestsPerSecond(),
                        limit.burst(),
                        limit.remaining())));
        return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(state);
    }
}
