package dev.offsetd.server.operations.telemetry;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.offsetd.server.web.TokenShape;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/**
 * Takes tokens out of everything that is logged, by whichever logger: messages, the logging context, stack traces and structured
 * lines. It wraps the encoders that the configuration of logging has made. Public because Spring creates it by class name.
 */
public final class RedactedLogs implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER + 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            for (Logger logger : context.getLoggerList()) {
                logger.iteratorForAppenders().forEachRemaining(appender -> {
                    if (appender instanceof OutputStreamAppender<ILoggingEvent> written
                            && !(written.getEncoder() instanceof RedactingEncoder)) {
                        written.setEncoder(new RedactingEncoder(written.getEncoder()));
                    }
                });
            }
        }
    }

    private static final class RedactingEncoder extends EncoderBase<ILoggingEvent> {

        private final Encoder<ILoggingEvent> encoder;

        RedactingEncoder(Encoder<ILoggingEvent> encoder) {
            this.encoder = encoder;
        }

        @Override
        public byte[] headerBytes() {
            return encoder.headerBytes();
        }

        /** Compares bytes as characters: a token is ASCII in every charset that logs are written in. */
        @Override
        public byte[] encode(ILoggingEvent event) {
            byte[] bytes = encoder.encode(event);
            String line = new String(bytes, StandardCharsets.ISO_8859_1);
            String redacted = TokenShape.redact(line);
            return redacted.equals(line) ? bytes : redacted.getBytes(StandardCharsets.ISO_8859_1);
        }

        @Override
        public byte[] footerBytes() {
            return encoder.footerBytes();
        }
    }
}
