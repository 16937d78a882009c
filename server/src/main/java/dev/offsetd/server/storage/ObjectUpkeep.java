package dev.offsetd.server.storage;

import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.storage.objects.ObjectStore;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Periodic work on the object store, if one is configured. */
@Component
class ObjectUpkeep {

    private static final Duration ASKING = Duration.ofSeconds(5);
    private static final Duration DELETING = Duration.ofMinutes(10);

    /** Much longer than a transaction, a reader of a replaced build, or a backup. */
    private static final Duration AGE = Duration.ofHours(24);

    ObjectUpkeep(ObjectStore store, ObjectRows rows, PeriodicTasks tasks) {
        if (!store.isConfigured()) {
            return;
        }
        tasks.addImmediate("asking the object store", ASKING, () -> {
            rows.nameBucket(store.writesNew());
            if (store.isFailing()) {
                store.probe();
            }
        });
        tasks.add("deleting unused objects", DELETING, () -> rows.deleteUnused(AGE));
    }
}
