package dev.offsetd.server.health;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process after an error that it cannot live with, so that its supervisor starts it anew.
 *
 * <p>{@code -XX:+ExitOnOutOfMemoryError} covers a full heap and metaspace only. The rest ends up here: direct memory, which
 * Java code refuses; threads that the system does not give; and installations without the flag. A process that stays alive
 * after one of them has lost an unknown thread, for example the one that accepts connections.
 */
public final class FatalErrors {

    /** Exit code of a process that ends itself; the JVM's own flag uses the same. */
    public static final int EXIT_CODE = 3;

    /** Causes deeper than this are not looked at; a chain may be a loop. There may be no memory for a list of them. */
    private static final int MAX_CAUSES = 64;

    // Made in advance: there may be no memory left when they are needed.
    private static final FileOutputStream STANDARD_ERROR = new FileOutputStream(FileDescriptor.err);
    private static final byte[] PREFIX = bytes("offsetd: fatal: ");
    private static final byte[] SUFFIX = bytes("; the process ends with exit code " + EXIT_CODE + "\n");

    private FatalErrors() {}

    /** Ends the process when a thread dies of a fatal error. The stack trace of any other error is printed, as before. */
    public static void haltOnUncaught() {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            haltIfFatal(e);
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            e.printStackTrace();
        });
    }

    /** Ends the process if the error, or one of its causes, is fatal. A {@link StackOverflowError} is not. */
    public static void haltIfFatal(Throwable e) {
        Throwable cause = e;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof OutOfMemoryError) {
                halt("out of memory", cause);
            }
            cause = cause.getCause();
        }
    }

    /** Ends the process: no shutdown hook runs, leases run out, and PostgreSQL recovers at the next start. */
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
            // Ending is what matters; the exit code still says why.
        } finally {
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
