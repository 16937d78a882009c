package dev.offsetd.server.startup;

import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Suppresses Spring Boot's report of a failed start, because the command explains it in one line. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class QuietFailure implements SpringBootExceptionReporter {

    @Override
    public boolean reportException(Throwable failure) {
        return true;
    }
}
