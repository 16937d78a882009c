package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.compute.HeapShares;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ExtractionConfiguration {

    /** Two for each file: its types and its symbols are read at the same time. */
    @Bean(ComputePool.FILES)
    ComputePool computeFiles(ExtractionProperties properties, PeriodicTasks tasks, MeterRegistry meters) {
        return new ComputePool("files", 2 * properties.maxParsing(), tasks, meters);
    }

    @Bean
    HeapShares heapShares(ExtractionProperties properties) {
        return new HeapShares(properties.maxParsing(), properties.heap().toBytes());
    }
}
