package dev.offsetd.server.watches;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The watches that come with the server: {@code watches.json}. One setting switches all of them on. */
@Component
class DefaultWatches {

    private final WatchTable table;
    private final WatchProperties properties;

    DefaultWatches(WatchTable table, WatchProperties properties) {
        this.table = table;
        this.properties = properties;
    }

    static List<Watch.Draft> all() {
        try (InputStream in = Objects.requireNonNull(DefaultWatches.class.getResourceAsStream("watches.json"))) {
            List<Watch.Draft> drafts = new ArrayList<>();
            for (JsonNode each : JsonMapper.shared().readTree(in.readAllBytes())) {
                drafts.add(WatchesController.draft(each));
            }
            return drafts;
        } catch (IOException e) {
            throw new IllegalStateException("watches.json cannot be read", e);
        }
    }

    /** Adds the watches if they are switched on, and brings them up to date with this release. */
    @Order(Ordered.LOWEST_PRECEDENCE - 1) // before the server says that it is ready
    @EventListener
    void add(AvailabilityChangeEvent<ReadinessState> event) {
        if (event.getState() == ReadinessState.ACCEPTING_TRAFFIC && properties.defaults()) {
            all().forEach(draft -> table.add(draft, true, "offsetd"));
        }
    }
}
