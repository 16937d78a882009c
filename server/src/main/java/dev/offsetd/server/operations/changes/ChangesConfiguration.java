package dev.offsetd.server.operations.changes;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ChangesConfiguration {

    /** Lets operators see what clients see as stale answers. */
    @Bean
    MeterBinder changesSeen(Freshness freshness) {
        return meters -> Gauge.builder("offsetd.changes.seen", freshness, known -> known.mayBeStale() ? 0 : 1)
                .description("1 while changes of other servers are seen, 0 while cached answers are marked as stale")
                .register(meters);
    }
}
