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

/** A set as it is handed out and kept. */
public record TypeSetDocument(TypeSet set) {

    /** A set that was stored. */
    static TypeSetDocument ofText(String json) {
        return new TypeSetDocument(TypeSetParser.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    /** As JSON. */
    public String text() {
        return new String(bytes(Representation.JSON), StandardCharsets.UTF_8);
    }

    /** The document in one of the structured forms. */
    byte[] bytes(Representation representation) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = representation.generator(bytes)) {
            TypeSetWriter.write(out, set);
        }
        return bytes.toByteArray();
    }

    /** Strong validator of the document in this form, in quotes. */
    public String etag(Representation representation) {
        return ETag.of(bytes(representation));
    }

    /** The validators of all its forms. */
    Set<String> etags() {
        return Representation.STRUCTURED.stream().map(this::etag).collect(Collectors.toUnmodifiableSet());
    }
}
