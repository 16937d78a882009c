package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.Scheduler;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Has the scheduler run while the server takes requests. As soon as it takes none any more, it begins nothing, and gives back what
 * it has in hand; that is why this hears of it before those who end the extractions.
 */
@Component
class PrewarmRun {

    private final Scheduler scheduler;
    private final ItemWork work;

    PrewarmRun(Scheduler scheduler, ItemWork work) {
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
