package dev.offsetd.server.users;

import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.stereotype.Component;

/**
 * Makes, checks and keeps passwords, as bcrypt. A password is judged by its length alone (NIST SP 800-63B section
 * 5.1.1.2), but must not be what an attacker would try first.
 */
@Component
public class Passwords {

    /** Fewest characters. */
    public static final int MIN_CHARACTERS = 12;

    /** Most bytes as UTF-8: bcrypt takes no notice of what comes after. */
    public static final int MAX_BYTES = 72;

    /** Twice as slow with each step: some 60 milliseconds, the least that OWASP's password storage advice takes. */
    private static final int STRENGTH = 10;

    /** Hash of a password that nobody has: for names that nobody has, so that they take as long as others. */
    private static final String NOBODYS = "$2a$10$aGICqElQA0X533g/3jsmreh7/KPdjuL7DCYnE.dDddg7vgyaXZrSa";

    /** No letters or digits that are taken for each other. */
    private static final String ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";

    private static final int GROUPS = 4;
    private static final int GROUP_CHARACTERS = 5;

    private static final Duration BUSY = Duration.ofSeconds(3);

    private final BCryptPasswordEncoder bcrypt = new BCryptPasswordEncoder(STRENGTH);
    private final SecureRandom random = new SecureRandom();

    /** Hashing is slow on purpose; not more than half of the processors do it at a time. */
    private final Semaphore turns =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

    Passwords() {}

    /** A password that nobody can guess: some 99 random bits. */
    String oneTime() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS * GROUP_CHARACTERS; i++) {
            if (i > 0 && i % GROUP_CHARACTERS == 0) {
                text.append('-');
            }
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }

    String hash(String password) {
        return inTurn(() -> bcrypt.encode(password));
    }

    /**
     * Whether this is the password.
     *
     * @param hash null if there is no such user, or none with a password; that takes as long
     */
    boolean matches(String password, @Nullable String hash) {
        boolean same = inTurn(() -> bcrypt.matches(password, hash == null ? NOBODYS : hash));
        return same && hash != null && bytes(password) <= MAX_BYTES;
    }

    /** Why this may not be a user's password; empty if it may. */
    Optional<String> fault(String password, String userName) {
        if (password.codePointCount(0, password.length()) < MIN_CHARACTERS) {
            return Optional.of("at least " + MIN_CHARACTERS + " characters");
        }
        if (bytes(password) > MAX_BYTES) {
            return Optional.of("at most " + MAX_BYTES + " bytes; letters outside ASCII have several");
        }
        if (password.strip().equalsIgnoreCase(userName)) {
            return Optional.of("not the user name");
        }
        return Optional.empty();
    }

    private static int bytes(String password) {
        return password.getBytes(StandardCharsets.UTF_8).length;
    }

    private <T> T inTurn(Supplier<T> work) {
        try {
            if (!turns.tryAcquire(BUSY.toMillis(), TimeUnit.MILLISECONDS)) {
                throw busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy();
        }
        try {
            return work.get();
        } finally {
            turns.release();
        }
    }

    /** What those hear who would have to wait too long. */
    static ProblemException busy() {
        return new ProblemException(Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "busy",
                        "The server is busy",
                        "too many passwords are being checked at the moment")
                .retryAfter(BUSY));
    }
}
