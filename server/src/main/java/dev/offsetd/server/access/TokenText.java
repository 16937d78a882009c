package dev.offsetd.server.access;

import dev.offsetd.server.web.TokenShape;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * Text of a token: {@value #PREFIX}, 256 random bits in base64url (43 characters), and the CRC-32 of both in base64url (6
 * characters). Secret scanners recognize the prefix and verify the checksum. A mistyped token is refused without a lookup.
 */
public final class TokenText {

    public static final String PREFIX = TokenShape.PREFIX;

    private static final int RANDOM_BYTES = 32;
    private static final int CHECKED_CHARACTERS = PREFIX.length() + 43;
    private static final int CHARACTERS = CHECKED_CHARACTERS + 6;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private TokenText() {}

    /** Returns a new random token. */
    public static String random(SecureRandom random) {
        byte[] secret = new byte[RANDOM_BYTES];
        random.nextBytes(secret);
        String checked = PREFIX + BASE64.encodeToString(secret);
        return checked + checksum(checked);
    }

    /** Returns the hash that the token is stored under; empty if the text is not a token. */
    static Optional<TokenHash> hash(String text) {
        if (!hasShape(text) || !text.endsWith(checksum(text.substring(0, CHECKED_CHARACTERS)))) {
            return Optional.empty();
        }
        return Optional.of(TokenHash.of(text));
    }

    /** Returns whether the text has the prefix, alphabet and length of a token. Hot: called for every request. */
    private static boolean hasShape(String text) {
        if (text.length() != CHARACTERS || !text.startsWith(PREFIX)) {
            return false;
        }
        for (int i = PREFIX.length(); i < text.length(); i++) {
            if (!TokenShape.isCharacter(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static String checksum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return BASE64.encodeToString(
                ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array());
    }
}
