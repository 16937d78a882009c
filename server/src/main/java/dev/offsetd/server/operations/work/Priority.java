package dev.offsetd.server.operations.work;

import dev.offsetd.server.operations.Word;

/** Order of the pieces of shared work that are due. */
public enum Priority implements Word {
    LOW,
    NORMAL,
    HIGH
}
