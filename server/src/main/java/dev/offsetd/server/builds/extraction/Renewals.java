package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.builds.Builds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Reads the parts of builds again that an earlier extractor read, a few at a time, while this server accepts requests. Builds that a later
 * extractor stored stay, so that servers of two versions do not undo each other's work.
 */
@Component
class Renewals {

    private static final Logger log = LoggerFactory.getLogger(Renewals.class);

    /** Read at once and shuffled, so that servers that search at the same time choose different builds. */
    private static final int CANDIDATES = 16;

    private final Builds builds;
    private final Extractions extractions;
    private final ExtractionProperties.Renewal properties;

    /** Platform threads: an interrupted virtual thread closes the database connection that it reads from. */
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("renewal-", 0).factory());

    Renewals(Builds builds, Extractions extractions, ExtractionProperties properties) {
        this.builds = builds;
        this.extractions = extractions;
        this.properties = properties.renewal();
    }

    @EventListener
    void follow(AvailabilityChangeEvent<ReadinessState> event) {
        switch (event.getState()) {
            case ACCEPTING_TRAFFIC -> {
                for (int i = 0; i < properties.maxConcurrent(); i++) {
                    threads.execute(this::run);
                }
            }
            case REFUSING_TRAFFIC -> threads.shutdownNow();
        }
    }

    private void run() {
        try {
            while (!threads.isShutdown()) {
                if (!renewOne()) {
                    TimeUnit.MILLISECONDS.sleep(properties.poll().toMillis());
                }
            }
        } catch (InterruptedException e) {
            // The server stops.
            Thread.currentThread().interrupt();
        }
    }

    private boolean renewOne() throws InterruptedException {
        try {
            List<BuildId> candidates = new ArrayList<>(builds.storedBefore(PartVersions.CURRENT, CANDIDATES));
            Collections.shuffle(candidates);
            for (BuildId id : candidates) {
                if (extractions.renew(id)) {
                    return true;
                }
            }
        } catch (RuntimeException e) {
            if (!threads.isShutdown()) {
                log.warn("builds of an earlier extractor cannot be renewed: {}", e.toString());
            }
        }
        return false;
    }
}
