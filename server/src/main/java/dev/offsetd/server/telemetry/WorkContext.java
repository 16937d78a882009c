package dev.offsetd.server.telemetry;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.web.RequestIds;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.util.concurrent.Callable;
import org.slf4j.MDC;

/** Takes along to another thread what log lines and traces say about where a piece of work comes from. */
public final class WorkContext {

    /** Names the build in the logging context. */
    static final String BUILD_ID = "buildId";

    private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder()
            .contextRegistry(new ContextRegistry()
                    .loadThreadLocalAccessors()
                    .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor(RequestIds.MDC_KEY, BUILD_ID)))
            .clearMissing(true)
            .build();

    private WorkContext() {}

    /**
     * The work, in the context of the calling thread wherever it runs: its log lines name the build and the request that
     * the work began with, and its spans belong to that request's.
     */
    public static Runnable about(BuildId id, Runnable work) {
        return SNAPSHOTS.captureAll().wrap(() -> {
            try (MDC.MDCCloseable _ = MDC.putCloseable(BUILD_ID, id.toString())) {
                work.run();
            }
        });
    }

    /** A part of the work, in the context of the calling thread wherever it runs. */
    public static <T> Callable<T> carried(Callable<T> part) {
        return SNAPSHOTS.captureAll().wrap(part);
    }
}
