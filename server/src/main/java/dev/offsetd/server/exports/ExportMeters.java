package dev.offsetd.server.exports;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import org.springframework.stereotype.Component;

/** Metrics of exports. */
@Component
class ExportMeters {

    private final MeterRegistry registry;

    ExportMeters(MeterRegistry registry, ExportFiles files) {
        this.registry = registry;
        Gauge.builder("offsetd.exports.size", files, ExportFiles::bytes)
                .description("Bytes of rendered exports on the disk")
                .baseUnit("bytes")
                .register(registry);
    }

    /** Work that writes an export. */
    @FunctionalInterface
    interface MeteredRendering {
        void run() throws IOException;
    }

    /** Runs the rendering of an export and records its time. */
    void rendering(String format, MeteredRendering work) throws IOException {
        Timer.Sample start = Timer.start(registry);
        boolean rendered = false;
        try {
            work.run();
            rendered = true;
        } finally {
            start.stop(Timer.builder("offsetd.exports.rendering")
                    .description("Time to render an export")
                    .tag("format", format)
                    .tag("outcome", rendered ? "rendered" : "failed")
                    .register(registry));
        }
    }
}
