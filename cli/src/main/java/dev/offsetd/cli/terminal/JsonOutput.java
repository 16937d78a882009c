package dev.offsetd.cli.terminal;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

/** Compact JSON on standard output, one value per line. */
public final class JsonOutput {

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            // Flushing each line would cost a system call for each of 10,000 definitions.
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .build();

    private JsonOutput() {}

    /**
     * Prints a value.
     *
     * @throws JacksonIOException if standard output cannot be written
     */
    public static void print(Console console, JsonWriter content) {
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), console.out())) {
            content.writeTo(json);
            json.writeRaw('\n');
        }
    }

    @FunctionalInterface
    public interface JsonWriter {

        void writeTo(JsonGenerator json);
    }
}
