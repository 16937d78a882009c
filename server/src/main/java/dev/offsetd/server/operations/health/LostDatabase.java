package dev.offsetd.server.operations.health;

import dev.offsetd.server.database.DatabaseLostEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Ends the process when its embedded PostgreSQL is lost. A restart may succeed where this process failed. */
@Component
class LostDatabase {

    @EventListener
    void end(DatabaseLostEvent event) {
        FatalErrors.halt("the embedded PostgreSQL does not stay up");
    }
}
