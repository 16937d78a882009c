package dev.offsetd.server.web;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Strong validators of representations (RFC 9110 section 8.8.3). */
public final class ETag {

    private ETag() {}

    /** Returns the validator of these bytes, in quotes. */
    public static String of(byte[] body) {
        return quoted(sha256().digest(body));
    }

    /** Returns a stream that forwards to another one and computes the validator. */
    public static Digest digest(OutputStream out) {
        return new Digest(out);
    }

    /** Computes the validator of the bytes written to it. */
    public static final class Digest extends DigestOutputStream {

        private Digest(OutputStream out) {
            super(out, sha256());
        }

        /** Returns the validator of the bytes written so far, in quotes. */
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
