package dev.offsetd.server.exports;

import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ExportConfiguration {

    @Bean
    ExportFiles exportFiles(ExportProperties properties) throws IOException {
        return ExportFiles.open(
                properties.folder(), properties.exports().maxSize().toBytes());
    }

    @Bean(ComputePool.EXPORTS)
    ComputePool computeExports(ExportProperties properties, PeriodicTasks tasks, MeterRegistry meters) {
        return new ComputePool("exports", properties.exports().maxConcurrent(), tasks, meters);
    }
}
