package dev.offsetd.server.operations.compute;

import dev.offsetd.server.operations.timers.PeriodicTasks;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ComputeConfiguration {

    @Bean(ComputePool.ANSWERS)
    ComputePool answers(PeriodicTasks tasks, MeterRegistry meters) {
        return new ComputePool("answers", Integer.MAX_VALUE, tasks, meters);
    }
}
