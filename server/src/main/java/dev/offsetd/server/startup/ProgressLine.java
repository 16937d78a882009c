package dev.offsetd.server.startup;

import dev.offsetd.query.answer.ByteCount;
import dev.offsetd.server.startup.backup.Progress;
import java.io.PrintWriter;
import java.util.Locale;

/** Progress of a backup or restore on one line of the terminal. Prints nothing without a terminal. */
final class ProgressLine implements Progress {

    private static final long PERIOD_NANOS = 200_000_000;

    private final PrintWriter terminal;

    /** Set by the launcher, because Java cannot tell whether standard error is a terminal. */
    private final boolean shown = Boolean.getBoolean("offsetd.progress");

    private long last = System.nanoTime();
    private boolean written;

    ProgressLine(PrintWriter terminal) {
        this.terminal = terminal;
    }

    @Override
    public void at(String step, String table, long rows, long bytes) {
        long now = System.nanoTime();
        if (shown && now - last >= PERIOD_NANOS) {
            last = now;
            written = true;
            terminal.printf(
                    Locale.ROOT,
                    "\r\033[Koffsetd: %s %s, %,d rows, %s in all",
                    step,
                    table,
                    rows,
                    ByteCount.text(bytes));
            terminal.flush();
        }
    }

    void clear() {
        if (written) {
            written = false;
            terminal.print("\r\033[K");
            terminal.flush();
        }
    }
}
