package dev.offsetd.server.storage.objects;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The object store for commands on the database. Not a {@code @Configuration}, so that the server does not pick it up. */
@EnableConfigurationProperties(StoreProperties.class)
public class CommandStore {

    @Bean
    ObjectStore objectStore(StoreProperties properties) {
        return new ObjectStore(properties.store(), null, null, new SimpleMeterRegistry());
    }
}
