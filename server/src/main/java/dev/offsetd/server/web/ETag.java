package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;
import org.springframework.http.HttpHeaders;

/** Strong validators of representations (RFC 9110 section 8.8.3). */
public final class ETag {

    private ETag() {}

    /** Returns the validator of these bytes, in quotes. */
    public static String of(byte[] body) {
        return of(List.of(body));
    }

    /** Returns the validator of a body in parts, in quotes. */
    public static String of(List<byte[]> parts) {
        MessageDigest digest = DigestUtils.getSha256Digest();
        parts.forEach(digest::update);
        return quoted(digest.digest());
    }

    /** Returns whether {@code If-None-Match} of a request names a representation (RFC 9110 section 13.1.2). */
    public static boolean isKnown(HttpServletRequest request, String etag) {
        return Collections.list(request.getHeaders(HttpHeaders.IF_NONE_MATCH)).stream()
                .anyMatch(tags -> isAmong(tags, etag));
    }

    /** Returns whether a value of {@code If-None-Match} names a representation. */
    public static boolean isAmong(String tags, String etag) {
        // Tags contain no quotes, so the quoted tag matches whole list members only. If-None-Match compares weakly.
        return tags.contains(etag) || tags.strip().equals("*");
    }

    /** Computes the validator of the bytes written to it. */
    public static final class Digest extends DigestOutputStream {

        public Digest(OutputStream out) {
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
