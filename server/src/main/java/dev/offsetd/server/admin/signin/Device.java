package dev.offsetd.server.admin.signin;

import java.util.List;

/** Name of a browser and its operating system, from its {@code User-Agent}: enough to recognize a device. */
final class Device {

    /** The first match counts: most browsers also name those that they are compatible with. */
    private static final List<Known> PROGRAMS = List.of(
            new Known("Edg", "Edge"),
            new Known("OPR/", "Opera"),
            new Known("Firefox/", "Firefox"),
            new Known("FxiOS/", "Firefox"),
            new Known("Chrome/", "Chrome"),
            new Known("CriOS/", "Chrome"),
            new Known("Safari/", "Safari"));

    private static final List<Known> SYSTEMS = List.of(
            new Known("Android", "Android"),
            new Known("iPhone", "iPhone"),
            new Known("iPad", "iPad"),
            new Known("Windows", "Windows"),
            new Known("Mac OS X", "macOS"),
            new Known("CrOS", "ChromeOS"),
            new Known("Linux", "Linux"));

    private Device() {}

    private record Known(String sign, String name) {}

    static String of(String userAgent) {
        String program = first(PROGRAMS, userAgent, "Unknown browser");
        String system = first(SYSTEMS, userAgent, "");
        return system.isEmpty() ? program : program + " on " + system;
    }

    private static String first(List<Known> all, String userAgent, String otherwise) {
        return all.stream()
                .filter(known -> userAgent.contains(known.sign()))
                .map(Known::name)
                .findFirst()
                .orElse(otherwise);
    }
}
