package dev.offsetd.server.changes;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ChangeProperties.class)
class ChangesConfiguration {

    /** Whoever watches the server sees by it what callers see as stale answers. */
    @Bean
    MeterBinder changesSeen(Freshness freshness) {
        return meters -> Gauge.builder("offsetd.changes.seen", freshness, known -> known.mayBeStale() ? 0 : 1)
                .description("1 while changes are heard of, 0 while answers from memory go out marked as stale")
                .register(meters);
    }
}
