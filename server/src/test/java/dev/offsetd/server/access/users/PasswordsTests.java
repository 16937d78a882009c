package dev.offsetd.server.access.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PasswordsTests {

    /** Anyone may try to sign in, and a thread of requests that hashes answers no other request for 60 ms. */
    @Test
    void passwordsAreHashedOnTheirOwnThreads() throws Exception {
        Passwords passwords = new Passwords();
        FutureTask<List<Boolean>> matches = new FutureTask<>(() -> {
            String hash = passwords.hash("a long password");
            return List.of(passwords.matches("a long password", hash), passwords.matches("another password", hash));
        });
        Thread.ofVirtual().start(matches);
        assertThat(matches.get()).containsExactly(true, false);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .contains("passwords-0");
    }
}
