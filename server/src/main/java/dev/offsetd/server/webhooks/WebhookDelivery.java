package dev.offsetd.server.webhooks;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.events.Event;
import dev.offsetd.server.events.EventLog;
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
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Sends events to webhooks, one after the other of each. A claim lasts longer than an attempt, so a receiver gets an event twice
 * only if a server dies or hangs between its answer and the note of it.
 */
@Component
class WebhookDelivery {

    private static final MediaType JSON = MediaType.get(Representation.JSON.contentType());

    /** Events that are read at a time, and sent under one claim. */
    private static final int BATCH = 20;

    private static final String DELETED = "deleted from the log before the receiver worked";

    private static final int MAX_PROBLEM = 300;

    private final Webhooks webhooks;
    private final EventLog log;
    private final WebhookProperties properties;
    private final MeterRegistry meters;
    private final PermittedHttp http;
    private final String userAgent;
    private final boolean offline;
    private final Backoff backoff;

    WebhookDelivery(
            Webhooks webhooks,
            EventLog log,
            WebhookProperties properties,
            OutboundHttp outbound,
            MeterRegistry meters,
            PeriodicTasks tasks) {
        this.webhooks = webhooks;
        this.log = log;
        this.properties = properties;
        this.offline = outbound.offline();
        this.backoff = new Backoff(properties.retry(), properties.maxRetry());
        this.meters = meters;
        this.http = outbound.clients()
                .permitting(
                        new AddressRules("offsetd.webhooks.allowed-networks", properties.allowedNetworks()),
                        new Timeouts(
                                properties.timeout(),
                                properties.timeout(),
                                properties.timeout(),
                                properties.timeout()));
        this.userAgent = outbound.userAgent();
        for (Result result : Result.values()) {
            var _ = counter(result);
        }
        tasks.add("sending events to webhooks", properties.poll(), this::deliverAll);
    }

    /** How an attempt ended. */
    private enum Result {
        DELIVERED,
        FAILED,
        GIVEN_UP
    }

    private Counter counter(Result result) {
        return Counter.builder("offsetd.webhooks.deliveries")
                .description("Attempts to send an event to a webhook, by result")
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /**
     * Works on all webhooks that are due, unless the server is offline: at the same time, each for about as long as one attempt may
     * take.
     */
    void deliverAll() {
        if (offline) {
            return;
        }
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Duration claim = properties.timeout().multipliedBy(3);
            for (Optional<Work> work = webhooks.claim(claim); work.isPresent(); work = webhooks.claim(claim)) {
                Work claimed = work.get();
                running.add(threads.submit(() -> deliver(claimed)));
            }
        }
        for (Future<?> ended : running) {
            if (ended.state() == Future.State.FAILED) {
                throw new IllegalStateException(ended.exceptionNow());
            }
        }
    }

    private void deliver(Work work) {
        long end = System.nanoTime() + properties.timeout().toNanos();
        EventLog.Part part = log.read(work.filter(), work.position(), BATCH);
        if (part.isExpired(work.position())) {
            counter(Result.GIVEN_UP).increment();
            if (!webhooks.giveUp(work, deleted(part.horizon()), DELETED)) {
                return;
            }
        }
        int failures = work.failures();
        for (Event event : part.events()) {
            if (!handled(work, event, failures)) {
                return;
            }
            failures = 0;
            if (System.nanoTime() > end) {
                webhooks.end(work, event.id());
                return;
            }
        }
        webhooks.end(work, part.position());
    }

    /** Sends an event; returns whether it was delivered or given up, and the claim holds. */
    private boolean handled(Work work, Event event, int failures) {
        String problem = send(work, event);
        if (problem == null) {
            counter(Result.DELIVERED).increment();
            return webhooks.delivered(work, event);
        }
        if (event.at().isBefore(Instant.now().minus(properties.giveUp()))) {
            counter(Result.GIVEN_UP).increment();
            return webhooks.giveUp(work, event, problem);
        }
        counter(Result.FAILED).increment();
        webhooks.fail(work, problem, backoff.after(failures + 1, Duration.ZERO));
        return false;
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
