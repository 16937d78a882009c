package dev.offsetd.server.prewarms;

import dev.offsetd.server.operations.Word;

/** State of a batch. */
public enum PrewarmState implements Word {
    /** An item has no result yet. */
    ACTIVE,
    /** All items are done or have failed. */
    DONE,
    /** An administrator cancelled it; items that were running may continue. */
    CANCELLED
}
