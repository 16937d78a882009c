package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.offsetd.extractor.builds.BuildId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Scheduled task of an item, which exists until the item has a result. */
final class ItemTask {

    private static final Logger log = LoggerFactory.getLogger(ItemTask.class);

    private static final String NAME = "prewarm-item";

    /** Delay after a failure that could not be stored. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    private ItemTask() {}

    /** Returns the definition of the task. */
    static CustomTask<Void> of(ItemAttempts work) {
        return Tasks.custom(NAME, Void.class)
                .onFailure((failed, task) -> {
                    log.warn(
                            "prewarm item {}: {}",
                            failed.getExecution().taskInstance.getId(),
                            failed.getCause().map(Throwable::toString).orElse("failed"));
                    task.reschedule(failed, Instant.now().plus(AFTER_FAILURE));
                })
                .onDeadExecution((dead, task) -> removeOrReschedule(
                        dead,
                        task,
                        work.abandoned(
                                ItemKey.parse(dead.getExecution().taskInstance.getId()))))
                .execute((task, context) -> {
                    Optional<Duration> next = work.attempt(ItemKey.parse(task.getId()));
                    return (complete, operations) -> removeOrReschedule(complete, operations, next);
                });
    }

    private static void removeOrReschedule(
            ExecutionComplete complete, ExecutionOperations<Void> operations, Optional<Duration> next) {
        if (next.isPresent()) {
            operations.reschedule(complete, Instant.now().plus(next.get()));
        } else {
            operations.remove();
        }
    }

    /** Returns the task of one item. */
    static TaskInstance<Void> instance(UUID prewarm, BuildId build, Priority priority) {
        return new TaskInstance.Builder<Void>(NAME, new ItemKey(prewarm, build).toString())
                .priority(rank(priority))
                .build();
    }

    private static int rank(Priority priority) {
        return switch (priority) {
            case LOW -> com.github.kagkarlsson.scheduler.task.Priority.LOW;
            case NORMAL -> com.github.kagkarlsson.scheduler.task.Priority.MEDIUM;
            case HIGH -> com.github.kagkarlsson.scheduler.task.Priority.HIGH;
        };
    }
}
