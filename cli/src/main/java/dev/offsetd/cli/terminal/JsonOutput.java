package dev.offsetd.cli.terminal;

import java.io.IOException;
import java.io.Writer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** JSON on standard output, compact, one value a line. */
public final class JsonOutput {

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            // A flush a line would make a system call of each of 10,000 definitions.
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .build();

    private JsonOutput() {}

    /** Writes what {@code content} writes, and ends the line. */
    public static void print(Console console, Content content) throws IOException {
        Writer out = console.out();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            content.writeTo(json);
        }
        out.write('\n');
    }

    /** Writes one JSON value. */
    @FunctionalInterface
    public interface Content {

        void writeTo(JsonGenerator json);
    }
}
