package dev.offsetd.server.sources;

import com.google.re2j.Pattern;
import okhttp3.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Headers of a debuginfod about a file, as far as they may be passed on. Null for absent ones.
 *
 * @param file name of the file, without its folder
 * @param archive name of the package that it comes from, without its folder
 * @param imaSignature signature of an RPM distribution over the file, in hex
 */
public record FileHeaders(
        @Nullable String file,
        @Nullable String archive,
        @Nullable String imaSignature) {

    public static final String FILE = "X-DEBUGINFOD-FILE";
    public static final String ARCHIVE = "X-DEBUGINFOD-ARCHIVE";
    public static final String IMA_SIGNATURE = "X-DEBUGINFOD-IMASIGNATURE";

    static final FileHeaders NONE = new FileHeaders(null, null, null);

    private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]{0,253}[\\x21-\\x7e])?");

    /** A signature has at most some hundred bytes. */
    private static final Pattern SIGNATURE = Pattern.compile("([0-9a-fA-F]{2})+");

    private static final int MAX_SIGNATURE_CHARS = 4096;

    static FileHeaders of(Headers headers) {
        String signature = headers.get(IMA_SIGNATURE);
        return new FileHeaders(
                name(headers.get(FILE)),
                name(headers.get(ARCHIVE)),
                signature != null
                                && signature.length() <= MAX_SIGNATURE_CHARS
                                && SIGNATURE.matcher(signature).matches()
                        ? signature
                        : null);
    }

    private static @Nullable String name(@Nullable String path) {
        if (path == null) {
            return null;
        }
        String name = path.substring(path.lastIndexOf('/') + 1);
        return NAME.matcher(name).matches() ? name : null;
    }
}
