package dev.offsetd.server.operations.telemetry;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.web.RequestIds;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.util.concurrent.Callable;
import org.slf4j.MDC;

/** Propagates the logging and tracing context to other threads. */
public final class WorkContext {

    /** Key in the logging context. */
    static final String BUILD_ID = "buildId";

    private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder()
            .contextRegistry(new ContextRegistry()
                    .loadThreadLocalAccessors()
                    .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor(RequestIds.MDC_KEY, BUILD_ID)))
            .clearMissing(true)
            .build();

    private WorkContext() {}

    /**
     * Wraps work on a build in the context of the calling thread: its log lines have the build and the request, and its
     * spans belong to the request's trace.
     */
    public static Runnable about(BuildId id, Runnable work) {
        return SNAPSHOTS.captureAll().wrap(() -> {
            try (MDC.MDCCloseable _ = MDC.putCloseable(BUILD_ID, id.toString())) {
                work.run();
            }
        });
    }

    /** Wraps a part of the work in the context of the calling thread. */
    public static <T> Callable<T> carried(Callable<T> part) {
        return SNAPSHOTS.captureAll().wrap(part);
    }
}
