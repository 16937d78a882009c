package dev.offsetd.server.access.users;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.stereotype.Component;

/**
 * Generates passwords and hashes them with bcrypt. A password is judged by its length alone (NIST SP 800-63B section 5.1.1.2),
 * but must not be the user name.
 */
@Component
public class Passwords implements PasswordEncoder {

    public static final int MIN_CHARACTERS = 12;

    /** Longest password as UTF-8: bcrypt ignores the bytes after these. */
    public static final int MAX_BYTES = 72;

    /** About 60 milliseconds, the minimum of OWASP's password storage advice. */
    private static final int STRENGTH = 10;

    /** No letters or digits that are easily confused. */
    private static final String ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";

    private static final int GROUPS = 4;
    private static final int GROUP_CHARACTERS = 5;

    private final BCryptPasswordEncoder bcrypt = new BCryptPasswordEncoder(STRENGTH);
    private final SecureRandom random = new SecureRandom();

    /** Hashing is slow on purpose; at most half of the processors do it at a time. */
    private final int concurrent = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    private final ConcurrencyLimit permits = new ConcurrencyLimit(concurrent);

    /** Not those of large queries: administrators can sign in while all of these compute, and commands have none. */
    private final ExecutorService threads = Executors.newFixedThreadPool(
            concurrent, Thread.ofPlatform().daemon().name("passwords-", 0).factory());

    Passwords() {}

    private <T extends @Nullable Object> T hashing(Supplier<T> work) {
        return permits.run(() -> CompletableFuture.supplyAsync(work, threads).join());
    }

    /** Returns a random password of about 99 bits. */
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
        return Objects.requireNonNull(encode(password));
    }

    @Override
    public @Nullable String encode(@Nullable CharSequence password) {
        return hashing(() -> bcrypt.encode(password));
    }

    @Override
    public boolean matches(@Nullable CharSequence password, @Nullable String hash) {
        boolean same = hashing(() -> bcrypt.matches(password, hash));
        return same && password != null && bytes(password) <= MAX_BYTES;
    }

    /** Returns what is expected of a password that this user cannot have; empty if the password is acceptable. */
    static Optional<String> fault(String password, String userName) {
        if (password.codePointCount(0, password.length()) < MIN_CHARACTERS) {
            return Optional.of("at least " + MIN_CHARACTERS + " characters");
        }
        if (bytes(password) > MAX_BYTES) {
            return Optional.of("at most " + MAX_BYTES + " bytes; letters outside ASCII take several");
        }
        if (password.strip().equalsIgnoreCase(userName)) {
            return Optional.of("a password other than the user name");
        }
        return Optional.empty();
    }

    private static int bytes(CharSequence password) {
        return password.toString().getBytes(StandardCharsets.UTF_8).length;
    }
}
