package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells once that the scheduler cannot do its work, which mostly means that there is no database, and once that it can again. */
final class SchedulerTrouble extends AbstractSchedulerListener {

    private static final Logger log = LoggerFactory.getLogger(SchedulerTrouble.class);

    private final AtomicBoolean troubled = new AtomicBoolean();

    @Override
    public void onSchedulerEvent(SchedulerEventType type) {
        switch (type) {
            case UNEXPECTED_ERROR, FAILED_HEARTBEAT, COMPLETIONHANDLER_ERROR, FAILUREHANDLER_ERROR -> {
                if (!troubled.getAndSet(true)) {
                    log.warn("builds cannot be prewarmed for now ({}); this is tried again", type);
                }
            }
            case RAN_EXECUTE_DUE, RAN_DETECT_DEAD -> {
                if (troubled.getAndSet(false)) {
                    log.info("builds can be prewarmed again");
                }
            }
            default -> {
                // Nothing that an operator has to know.
            }
        }
    }
}
