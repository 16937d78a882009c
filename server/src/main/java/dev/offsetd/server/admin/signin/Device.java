package dev.offsetd.server.admin.signin;

import java.util.List;

/** Name of a browser and its operating system, from its {@code User-Agent}: enough to recognize a device. */
final class Device {

    /** The first match counts: most browsers also name those that they are compatible with. */
    private static final List<DeviceName> PROGRAMS = List.of(
            new DeviceName("Edg", "Edge"),
            new DeviceName("OPR/", "Opera"),
            new DeviceName("Firefox/", "Firefox"),
            new DeviceName("FxiOS/", "Firefox"),
            new DeviceName("Chrome/", "Chrome"),
            new DeviceName("CriOS/", "Chrome"),
            new DeviceName("Safari/", "Safari"));

    private static final List<DeviceName> SYSTEMS = List.of(
            new DeviceName("Android", "Android"),
            new DeviceName("iPhone", "iPhone"),
            new DeviceName("iPad", "iPad"),
            new DeviceName("Windows", "Windows"),
            new DeviceName("Mac OS X", "macOS"),
            new DeviceName("CrOS", "ChromeOS"),
            new DeviceName("Linux", "Linux"));

    private Device() {}

    private record DeviceName(String sign, String name) {}

    static String of(String userAgent) {
        String program = first(PROGRAMS, userAgent, "Unknown browser");
        String system = first(SYSTEMS, userAgent, "");
        return system.isEmpty() ? program : program + " on " + system;
    }

    private static String first(List<DeviceName> all, String userAgent, String otherwise) {
        return all.stream()
                .filter(known -> userAgent.contains(known.sign()))
                .map(DeviceName::name)
                .findFirst()
                .orElse(otherwise);
    }
}
