package dev.offsetd.server.pins;

import dev.offsetd.server.operations.Word;

/** Change of a pin. */
enum PinAction implements Word {
    CREATE,
    EDIT,
    RETIRE,
    RESTORE,
    /** The pin reached its end. */
    EXPIRE,
    /** The pin was copied from another build. */
    COPY,
    /** An administrator accepted the extracted value that the pin overrides. */
    ACKNOWLEDGE;

    /** Returns the word in the audit log. */
    String audited() {
        return "pin." + word();
    }
}
