package dev.offsetd.server.operations.health;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.api.OperationsApi;
import dev.offsetd.server.api.model.Health;
import dev.offsetd.server.api.model.Version;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.dao.DataAccessException;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OperationsController implements OperationsApi {

    private static final int ANSWER_SCHEMA_VERSION = 1;
    private static final String UNCOMMITTED_CHANGES = "dirty";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private final Readiness readiness;
    private final JdbcClient jdbc;
    private final BuildProperties build;
    private final @Nullable GitProperties commit;

    /** @param commit null if the program was built from sources without Git history */
    OperationsController(Readiness readiness, JdbcClient jdbc, BuildProperties build, @Nullable GitProperties commit) {
        this.readiness = readiness;
        this.jdbc = jdbc;
        this.build = build;
        this.commit = commit;
    }

    // HealthValve answers most health checks before they reach this controller.

    @Override
    public ResponseEntity<Health> getLiveness() {
        return answer(new Health(Health.StatusEnum.UP).warnings(null));
    }

    @Override
    public ResponseEntity<Health> getReadiness() {
        Optional<String> refusal = readiness.refusal();
        if (refusal.isPresent()) {
            throw new ProblemException(
                    Problem.of(HttpStatus.SERVICE_UNAVAILABLE, "not_ready", "The server is not ready", refusal.get())
                            .retryAfter(RETRY_AFTER));
        }
        Health health = new Health(Health.StatusEnum.UP);
        readiness.degraded().ifPresent(health::degraded);
        health.warnings(readiness.warnings().isEmpty() ? null : readiness.warnings());
        return answer(health);
    }

    @Override
    public ResponseEntity<Version> getVersion() {
        Version version = new Version(
                String.valueOf(build.getVersion()), Integer.toString(PartVersions.TYPES), ANSWER_SCHEMA_VERSION);
        if (commit != null) {
            version.commit(commit.getCommitId()).modified(Boolean.parseBoolean(commit.get(UNCOMMITTED_CHANGES)));
        }
        databaseSchema().ifPresent(version::databaseSchema);
        return answer(version);
    }

    /**
     * Returns the newest migration of the database, which another server may have applied; empty if the database is
     * unavailable.
     */
    private Optional<String> databaseSchema() {
        try {
            return jdbc.sql("""
                            select version from flyway_schema_history
                            where success and version is not null order by installed_rank desc limit 1
                            """).query(String.class).optional();
        } catch (DataAccessException e) {
            return Optional.empty();
        }
    }

    private static <T> ResponseEntity<T> answer(T body) {
        return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(body);
    }
}
