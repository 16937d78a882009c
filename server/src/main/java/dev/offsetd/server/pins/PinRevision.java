package dev.offsetd.server.pins;

import java.time.Instant;

/**
 * Revision of a pin.
 *
 * @param revision counted from 1
 * @param action the change: {@code create}, {@code edit}, {@code retire}, {@code restore}, {@code expire} or {@code copy}
 * @param who the user who made the change
 */
public record PinRevision(int revision, String action, String who, Instant at, PinDraft draft, Pin.State state) {}
