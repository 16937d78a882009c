package dev.offsetd.server.database;

import dev.offsetd.server.web.Causes;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Suppresses Spring Boot's stack trace of a {@link SchemaBaselineException}, which the command reports in one line. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class SchemaBaselineReporter implements SpringBootExceptionReporter {

    @Override
    public boolean reportException(Throwable failure) {
        return Causes.of(failure).stream().anyMatch(SchemaBaselineException.class::isInstance);
    }
}
