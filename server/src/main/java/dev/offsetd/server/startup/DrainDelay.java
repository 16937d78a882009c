package dev.offsetd.server.startup;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Keeps the listening socket open for a while after shutdown begins, so that load balancers see the server as not ready
 * before it refuses connections. Its work has been handed over by then.
 */
@Component
class DrainDelay {

    private final Duration delay;

    DrainDelay(@Value("${offsetd.drain-delay:0s}") Duration delay) {
        this.delay = delay;
    }

    @EventListener
    void waitForLoadBalancers(AvailabilityChangeEvent<ReadinessState> event) throws InterruptedException {
        if (event.getState() == ReadinessState.REFUSING_TRAFFIC) {
            TimeUnit.MILLISECONDS.sleep(delay.toMillis());
        }
    }
}
