package dev.offsetd.server.storage.objects;

import dev.offsetd.server.operations.compute.ComputePool;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class StoreConfiguration {

    @Bean
    ObjectStore objectStore(
            StoreProperties properties, @Qualifier(ComputePool.SOURCES) ComputePool threads, MeterRegistry meters)
            throws IOException {
        return new ObjectStore(
                properties.store(),
                ObjectFolder.open(
                        properties.folder(), properties.store().cache().toBytes()),
                threads,
                meters);
    }
}
