package dev.offsetd.server.operations.health;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Watch over the threads that answer requests: each second it starts a task on a virtual thread, as a request is one. While no task
 * runs, the server is not ready; after a minute, the process ends, because nothing but a restart would free the carriers.
 *
 * <p>Time is counted in ticks of this watch. A process that was suspended, and a machine that was paused, ticked as little as it ran
 * tasks, so that the gap does not count.
 */
@Component
class CarrierWatch implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(CarrierWatch.class);

    private static final Duration TICK = Duration.ofSeconds(1);

    private static final int MOST_CHARACTERS = 1 << 20;

    /** Time for writing down why the process ends. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(10);

    private final WatchProperties properties;
    private final ApplicationEventPublisher events;
    private final Thread thread;

    /** Ticks since a task was started that has not run. */
    private volatile int waiting;

    CarrierWatch(WatchProperties properties, ApplicationEventPublisher events) {
        this.properties = properties;
        this.events = events;
        this.thread = Thread.ofPlatform().daemon().name("carrier-watch").start(this::watch);
    }

    /** Returns how long requests have waited for a carrier, if that is so long that clients should use another server. */
    Optional<Duration> requestsWait() {
        Duration waited = waited();
        return waited.compareTo(properties.unreadyAfter()) >= 0 ? Optional.of(waited) : Optional.empty();
    }

    private Duration waited() {
        return TICK.multipliedBy(waiting);
    }

    private void watch() {
        Thread task = request();
        int ticks = 0;
        try {
            while (waited().compareTo(properties.endAfter()) < 0) {
                Thread.sleep(TICK);
                if (task.isAlive()) {
                    ticks++;
                } else {
                    ticks = 0;
                    task = request();
                }
                waiting = ticks;
            }
            end();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static Thread request() {
        return Thread.ofVirtual().name("carrier-check").start(() -> {});
    }

    /** Ends the process, whatever becomes of the last words: they need threads, a disk and a database. */
    private void end() throws InterruptedException {
        String reason = "no request has run for " + waited().toSeconds() + " s";
        // A log that takes no more lines must not keep the work from being recorded, nor the database the words.
        Thread record = Thread.ofPlatform()
                .daemon()
                .name("last-record")
                .start(() -> events.publishEvent(new ProcessEndsEvent(reason)));
        Thread words = Thread.ofPlatform().daemon().name("last-words").start(() -> {
            log.error("{}; the threads are:", reason);
            // A log event is one line.
            stacks().lines().forEach(line -> log.info("{}", line));
        });
        words.join(LAST_WORDS);
        record.join(LAST_WORDS);
        FatalErrors.halt(reason);
    }

    @Override
    public void destroy() {
        thread.interrupt();
    }

    /** Returns the stacks of all threads, virtual ones included, or why they cannot be had. */
    private static String stacks() {
        try {
            Path folder = Files.createTempDirectory("offsetd-threads");
            Path file = folder.resolve("threads.txt");
            try {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
                String text = Files.readString(file);
                return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException | RuntimeException e) {
            return "not available: " + e;
        }
    }
}
