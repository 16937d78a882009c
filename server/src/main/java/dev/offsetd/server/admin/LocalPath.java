package dev.offsetd.server.admin;

import com.google.re2j.Pattern;
import org.jspecify.annotations.Nullable;

/** The target of a redirect that a client names: always a page of this server. */
public final class LocalPath {

    public static final String HOME = "/admin";

    /** A path below {@code /admin} with a query: nothing that a browser could read as another host or as two lines. */
    private static final Pattern PAGE =
            Pattern.compile("/admin(/[A-Za-z0-9._~%@:+-]+)*(\\?[A-Za-z0-9._~%!$'()*+,;:@/?&=-]*)?");

    private static final int MAX_LENGTH = 2000;

    private LocalPath() {}

    /** Returns the path if it is one of this server, else that of the overview. */
    public static String of(@Nullable String wanted) {
        return wanted != null
                        && wanted.length() <= MAX_LENGTH
                        && PAGE.matcher(wanted).matches()
                        && !wanted.contains("..")
                ? wanted
                : HOME;
    }
}
