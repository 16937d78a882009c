package dev.offsetd.server.builds;

import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is special about a debug file that somebody uploaded.
 *
 * @param token id of the token that it came with; null if it came without one
 * @param label the token's label when the file came, or what else its uploader is called
 * @param dwarf whether its types were read from DWARF; else from BTF
 * @param debugInfoBytes size of that debug information, decompressed
 */
public record Upload(@Nullable UUID token, String label, boolean dwarf, long debugInfoBytes) {

    /** The word that stands for an upload where other files name their upstream or folder. */
    public static final String SOURCE = "upload";

    /** Whether both came with the same token; without one, from somebody of the same name. */
    public boolean sameUploaderAs(Upload other) {
        return Objects.equals(token, other.token) && (token != null || label.equals(other.label));
    }

    /** Whether this file says more of the build: DWARF more than BTF, and more bytes of it more than fewer. */
    public boolean richerThan(Upload other) {
        return dwarf == other.dwarf ? debugInfoBytes > other.debugInfoBytes : dwarf;
    }
}
