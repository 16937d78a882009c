package dev.offsetd.server.operations.work;

import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once when the scheduler starts to fail, usually because the database is unavailable, and once when it recovers.
 */
final class SchedulerLog extends AbstractSchedulerListener {

    private static final Logger log = LoggerFactory.getLogger(SchedulerLog.class);

    private final String work;
    private final AtomicBoolean troubled = new AtomicBoolean();

    /** @param work its name */
    SchedulerLog(String work) {
        this.work = work;
    }

    @Override
    public void onSchedulerEvent(SchedulerEventType type) {
        switch (type) {
            case UNEXPECTED_ERROR, FAILED_HEARTBEAT, COMPLETIONHANDLER_ERROR, FAILUREHANDLER_ERROR -> {
                if (!troubled.getAndSet(true)) {
                    log.warn("{}: the work fails ({}); retrying", work, type);
                }
            }
            case RAN_EXECUTE_DUE, RAN_DETECT_DEAD -> {
                if (troubled.getAndSet(false)) {
                    log.info("{}: the work no longer fails", work);
                }
            }
            default -> {
                // Irrelevant to operators.
            }
        }
    }
}
