package dev.offsetd.server.builds;

import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Properties of an uploaded debug file.
 *
 * @param token id of the uploader's token; null if there was none
 * @param label the token's label at the time of the upload, or another name of the uploader
 * @param dwarf whether the types were read from DWARF; otherwise from BTF
 * @param debugInfoBytes size of the debug information, decompressed
 */
public record Upload(@Nullable UUID token, String label, boolean dwarf, long debugInfoBytes) {

    /** Stands for an upload where other files name their upstream or folder. */
    public static final String SOURCE = "upload";

    /** Source of a build that another server has extracted. */
    public static final String BUNDLE = "bundle";

    /** Returns whether both have the same token or, without a token, the same label. */
    public boolean sameUploaderAs(Upload other) {
        return Objects.equals(token, other.token) && (token != null || label.equals(other.label));
    }

    /** Returns whether this file has more debug information: DWARF over BTF, then more bytes over fewer. */
    public boolean richerThan(Upload other) {
        return dwarf == other.dwarf ? debugInfoBytes > other.debugInfoBytes : dwarf;
    }
}
