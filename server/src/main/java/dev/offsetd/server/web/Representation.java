package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MimeTypeUtils;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.dataformat.cbor.CBORFactory;

/** Representation of a response, chosen by content negotiation. The order of the constants breaks ties. */
public enum Representation {
    JSON("application", "json", ""),
    /** The same members and values as the JSON (RFC 8949). */
    CBOR("application", "cbor", ""),
    TEXT("text", "plain", ";charset=UTF-8"),
    C_HEADER("text", "x-c", ";charset=UTF-8"),
    /** Arguments of uprobes. */
    TRACEFS("text", "x-tracefs", ";charset=UTF-8"),
    /** Expressions of bpftrace. */
    BPFTRACE("text", "x-bpftrace", ";charset=UTF-8"),
    CSV("text", "csv", ";charset=UTF-8"),
    YAML("application", "yaml", ""),
    /** JUnit's XML, which has no media type of its kind. */
    XML("application", "xml", "");

    /** Representations of answers that consist of members and values. */
    public static final Set<Representation> STRUCTURED = Collections.unmodifiableSet(EnumSet.of(JSON, CBOR));

    /** Shortcut for the usual {@code Accept} headers. */
    private static final Map<String, Representation> COMMON = Map.of(
            MediaType.ALL_VALUE,
            JSON,
            MediaType.APPLICATION_JSON_VALUE,
            JSON,
            MediaType.APPLICATION_CBOR_VALUE,
            CBOR,
            MediaType.TEXT_PLAIN_VALUE,
            TEXT,
            "text/x-c",
            C_HEADER);

    private static final JsonFactory JSON_GENERATORS = new JsonFactory();
    private static final CBORFactory CBOR_GENERATORS = new CBORFactory();

    private final String type;
    private final String subtype;
    private final String contentType;

    Representation(String type, String subtype, String parameters) {
        this.type = type;
        this.subtype = subtype;
        this.contentType = type + '/' + subtype + parameters;
    }

    public String contentType() {
        return contentType;
    }

    /** Returns a generator of this representation, which must be {@link #STRUCTURED}. */
    public JsonGenerator generator(OutputStream out) {
        return switch (this) {
            case JSON -> JSON_GENERATORS.createGenerator(ObjectWriteContext.empty(), out);
            case CBOR -> CBOR_GENERATORS.createGenerator(ObjectWriteContext.empty(), out);
            case TEXT, C_HEADER, TRACEFS, BPFTRACE, CSV, YAML, XML ->
                throw new IllegalStateException(this + " has no members and values");
        };
    }

