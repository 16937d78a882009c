package dev.offsetd.server.web;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Strong validators of answers (RFC 9110 section 8.8.3). */
public final class ETag {

    private ETag() {}

    /** The validator of exactly these bytes, in quotes. */
    public static String of(byte[] body) {
        try {
            return '"'
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(body))
                    + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
