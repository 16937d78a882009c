package dev.offsetd.server.typesets;

import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetWriter;
import dev.offsetd.server.web.ETag;
import dev.offsetd.server.web.Representation;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.core.JsonGenerator;

/**
 * Document of a type set, as stored and served.
 *
 * @param retired whether lists leave the set out; not stored in the document
 */
public record TypeSetDocument(TypeSet set, boolean retired) {

    TypeSetDocument(TypeSet set) {
        this(set, false);
    }

    /** Parses a stored set. */
    static TypeSetDocument ofText(String json) {
        return new TypeSetDocument(TypeSetParser.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the document as JSON. */
    public String text() {
        return new String(bytes(Representation.JSON), StandardCharsets.UTF_8);
    }

    /** Returns the document in a structured representation. */
    byte[] bytes(Representation representation) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = representation.generator(bytes)) {
            TypeSetWriter.write(out, set, retired);
        }
        return bytes.toByteArray();
    }

    /** Returns a strong validator of a representation, in quotes. */
    public String etag(Representation representation) {
        return ETag.of(bytes(representation));
    }

    /** Returns the validators of all representations. */
    Set<String> etags() {
        return Representation.STRUCTURED.stream().map(this::etag).collect(Collectors.toUnmodifiableSet());
    }
}
