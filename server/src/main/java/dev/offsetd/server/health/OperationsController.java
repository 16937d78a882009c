package dev.offsetd.server.health;

import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.server.api.OperationsApi;
import dev.offsetd.server.api.model.Health;
import dev.offsetd.server.api.model.Version;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.info.BuildProperties;
import org.springframework.dao.DataAccessException;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OperationsController implements OperationsApi {

    private static final int ANSWER_SCHEMA_VERSION = 1;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final ApplicationAvailability availability;
    private final JdbcClient jdbc;
    private final BuildProperties build;

    OperationsController(ApplicationAvailability availability, JdbcClient jdbc, BuildProperties build) {
        this.availability = availability;
        this.jdbc = jdbc;
        this.build = build;
    }

    @Override
    public ResponseEntity<Health> getLiveness() {
        return answer(new Health(Health.StatusEnum.UP));
    }

    @Override
    public ResponseEntity<Health> getReadiness() {
        if (availability.getReadinessState() != ReadinessState.ACCEPTING_TRAFFIC) {
            throw new ProblemException(Problem.of(
                            HttpStatus.SERVICE_UNAVAILABLE,
                            "not_ready",
                            "The server takes no requests",
                            "the server is starting or shutting down")
                    .retryAfter(RETRY_AFTER));
        }
        Health health = new Health(Health.StatusEnum.UP);
        return answer(databaseAnswers() ? health : health.degraded(Health.DegradedEnum.DATABASE));
    }

    @Override
    public ResponseEntity<Version> getVersion() {
        return answer(new Version(
                String.valueOf(build.getVersion()), Integer.toString(OffsetExtractor.VERSION), ANSWER_SCHEMA_VERSION));
    }

    private boolean databaseAnswers() {
        try {
            return jdbc.sql("select true").query(Boolean.class).single();
        } catch (DataAccessException e) {
            return false;
        }
    }

    private static <T> ResponseEntity<T> answer(T body) {
        return ResponseEntity.ok()
                .cacheControl(CacheControl.noStore())
                .contentType(MediaType.APPLICATION_JSON)
                .body(body);
    }
}
