package dev.offsetd.server.admin.shell;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where a browser is sent after a form that says where: to one of our own pages, whatever the form says. */
public final class LocalPath {

    /** The overview. */
    public static final String HOME = "/admin";

    /** A path below {@code /admin} with a query; nothing that a browser could take for another host or for two lines. */
    private static final Pattern PAGE =
            Pattern.compile("/admin(/[A-Za-z0-9._~%@:+-]+)*(\\?[A-Za-z0-9._~%!$'()*+,;:@/?&=-]*)?");

    private static final int MAX_LENGTH = 2000;

    private LocalPath() {}

    /** The path if it is one of ours, else that of the overview. */
    public static String of(@Nullable String wanted) {
        return wanted != null
                        && wanted.length() <= MAX_LENGTH
                        && PAGE.matcher(wanted).matches()
                        && !wanted.contains("..")
                ? wanted
                : HOME;
    }
}
