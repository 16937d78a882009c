package dev.offsetd.server.web;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.util.HexFormat;
import org.apache.commons.codec.digest.DigestUtils;

/** Strong validators of representations (RFC 9110 section 8.8.3). */
public final class ETag {

    private ETag() {}

    /** Returns the validator of these bytes, in quotes. */
    public static String of(byte[] body) {
        return quoted(DigestUtils.sha256(body));
    }

    /** Returns a stream that forwards to another one and computes the validator. */
    public static Digest digest(OutputStream out) {
        return new Digest(out);
    }

    /** Computes the validator of the bytes written to it. */
    public static final class Digest extends DigestOutputStream {

        private Digest(OutputStream out) {
            super(out, DigestUtils.getSha256Digest());
        }

        /** Returns the validator of the bytes written so far, in quotes. */
        public String etag() {
            return quoted(getMessageDigest().digest());
        }
    }

    private static String quoted(byte[] digest) {
        return '"' + HexFormat.of().formatHex(digest) + '"';
    }
}
