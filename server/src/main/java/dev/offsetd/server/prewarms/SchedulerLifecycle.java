package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.Scheduler;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Runs the scheduler while the server accepts requests. At shutdown it must stop before extractions do, so that running
 * items are returned to the database; hence the precedence.
 */
@Component
class SchedulerLifecycle {

    private final Scheduler scheduler;
    private final ItemAttempts work;

    SchedulerLifecycle(Scheduler scheduler, ItemAttempts work) {
        this.scheduler = scheduler;
        this.work = work;
    }

    @Order(Ordered.HIGHEST_PRECEDENCE)
    @EventListener
    void follow(AvailabilityChangeEvent<ReadinessState> event) {
        switch (event.getState()) {
            case ACCEPTING_TRAFFIC -> {
                if (!scheduler.getSchedulerState().isStarted()) {
                    scheduler.start();
                }
            }
            case REFUSING_TRAFFIC -> {
                scheduler.pause();
                work.stop();
            }
        }
    }
}
