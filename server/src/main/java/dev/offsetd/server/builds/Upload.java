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
 * @param lines whether the file has line tables; null if that is not known
 */
public record Upload(
        @Nullable UUID token,
        String label,
        boolean dwarf,
        long debugInfoBytes,
        @Nullable Boolean lines) {

    /** Stands for an upload where other files name their upstream or folder. */
    public static final String SOURCE = "upload";

    /** Source of a build that another server has extracted. */
    public static final String BUNDLE = "bundle";

    /** An upload whose line tables are not known. */
    public Upload(@Nullable UUID token, String label, boolean dwarf, long debugInfoBytes) {
        this(token, label, dwarf, debugInfoBytes, null);
    }

    /** Returns whether both have the same token or, without a token, the same label. */
    public boolean sameUploaderAs(@Nullable UUID otherToken, String otherLabel) {
        return Objects.equals(token, otherToken) && (token != null || label.equals(otherLabel));
    }
}
