package dev.offsetd.server.pins;

import java.time.Instant;

/**
 * A pin as it was after one change.
 *
 * @param revision counted from 1
 * @param action what was done: {@code create}, {@code edit}, {@code retire}, {@code restore}, {@code expire} or {@code copy}
 * @param who did it
 */
public record PinRevision(int revision, String action, String who, Instant at, PinDraft draft, Pin.State state) {}
