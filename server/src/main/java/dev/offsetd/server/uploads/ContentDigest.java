package dev.offsetd.server.uploads;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The SHA-256 in a {@code Content-Digest} header (RFC 9530 §2), which is a dictionary of byte sequences. */
final class ContentDigest {

    static final String HEADER = "Content-Digest";

    /** A member of the dictionary (RFC 8941 §3.2): a key, its value in colons, and parameters, which are ignored. */
    private static final Pattern MEMBER =
            Pattern.compile(" *([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;[^,]*)? *");

    private static final String SHA256 = "sha-256";
    private static final int SHA256_BYTES = 32;

    private ContentDigest() {}

    /**
     * Returns the SHA-256 in lower-case hex; empty without headers.
     *
     * @throws IllegalArgumentException if the headers are malformed, or have other algorithms only
     */
    static Optional<String> sha256(List<String> headers) {
        if (headers.isEmpty()) {
            return Optional.empty();
        }
        Optional<byte[]> found = Optional.empty();
        for (String text : String.join(",", headers).split(",", -1)) {
            Matcher member = MEMBER.matcher(text);
            if (!member.matches()) {
                throw new IllegalArgumentException("it cannot be read");
            }
            // The last value of a repeated key counts (RFC 8941 §3.2).
            if (member.group(1).equals(SHA256)) {
                found = Optional.of(Base64.getDecoder().decode(member.group(2)));
            }
        }
        byte[] digest = found.orElseThrow(() -> new IllegalArgumentException("it has no sha-256"));
        if (digest.length != SHA256_BYTES) {
            throw new IllegalArgumentException("its sha-256 has " + digest.length + " bytes");
        }
        return Optional.of(HexFormat.of().formatHex(digest));
    }
}
