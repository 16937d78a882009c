package dev.offsetd.server.builds.retries;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.Extractions;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Deletes the failures and misses of a build. Every server reads them from the database before it answers, so after a retry no
 * server answers from them.
 */
@Component
public class Retries {

    private final Builds builds;
    private final Extractions extractions;
    private final AuditLog audit;
    private final TransactionTemplate transaction;

    Retries(Builds builds, Extractions extractions, AuditLog audit, PlatformTransactionManager transactions) {
        this.builds = builds;
        this.extractions = extractions;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * Queries the sources again, unless a query is in progress or a sound file of a source is stored. Adds the build if it is unknown.
     *
     * @return the new status; empty if a sound file of a source is stored and nothing was done
     */
    public Optional<BuildStatus> retry(BuildId id, Actor actor) {
        transaction.executeWithoutResult(status -> {
            Optional<Build> before = builds.find(id);
            if (builds.requeue(id)) {
                audit.record(
                        actor,
                        "build.retry",
                        id.toString(),
                        before.map(Retries::described).orElse(null),
                        null);
            }
        });
        boolean delivered = builds.find(id)
                .filter(build -> build.file() != null && !build.mayBeReplaced())
                .isPresent();
        return delivered ? Optional.empty() : Optional.of(extractions.request(id));
    }

    /** Describes the deleted result for the audit log. */
    private static Map<String, Object> described(Build build) {
        Map<String, Object> described = new TreeMap<>();
        described.put("state", build.state().word());
        if (build.failure() != null) {
            described.put("code", build.failure().cause().code());
        }
        described.put("retryAfterSeconds", build.retryAfter().toSeconds());
        return described;
    }
}
