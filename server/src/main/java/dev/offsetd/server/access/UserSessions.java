package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
import org.springframework.security.web.csrf.CsrfTokenRepository;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;

/**
 * Who is signed in. A session says only who somebody is, in plain values that every version of the server can read; what
 * they may do is looked up at each request, so that a change of it holds at once and on every server.
 */
public final class UserSessions {

    private static final String USER = "offsetd.user";
    private static final String EPOCH = "offsetd.epoch";
    private static final String SIGNED_IN_AT = "offsetd.signedInAt";
    private static final String USER_AGENT = "offsetd.userAgent";
    private static final String ADDRESS = "offsetd.address";

    /** Request attribute with the user. */
    private static final String SIGNED_IN = User.class.getName();

    private static final int MAX_USER_AGENT_LENGTH = 300;
    private static final int HANDLE_CHARACTERS = 24;

    private final FindByIndexNameSessionRepository<? extends Session> sessions;
    private final UserDirectory users;
    private final SessionProperties properties;
    private final CsrfTokenRepository csrf;
    private final Clock clock;

    UserSessions(
            FindByIndexNameSessionRepository<? extends Session> sessions,
            UserDirectory users,
            SessionProperties properties,
            CsrfTokenRepository csrf,
            Clock clock) {
        this.sessions = sessions;
        this.users = users;
        this.properties = properties;
        this.csrf = csrf;
        this.clock = clock;
    }

    /** Whether a session belongs to somebody: before signing in, one holds no more than what that takes. */
    static boolean isOfUser(@Nullable HttpSession session) {
        return session != null && session.getAttribute(USER) != null;
    }

    /** The user who sent this request; empty if nobody is signed in. */
    public static Optional<User> userOf(HttpServletRequest request) {
        return request.getAttribute(SIGNED_IN) instanceof User user ? Optional.of(user) : Optional.empty();
    }

    /**
     * Signs a user in, in a new session: whoever knew the id of the one before, and the token of its forms, knows nothing
     * of this one.
     */
    public void begin(HttpServletRequest request, HttpServletResponse response, User user) {
        csrf.saveToken(null, request, response);
        end(request);
        HttpSession session = request.getSession(true);
        session.setMaxInactiveInterval(Math.toIntExact(properties.idle().toSeconds()));
        session.setAttribute(
                FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME,
                user.id().toString());
        session.setAttribute(USER, user.id().toString());
        session.setAttribute(EPOCH, user.epoch());
        session.setAttribute(SIGNED_IN_AT, clock.millis());
        session.setAttribute(USER_AGENT, cut(request.getHeader(HttpHeaders.USER_AGENT)));
        session.setAttribute(ADDRESS, ClientAddress.of(request));
    }

    /** Ends the session of this request, if it has one. */
    public void end(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null) {
            session.invalidate();
        }
    }

    /** The sessions of the user who sent this request, the one used last first. */
    public List<UserSession> all(HttpServletRequest request) {
        HttpSession own = request.getSession(false);
        User user = userOf(request).orElseThrow();
        return sessions.findByPrincipalName(user.id().toString()).values().stream()
                .filter(session -> !session.isExpired()
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

    /**
     * Ends one of the sessions of the user who sent this request.
     *
     * @return whether it was there
     */
    public boolean end(HttpServletRequest request, String handle) {
        User user = userOf(request).orElseThrow();
        Optional<String> id = sessions.findByPrincipalName(user.id().toString()).keySet().stream()
                .filter(other -> handle(other).equals(handle))
                .findFirst();
        id.ifPresent(sessions::deleteById);
        return id.isPresent();
    }

    /** Finds out who sent a request, and makes it known to all that look at it later. */
    Optional<User> admit(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session == null || !(session.getAttribute(USER) instanceof String id)) {
            return Optional.empty();
        }
        Optional<User> user = isTooOld(session.getAttribute(SIGNED_IN_AT))
                ? Optional.empty()
                : users.enabled(UUID.fromString(id))
                        .filter(known -> Objects.equals(session.getAttribute(EPOCH), known.epoch()));
        if (user.isEmpty()) {
            session.invalidate();
        }
        user.ifPresent(known -> request.setAttribute(SIGNED_IN, known));
        return user;
    }

    private boolean isTooOld(@Nullable Object signedInAt) {
        return !(signedInAt instanceof Long millis)
                || !clock.instant().isBefore(Instant.ofEpochMilli(millis).plus(properties.absolute()));
    }

    private static String cut(@Nullable String text) {
        return text == null ? "" : text.substring(0, Math.min(text.length(), MAX_USER_AGENT_LENGTH));
    }

    private static String handle(String sessionId) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(sessionId.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(hash).substring(0, HANDLE_CHARACTERS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
