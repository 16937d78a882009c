package dev.offsetd.server.admin.format;

import java.util.Locale;

/** A short label with the colour of its tone. */
public record Badge(Tone tone, String text) {

    /** Tones, each a class of the style sheet. */
    public enum Tone {
        OK,
        INFO,
        WARN,
        BAD,
        QUIET,
        PIN
    }

    /** The class of the style sheet. */
    public String style() {
        return "badge-" + tone.name().toLowerCase(Locale.ROOT);
    }
}