    /** Renders an object in this representation, which must be {@link #STRUCTURED}. */
    public byte[] object(Consumer<JsonGenerator> properties) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = generator(bytes)) {
            out.writeStartObject();
            properties.accept(out);
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }

    /** Returns a response with an object in this representation. It depends on the time, so caches must not store it. */
    public ResponseEntity<byte[]> response(ResponseEntity.BodyBuilder answer, Consumer<JsonGenerator> properties) {
        return head(answer).body(object(properties));
    }

    /** Adds the headers of a response in this representation that caches must not store. */
    public ResponseEntity.BodyBuilder head(ResponseEntity.BodyBuilder answer) {
        return answer.cacheControl(CacheControl.noStore())
                .header(HttpHeaders.VARY, HttpHeaders.ACCEPT)
                .header(HttpHeaders.CONTENT_TYPE, contentType);
    }

    /** Writes a member that is an array of texts. */
    public static void write(JsonGenerator out, String name, Collection<String> texts) {
        out.writeArrayPropertyStart(name);
        texts.forEach(out::writeString);
        out.writeEndArray();
    }

    /** Writes a member that is an array of objects. */
    public static <T> void write(
            JsonGenerator out, String name, Iterable<T> objects, BiConsumer<JsonGenerator, T> members) {
        out.writeArrayPropertyStart(name);
        for (T object : objects) {
            out.writeStartObject();
            members.accept(out, object);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** Returns the representation of the response to a request; 406 if the client accepts none of those offered. */
    public static Representation of(HttpServletRequest request, Set<Representation> offered) {
        return of(Collections.list(request.getHeaders(HttpHeaders.ACCEPT)), offered);
    }

    /**
     * Returns the representation of a response.
     *
     * @param accept values of the {@code Accept} headers
     * @throws ProblemException as {@link #of(HttpServletRequest, Set)}
     */
    public static Representation of(List<String> accept, Set<Representation> offered) {
        return accepted(accept, offered)
                .orElseThrow(() -> new ProblemException(StatusProblems.notAcceptable(
                        String.join(", ", accept),
                        offered.stream()
                                .map(representation -> representation.type + '/' + representation.subtype)
                                .toList())));
    }

    /**
     * Returns the representation that the client prefers (RFC 9110 section 12.5.1). The most specific media range that
     * matches a representation gives its quality. Parameters other than {@code q} are ignored, because no
     * representation has variants. {@code text/html} counts for JSON too unless JSON is excluded explicitly: that is a
     * browser. Malformed ranges match nothing.
     *
     * @param accept values of the {@code Accept} headers; none, or only empty ones, accept everything
     * @return empty if the client accepts none of those offered
     */
    public static Optional<Representation> accepted(List<String> accept, Set<Representation> offered) {
        if (accept.size() == 1) {
            Representation common = COMMON.get(accept.getFirst());
            if (common != null && offered.contains(common)) {
                return Optional.of(common);
            }
        }
        if (accept.isEmpty() && offered.contains(JSON)) {
            return Optional.of(JSON);
        }
        if (accept.stream().allMatch(String::isBlank)) {
            return best(List.of(MediaType.ALL), offered);
        }
        return best(ranges(accept), offered);
    }

    private static Optional<Representation> best(List<MediaType> ranges, Set<Representation> offered) {
        Optional<Representation> best = Optional.empty();
        double most = 0;
        for (Representation representation : values()) {
            double quality = offered.contains(representation) ? representation.quality(ranges) : 0;
            if (quality > most) {
                most = quality;
                best = Optional.of(representation);
            }
        }
        return best;
    }

    /** Returns the quality that these ranges give to this representation, 0 to 1. */
    private double quality(List<MediaType> ranges) {
        int closest = -1;
        double quality = 0;
        double html = 0;
        for (MediaType range : ranges) {
            if (range.equalsTypeAndSubtype(MediaType.TEXT_HTML)) {
                html = Math.max(html, range.getQualityValue());
            }
            int closeness = closeness(range);
            if (closeness > closest) {
                closest = closeness;
                quality = range.getQualityValue();
            } else if (closeness == closest && closeness >= 0) {
                quality = Math.max(quality, range.getQualityValue());
            }
        }
        boolean refusedByName = closest == 2 && quality == 0;
        return this == JSON && !refusedByName ? Math.max(quality, html) : quality;
    }

    /**
     * Returns 2 for a range that names exactly this type, 1 for {@code text/*}, 0 for {@code *}{@code /*}, -1 for
     * others.
     */
    private int closeness(MediaType range) {
        if (isNamedBy(range)) {
            return 2;
        }
        if (!range.getSubtype().equals("*")) {
            return -1;
        }
        return range.isWildcardType() ? 0 : range.getType().equals(type) ? 1 : -1;
    }

    /** Returns whether the range is this type, whatever its parameters. */
    boolean isNamedBy(MediaType range) {
        return range.getType().equals(type) && range.getSubtype().equals(subtype);
    }

    /** Returns the well-formed media ranges, in order. */
    static List<MediaType> ranges(List<String> accept) {
        List<MediaType> ranges = new ArrayList<>();
        for (String value : accept) {
            for (String range : MimeTypeUtils.tokenize(value)) {
                try {
                    ranges.add(MediaType.parseMediaType(range));
                } catch (InvalidMediaTypeException unreadable) {
                    // Matches nothing.
                }
            }
        }
        return ranges;
    }
}
