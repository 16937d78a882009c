package dev.offsetd.server.operations.health;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process after an error that it cannot recover from, so that its supervisor restarts it.
 *
 * <p>{@code -XX:+ExitOnOutOfMemoryError} covers only heap and metaspace. This class covers direct memory, threads that
 * the system cannot create, and installations without the flag. A process that stays alive after such an error has lost
 * an unknown thread, such as the one that accepts connections.
 */
public final class FatalErrors {

    /** Exit code of a process that ends itself; the same as that of the JVM's flag. */
    public static final int EXIT_CODE = 3;

    /** Limit of the chain of causes, which may be a loop. There may be no memory to collect them in a list. */
    private static final int MAX_CAUSES = 64;

    // Allocated in advance, because there may be no memory when they are needed.
    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);
    private static final byte[] PREFIX = bytes("offsetd: fatal: ");
    private static final byte[] SUFFIX = bytes("; the process ends with exit code " + EXIT_CODE + "\n");

    private FatalErrors() {}

    /** Ends the process when a thread dies of a fatal error. Stack traces of other errors are printed as by default. */
    public static void haltOnUncaught() {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            haltIfFatal(e);
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            e.printStackTrace();
        });
    }

    /** Ends the process if the error or one of its causes is fatal. {@link StackOverflowError} is not. */
    public static void haltIfFatal(Throwable e) {
        Throwable cause = e;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof OutOfMemoryError) {
                halt("out of memory", cause);
            }
            cause = cause.getCause();
        }
    }

    /** Ends the process without shutdown hooks: leases expire, and PostgreSQL recovers at the next start. */
    static void halt(String reason) {
        halt(reason, null);
    }

    private static void halt(String reason, @Nullable Throwable e) {
        try {
            STANDARD_ERROR.write(PREFIX);
            STANDARD_ERROR.write(bytes(e == null ? reason : reason + ": " + e.getMessage()));
            STANDARD_ERROR.write(SUFFIX);
            if (e != null) {
                e.printStackTrace();
            }
        } catch (IOException | OutOfMemoryError unheard) {
            // The exit code still states the reason.
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
