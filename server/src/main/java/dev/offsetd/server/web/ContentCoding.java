package dev.offsetd.server.web;

import com.github.luben.zstd.ZstdOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.springframework.http.HttpHeaders;

/** Content coding of a response body (RFC 9110 section 8.4.1). The last one is used if a client likes several equally. */
public enum ContentCoding {
    IDENTITY,
    GZIP,
    /** RFC 8878. */
    ZSTD;

    /** Codings of small answers, which are encoded for each query. */
    public static final Set<ContentCoding> COMMON = Collections.unmodifiableSet(EnumSet.of(IDENTITY, GZIP));

    /** Weights (RFC 9110 section 12.4.2) are counted in thousandths. */
    private static final int FULL = 1000;

    private static final int NOT_SAID = -1;

    /** Returns the coding for a request: identity unless the client accepts another one of those offered. */
    public static ContentCoding of(HttpServletRequest request, Set<ContentCoding> offered) {
        Enumeration<String> headers = request.getHeaders(HttpHeaders.ACCEPT_ENCODING);
        if (!headers.hasMoreElements()) {
            return IDENTITY;
        }
        String first = headers.nextElement();
        if (!headers.hasMoreElements()) {
            return accepted(first, offered);
        }
        StringBuilder all = new StringBuilder(first);
        while (headers.hasMoreElements()) {
            all.append(',').append(headers.nextElement());
        }
        return accepted(all.toString(), offered);
    }

    /**
     * Returns the coding that an {@code Accept-Encoding} header asks for (RFC 9110 section 12.5.3): {@link #IDENTITY}
     * if no other is acceptable. Malformed weights count as 1.
     */
    static ContentCoding accepted(String header, Set<ContentCoding> offered) {
        if (!offered.contains(ZSTD) && (header.equals("gzip") || header.startsWith("gzip, "))) {
            return GZIP;
        }
        Map<ContentCoding, Integer> weights = new EnumMap<>(ContentCoding.class);
        int others = NOT_SAID;
        for (String element : header.split(",", -1)) {
            int semicolon = element.indexOf(';');
            String coding = (semicolon < 0 ? element : element.substring(0, semicolon))
                    .strip()
                    .toLowerCase(Locale.ROOT);
            int weight = semicolon < 0 ? FULL : weight(element.substring(semicolon + 1));
            switch (coding) {
                case "gzip", "x-gzip" -> weights.put(GZIP, weight);
                case "zstd" -> weights.put(ZSTD, weight);
                case "identity" -> weights.put(IDENTITY, weight);
                case "*" -> others = weight;
                default -> {
                    // Unsupported coding.
                }
            }
        }
        ContentCoding best = IDENTITY;
        int most = weights.getOrDefault(IDENTITY, NOT_SAID);
        for (ContentCoding coding : offered) {
            int weight = coding == IDENTITY ? 0 : weights.getOrDefault(coding, others);
            if (weight > 0 && weight >= most) {
                best = coding;
                most = weight;
            }
        }
        return best;
    }

    private static int weight(String parameters) {
        String text = parameters.strip();
        if (text.length() < 3 || !text.regionMatches(true, 0, "q=", 0, 2)) {
            return FULL;
        }
        try {
            return (int) Math.round(Double.parseDouble(text.substring(2)) * FULL);
        } catch (NumberFormatException e) {
            return FULL;
        }
    }

    /** Returns the value of {@code Content-Encoding}; identity has none. */
    public String token() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns a stream that writes to another one in this coding, and closes it. The output is deterministic. */
    public OutputStream encoder(OutputStream out) throws IOException {
        return switch (this) {
            case IDENTITY -> out;
            case GZIP -> new GZIPOutputStream(out, 1 << 14);
            case ZSTD -> new ZstdOutputStream(out);
        };
    }
}
