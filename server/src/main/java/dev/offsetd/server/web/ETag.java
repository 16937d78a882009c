package dev.offsetd.server.web;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Strong validators of answers (RFC 9110 section 8.8.3). */
public final class ETag {

    private ETag() {}

    /** The validator of exactly these bytes, in quotes. */
    public static String of(byte[] body) {
        return quoted(sha256().digest(body));
    }

    /** A stream that passes on what is written to it, of which it has the validator at the end. */
    public static Digest digest(OutputStream out) {
        return new Digest(out);
    }

    /** Makes the validator of what is written. */
    public static final class Digest extends DigestOutputStream {

        private Digest(OutputStream out) {
            super(out, sha256());
        }

        /** The validator of exactly the bytes that were written, in quotes. */
        public String etag() {
            return quoted(getMessageDigest().digest());
        }
    }

    private static String quoted(byte[] digest) {
        return '"' + HexFormat.of().formatHex(digest) + '"';
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
