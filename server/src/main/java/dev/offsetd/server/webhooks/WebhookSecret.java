package dev.offsetd.server.webhooks;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import org.apache.commons.codec.digest.HmacAlgorithms;
import org.apache.commons.codec.digest.HmacUtils;

/**
 * Key by which a receiver recognizes this server: HMAC-SHA256 as Standard Webhooks prescribes it, so that receivers need no code of
 * their own. It is never shown.
 */
final class WebhookSecret {

    static final String EXPECTED = "\"whsec_\" and 24 to 64 random bytes in base64";

    private static final String PREFIX = "whsec_";
    private static final int MIN_BYTES = 24;
    private static final int MAX_BYTES = 64;

    private final byte[] bytes;

    WebhookSecret(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    /** Parses the text of a secret; empty if it is not {@value #EXPECTED}. */
    static Optional<WebhookSecret> parse(String text) {
        if (!text.startsWith(PREFIX)) {
            return Optional.empty();
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(text.substring(PREFIX.length()));
            return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES
                    ? Optional.of(new WebhookSecret(bytes))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the signature of a message: {@code v1,} and base64. */
    String sign(String id, long timestamp, byte[] body) {
        Mac mac = HmacUtils.getInitializedMac(HmacAlgorithms.HMAC_SHA_256, bytes);
        mac.update((id + '.' + timestamp + '.').getBytes(StandardCharsets.US_ASCII));
        return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    }

    @Override
    public String toString() {
        return "hidden";
    }
}
