package dev.offsetd.server.access;

import dev.offsetd.server.operations.Word;
import java.util.EnumSet;
import java.util.Set;

/** A permission of tokens and users. Each includes those before it. */
public enum Scope implements Word {
    /** Query. */
    READ,
    /** Upload debug files, prewarm and retry builds. */
    PUBLISH,
    /** Change pins, type sets, watches, tokens and users. */
    ADMIN;

    /** Returns this scope and those it includes. */
    Set<Scope> included() {
        return EnumSet.range(READ, this);
    }
}
