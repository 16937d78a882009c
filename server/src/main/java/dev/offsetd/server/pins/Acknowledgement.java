package dev.offsetd.server.pins;

import org.jspecify.annotations.Nullable;

/**
 * Acceptance of the extracted value of a pin.
 *
 * @param reason why the pin stays
 * @param shown the extracted value that was reviewed, as {@link Pin#extractedText} returns it; null to accept any
 */
public record Acknowledgement(String reason, @Nullable String shown) {}
