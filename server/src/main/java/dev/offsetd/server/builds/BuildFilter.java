package dev.offsetd.server.builds;

import dev.offsetd.server.outcome.Origin;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Filter of a list of builds.
 *
 * @param state as answers spell it, {@value #RUNNING} included; null for any
 * @param origin null for any
 * @param machine name of the processor; null for any
 * @param first lowest build-id, as bytes
 * @param end a bound above the highest build-id; null if there is none
 */
// Used for one query: never compared, and the arrays are never changed.
@SuppressWarnings("ArrayRecordComponent")
public record BuildFilter(
        @Nullable String state,
        @Nullable Origin origin,
        @Nullable String machine,
        byte[] first,
        byte @Nullable [] end) {

    /** Not a stored state: a server works on the build right now. */
    public static final String RUNNING = "running";

    private static final int MAX_PREFIX = 128;

    /**
     * Returns the filter for build-ids that start with these hex digits, an even or odd number of them.
     *
     * @return empty if the prefix has other characters, or is longer than a build-id
     */
    public static Optional<BuildFilter> of(
            @Nullable String state, @Nullable Origin origin, @Nullable String machine, String prefix) {
        if (prefix.length() > MAX_PREFIX || !prefix.chars().allMatch(HexFormat::isHexDigit)) {
            return Optional.empty();
        }
        boolean odd = prefix.length() % 2 != 0;
        byte[] first = HexFormat.of().parseHex(odd ? prefix + "0" : prefix);
        return Optional.of(new BuildFilter(state, origin, machine, first, above(first, odd ? 0x10 : 1)));
    }

    /** Returns the lowest bytes above all that start with these; null if there are none. */
    private static byte @Nullable [] above(byte[] first, int step) {
        byte[] end = first.clone();
        int carry = step;
        for (int i = end.length - 1; i >= 0; i--) {
            int sum = (end[i] & 0xff) + carry;
            end[i] = (byte) sum;
            if (sum <= 0xff) {
                return Arrays.copyOf(end, i + 1);
            }
            carry = 1;
        }
        return null;
    }
}
