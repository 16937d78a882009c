package dev.offsetd.cli.terminal;

import java.io.IOException;
import java.io.Writer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Compact JSON on standard output, one value per line. */
public final class JsonOutput {

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            // Flushing each line would cost a system call for each of 10,000 definitions.
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .build();

    private JsonOutput() {}

    public static void print(Console console, JsonWriter content) throws IOException {
        Writer out = console.out();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            content.writeTo(json);
        }
        out.write('\n');
    }

    @FunctionalInterface
    public interface JsonWriter {

        void writeTo(JsonGenerator json);
    }
}
