package dev.offsetd.server.operations.health;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Stacks of all threads, virtual ones included. */
final class ThreadDump {

    private static final int MOST_CHARACTERS = 1 << 20;

    private ThreadDump() {}

    /** Returns the stacks, or why they cannot be had. */
    static String text() {
        try {
            Path folder = Files.createTempDirectory("offsetd-threads");
            Path file = folder.resolve("threads.txt");
            try {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
                String text = Files.readString(file);
                return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException | RuntimeException e) {
            return "not available: " + e;
        }
    }
}
