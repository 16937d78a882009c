package dev.offsetd.server.pins;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/**
 * Ends expired pins and counts the rest for the metrics. All servers poll; the lock on the build ensures that each pin is
 * ended once.
 */
@Component
class PinExpiry {

    /** Actor in history and audit log for expired pins. */
    private static final Actor EXPIRY = new Actor(new Caller("expiry", null, Set.of(), "local"), "expiry");

    /** Most pins that one poll ends; the next poll ends more. */
    private static final int AT_ONCE = 100;

    /** Time between counts for the meters. */
    private static final Duration COUNT = Duration.ofSeconds(30);

    private final PinRows rows;
    private final Pins pins;
    private final AtomicLong active = new AtomicLong();
    private final AtomicLong disagreeing = new AtomicLong();
    private final AtomicLong toReview = new AtomicLong();

    PinExpiry(PinRows rows, Pins pins, PinProperties properties, MeterRegistry meters, PeriodicTasks tasks) {
        this.rows = rows;
        this.pins = pins;
        Gauge.builder("offsetd.pins.active", active, AtomicLong::doubleValue)
                .description("Active pins, at the last count")
                .register(meters);
        Gauge.builder("offsetd.pins.disagreeing", disagreeing, AtomicLong::doubleValue)
                .description("Active pins that disagree with the extracted data, at the last count")
                .register(meters);
        Gauge.builder("offsetd.pins.to.review", toReview, AtomicLong::doubleValue)
                .description(
                        "Active pins whose extracted value changed or vanished after they were made, at the last count")
                .register(meters);
        tasks.addImmediate("expiring pins", properties.poll(), this::look);
        tasks.addImmediate("counting pins", COUNT, this::count);
    }

    private void look() {
        for (UUID id : rows.due(AT_ONCE)) {
            pins.expire(id, EXPIRY);
        }
    }

    private void count() {
        long all = 0;
        long disagree = 0;
        for (PinRows.Counted counted : rows.countActive()) {
            all += counted.getPins();
            if (counted.getAgreement().equals(Pin.Agreement.DISAGREES.word())) {
                disagree = counted.getPins();
            }
        }
        active.set(all);
        disagreeing.set(disagree);
        toReview.set(rows.countToReview());
    }
}
