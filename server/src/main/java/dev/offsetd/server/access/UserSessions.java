package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.context.HttpRequestResponseHolder;
import org.springframework.security.web.context.SecurityContextRepository;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.stereotype.Component;

/**
 * Security contexts of signed-in users. A session stores the user's id, in plain values that every version of the server can
 * read. The user's role is looked up at each request, so that a change takes effect at once on every server.
 */
@Component
public final class UserSessions implements SecurityContextRepository {

    private static final String USER = "offsetd.user";
    private static final String EPOCH = "offsetd.epoch";
    private static final String SIGNED_IN_AT = "offsetd.signedInAt";
    private static final String USER_AGENT = "offsetd.userAgent";
    private static final String ADDRESS = "offsetd.address";

    private static final int MAX_USER_AGENT_LENGTH = 300;
    private static final int HANDLE_BYTES = 12;

    private final FindByIndexNameSessionRepository<? extends Session> sessions;
    private final UserDirectory users;
    private final SessionProperties properties;
    private final Clock clock = Clock.systemUTC();

    UserSessions(
            FindByIndexNameSessionRepository<? extends Session> sessions,
            UserDirectory users,
            SessionProperties properties) {
        this.sessions = sessions;
        this.users = users;
        this.properties = properties;
    }

    /** Principal of a user who has just signed in. */
    @FunctionalInterface
    public interface SignedIn {
        User user();
    }

    /**
     * A session of a signed-in user.
     *
     * @param handle identifies the session; unlike its id, not a secret
     * @param userAgent of the browser; untrusted text
     * @param address IP address of the sign-in
     */
    public record UserSession(
            String handle, String userAgent, String address, Instant signedInAt, Instant lastUsedAt, boolean current) {}

    /** Returns whether the session belongs to a user. Before sign-in, it holds only what the sign-in needs. */
    static boolean isOfUser(@Nullable HttpSession session) {
        return session != null && session.getAttribute(USER) != null;
    }

    static boolean mustChangePassword(CallerAuthentication authentication) {
        return authentication.getDetails() instanceof User user && user.mustChangePassword();
    }

    /** Returns the signed-in user of the current request. */
    public static Optional<User> current() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication != null && authentication.getDetails() instanceof User user
                ? Optional.of(user)
                : Optional.empty();
    }

    @Override
    @SuppressWarnings("deprecation") // the interface derives the deferred variant, which Spring Security calls, from it
    public SecurityContext loadContext(HttpRequestResponseHolder holder) {
        HttpServletRequest request = holder.getRequest();
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        HttpSession session = request.getSession(false);
        if (session != null && session.getAttribute(USER) instanceof String id) {
            Optional<User> user = isTooOld(session.getAttribute(SIGNED_IN_AT))
                    ? Optional.empty()
                    : users.enabled(UUID.fromString(id))
                            .filter(known -> Objects.equals(session.getAttribute(EPOCH), known.epoch()));
            user.ifPresentOrElse(
                    known -> context.setAuthentication(new CallerAuthentication(
                            new Caller(known.name(), null, known.role().included(), ClientAddress.of(request)), known)),
                    session::invalidate);
        }
        return context;
    }

    @Override
    public boolean containsContext(HttpServletRequest request) {
        return isOfUser(request.getSession(false));
    }

    @Override
    public void saveContext(SecurityContext context, HttpServletRequest request, HttpServletResponse response) {
        if (context.getAuthentication() != null
                && context.getAuthentication().getPrincipal() instanceof SignedIn principal) {
            save(principal.user(), request);
        }
    }

    /** Replaces the session of this request after a change that ended all sessions of the user. */
    public void renew(User user, HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null) {
            session.invalidate();
        }
        save(user, request);
    }

    private void save(User user, HttpServletRequest request) {
        String userAgent = Objects.requireNonNullElse(request.getHeader(HttpHeaders.USER_AGENT), "");
        HttpSession session = request.getSession(true);
        session.setMaxInactiveInterval(Math.toIntExact(properties.idle().toSeconds()));
        session.setAttribute(
                FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME,
                user.id().toString());
        session.setAttribute(USER, user.id().toString());
        session.setAttribute(EPOCH, user.epoch());
        session.setAttribute(SIGNED_IN_AT, clock.millis());
        session.setAttribute(USER_AGENT, userAgent.substring(0, Math.min(userAgent.length(), MAX_USER_AGENT_LENGTH)));
        session.setAttribute(ADDRESS, ClientAddress.of(request));
    }

    /**
     * Returns the sessions of a user, most recently used first. Each is looked up by its id: Spring Session's search by user
     * joins the attributes without an order, and loses some of a session's whose rows are not adjacent.
     */
    public List<UserSession> all(User user, HttpServletRequest request) {
        HttpSession own = request.getSession(false);
        return sessions.findByPrincipalName(user.id().toString()).keySet().stream()
                .<Session>map(sessions::findById)
                .filter(session -> session != null
                        && !session.isExpired()
                        && Objects.equals(session.<Integer>getAttribute(EPOCH), user.epoch())
                        && !isTooOld(session.<Long>getAttribute(SIGNED_IN_AT)))
                .map(session -> new UserSession(
                        handle(session.getId()),
                        session.getAttributeOrDefault(USER_AGENT, ""),
                        session.getAttributeOrDefault(ADDRESS, ""),
                        Instant.ofEpochMilli(session.getAttributeOrDefault(SIGNED_IN_AT, 0L)),
                        session.getLastAccessedTime(),
                        own != null && own.getId().equals(session.getId())))
                .sorted(Comparator.comparing(UserSession::lastUsedAt).reversed())
                .toList();
    }

    /** Ends a session of a user. Returns false if there is none with this handle. */
    public boolean end(User user, String handle) {
        Optional<String> id = sessions.findByPrincipalName(user.id().toString()).keySet().stream()
                .filter(other -> handle(other).equals(handle))
                .findFirst();
        id.ifPresent(sessions::deleteById);
        return id.isPresent();
    }

    private boolean isTooOld(@Nullable Object signedInAt) {
        return !(signedInAt instanceof Long millis)
                || !clock.instant().isBefore(Instant.ofEpochMilli(millis).plus(properties.absolute()));
    }

    private static String handle(String sessionId) {
        return HexFormat.of().formatHex(TokenHash.of(sessionId).toBytes(), 0, HANDLE_BYTES);
    }
}
