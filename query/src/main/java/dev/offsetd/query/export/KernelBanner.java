package dev.offsetd.query.export;

import java.nio.charset.StandardCharsets;

/** The variable {@code linux_banner} of a kernel, by which volatility3 finds the symbols for a dump. */
public final class KernelBanner {

    /** Name of the variable. */
    static final String SYMBOL = "linux_banner";

    private KernelBanner() {}

    /**
     * Returns the bytes of the variable.
     *
     * @param banner its text without the line feed at its end
     */
    public static byte[] bytes(String banner) {
        return (banner + "\n\0").getBytes(StandardCharsets.UTF_8);
    }
}
