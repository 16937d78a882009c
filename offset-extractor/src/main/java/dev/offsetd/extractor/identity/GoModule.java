package dev.offsetd.extractor.identity;

import com.google.re2j.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A module that a Go program is built from, as {@code go version -m} prints it.
 *
 * @param path what the names of its packages start with
 * @param version the version that the program requires; empty if the module has none
 * @param replacement the module whose code is used instead; null if it is not replaced
 */
public record GoModule(
        String path, String version, @Nullable Replacement replacement) {

    /** Most modules of a program that are read; more are dropped. Large programs have several hundred. */
    public static final int MAX_MODULES = 4096;

    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9._~/-]{1,255}");
    private static final Pattern VERSION = Pattern.compile("[A-Za-z0-9._+-]{0,128}");

    private static final Pattern FOLDER = Pattern.compile("[^[:cntrl:]]+");
    private static final int MAX_FOLDER_CHARS = 1_024;

    /**
     * The module behind {@code =>}.
     *
     * @param path of a module or of a folder
     * @param version empty for a folder
     */
    public record Replacement(String path, String version) {}

    /**
     * Creates a module.
     *
     * @throws IllegalArgumentException if the path or the version has characters that Go does not allow there, or is too long
     */
    public GoModule {
        if (!PATH.matcher(path).matches() || !VERSION.matcher(version).matches()) {
            throw new IllegalArgumentException("malformed path or version of a module");
        }
        if (replacement != null
                && !(replacement.path().length() <= MAX_FOLDER_CHARS
                        && FOLDER.matcher(replacement.path()).matches()
                        && VERSION.matcher(replacement.version()).matches())) {
            throw new IllegalArgumentException("malformed path or version of a replacement");
        }
    }
}
