package dev.offsetd.server.webhooks;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.events.Event;
import dev.offsetd.server.events.EventLog;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.operations.work.Backoff;
import dev.offsetd.server.sources.OutboundHttp;
import dev.offsetd.server.sources.http.AddressRules;
import dev.offsetd.server.sources.http.PermittedHttp;
import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.webhooks.Webhooks.Work;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Sends events to webhooks, those of each one after the other. A claim lasts longer than an attempt, so a receiver gets an event twice
 * only if a server dies or hangs between its answer and the note of it.
 */
@Component
class WebhookDelivery implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(WebhookDelivery.class);

    private static final MediaType JSON = MediaType.get(Representation.JSON.contentType());

    /** Events that are read at a time, and sent under one claim. */
    private static final int BATCH = 20;

    private static final String DELETED = "deleted from the log before the receiver worked";

    private static final int MAX_PROBLEM = 300;

    /** Time for deliveries to end when the server stops; later ones are repeated by another server. */
    private static final Duration STOP = Duration.ofSeconds(10);

    private final Webhooks webhooks;
    private final EventLog events;
    private final WebhookProperties properties;
    private final MeterRegistry meters;
    private final PermittedHttp http;
    private final String userAgent;
    private final boolean offline;
    private final Backoff backoff;

    /** A thread for each webhook that is worked on, so that none waits for the receiver of another. */
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private volatile boolean stopping;

    WebhookDelivery(
            Webhooks webhooks,
            EventLog events,
            WebhookProperties properties,
            OutboundHttp outbound,
            MeterRegistry meters,
            PeriodicTasks tasks) {
        this.webhooks = webhooks;
        this.events = events;
        this.properties = properties;
        this.offline = outbound.offline();
        this.backoff = new Backoff(properties.retry(), properties.maxRetry());
        this.meters = meters;
        this.http = outbound.clients()
                .permitting(
                        properties.addressRules(),
                        new Timeouts(
                                properties.timeout(),
                                properties.timeout(),
                                properties.timeout(),
                                properties.timeout()));
        this.userAgent = outbound.userAgent();
        for (Result result : Result.values()) {
            var _ = counter(result);
        }
        tasks.add("sending events to webhooks", properties.poll(), () -> {
            var _ = deliverAll();
        });
    }

    private enum Result {
        DELIVERED,
        FAILED,
        GIVEN_UP
    }

    private Counter counter(Result result) {
        return Counter.builder("offsetd.webhooks.deliveries")
                .description("Attempts to send an event to a webhook, by result, and events that were given up")
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /**
     * Begins to work on all webhooks that are due, unless the server is offline: each for about as long as one attempt may take.
     *
     * @return the work that has begun
     */
    List<Future<?>> deliverAll() {
        List<Future<?>> begun = new ArrayList<>();
        if (!offline) {
            Duration claim = properties.timeout().multipliedBy(3);
            for (Optional<Work> work = claim(claim); work.isPresent(); work = claim(claim)) {
                Work claimed = work.get();
                begun.add(threads.submit(() -> tryToDeliver(claimed)));
            }
        }
        return begun;
    }

    private Optional<Work> claim(Duration duration) {
        return stopping ? Optional.empty() : webhooks.claim(duration);
    }

    /** Delivers; after a failure, the work is due again when its claim expires. */
    private void tryToDeliver(Work work) {
        try {
            deliver(work);
        } catch (Throwable e) {
            FatalErrors.haltIfFatal(e);
            log.warn("webhook {}: events cannot be sent: {}", work.name(), e.toString());
        }
    }

    @Override
    public void destroy() throws InterruptedException {
        stopping = true;
        threads.shutdown();
        if (!threads.awaitTermination(STOP.toSeconds(), TimeUnit.SECONDS)) {
            threads.shutdownNow();
        }
    }

    private void deliver(Work work) {
        long end = System.nanoTime() + properties.timeout().toNanos();
        EventLog.Part part = events.read(work.filter(), work.position(), BATCH);
        if (part.isExpired(work.position())) {
            counter(Result.GIVEN_UP).increment();
            if (!webhooks.giveUp(work, deleted(part.horizon()), DELETED)) {
                return;
            }
        }
        int failures = work.failures();
        for (Event event : part.events()) {
            String problem = send(work, event);
            if (problem != null) {
                fail(work, event, problem, failures);
                return;
            }
            counter(Result.DELIVERED).increment();
            if (!webhooks.delivered(work, event)) {
                return;
            }
            failures = 0;
            if (stopping || System.nanoTime() > end) {
                webhooks.end(work, event.id());
                return;
            }
        }
        webhooks.end(work, part.position());
    }

    private void fail(Work work, Event event, String problem, int failures) {
        counter(Result.FAILED).increment();
        if (!isTooOld(event) || giveUpTooOld(work, event.id() - 1, problem)) {
            webhooks.fail(work, problem, backoff.after(failures + 1, Duration.ZERO));
        }
    }

    private boolean isTooOld(Event event) {
        return event.at().isBefore(Instant.now().minus(properties.giveUp()));
    }

    /**
     * Gives up the events after a position that are too old. They are not sent, so that a receiver that fails gets one request
     * before each pause.
     *
     * @return whether the claim holds
     */
    private boolean giveUpTooOld(Work work, long after, String problem) {
        long position = after;
        while (true) {
            List<Event> next = events.read(work.filter(), position, BATCH).events();
            for (Event event : next) {
                if (!isTooOld(event)) {
                    return true;
                }
                counter(Result.GIVEN_UP).increment();
                if (!webhooks.giveUp(work, event, problem)) {
                    return false;
                }
                position = event.id();
            }
            if (next.isEmpty()) {
                return true;
            }
        }
    }

    /** Stands for the events that were deleted before the webhook got them. */
    private static Event deleted(long last) {
        return new Event(
                last,
                Instant.now(),
                "deleted",
                null,
                List.of(),
                "All events up to " + last,
                JsonNodeFactory.instance.objectNode());
    }

    /** Sends an event, and returns why that failed; null if it did not. */
    private @Nullable String send(Work work, Event event) {
        byte[] body = Representation.JSON.object(event::write);
        String id = Long.toString(event.id());
        long timestamp = Instant.now().getEpochSecond();
        Request request = new Request.Builder()
                .url(work.url())
                .header("User-Agent", userAgent)
                .header("webhook-id", id)
                .header("webhook-timestamp", Long.toString(timestamp))
                .header("webhook-signature", work.secret().sign(id, timestamp, body))
                .post(RequestBody.create(body, JSON))
                .build();
        try (Response response = http.newCall(request).execute()) {
            return response.isSuccessful() ? null : "status " + response.code() + "; expected 200 to 299";
        } catch (AddressRules.ForbiddenAddressException e) {
            return "the URL " + e.detail();
        } catch (IOException e) {
            // A response that is not HTTP is quoted in the message.
            return HostileText.quote(String.valueOf(e.getMessage()), MAX_PROBLEM);
        }
    }
}
