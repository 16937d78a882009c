package dev.offsetd.server.access.users;

import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A limit on concurrent work. Callers wait a few seconds for their turn, and are refused after that. */
final class ConcurrencyLimit {

    private static final Duration MAX_WAIT = Duration.ofSeconds(3);

    private final Semaphore semaphore;

    ConcurrencyLimit(int concurrent) {
        semaphore = new Semaphore(concurrent);
    }

    /** @throws ProblemException with 503 if the work would have to wait too long */
    <T extends @Nullable Object> T run(Supplier<T> work) {
        try {
            if (!semaphore.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy();
        }
        try {
            return work.get();
        } finally {
            semaphore.release();
        }
    }

    private static ProblemException busy() {
        return new ProblemException(Problem.busy("too many passwords are being checked at the moment", MAX_WAIT));
    }
}
