package dev.offsetd.query.answer;

import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.query.symbol.SymbolAt;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes the functions and lines at an address as JSON. */
public final class FrameWriter {

    /** Member that lists the functions and lines at an address. */
    public static final String FRAMES = "frames";

    private FrameWriter() {}

    /**
     * Writes the entry of an address.
     *
     * @param detail why it was not looked up; null if it was
     * @param symbol preferred symbol at the address; null for none
     * @param frames the innermost first
     */
    public static void write(
            JsonGenerator json,
            FrameStatus status,
            @Nullable String detail,
            @Nullable SymbolAt symbol,
            List<Frame> frames) {
        json.writeStartObject();
        json.writeStringProperty("status", status.word());
        if (detail != null) {
            json.writeStringProperty("detail", detail);
        }
        if (symbol != null) {
            json.writeObjectPropertyStart("symbol");
            json.writeStringProperty("name", symbol.symbol().versionedName());
            SymbolWriter.writeUnsigned(json, "offset", symbol.offset());
            json.writeEndObject();
        }
        write(json, frames);
        json.writeEndObject();
    }

    /** Writes the property {@code frames}: an array. */
    private static void write(JsonGenerator json, List<Frame> frames) {
        json.writeArrayPropertyStart(FRAMES);
        for (Frame frame : frames) {
            json.writeStartObject();
            json.writeStringProperty("function", frame.function());
            if (frame.linkageName() != null) {
                json.writeStringProperty("linkageName", frame.linkageName());
            }
            json.writeStringProperty("file", frame.file());
            json.writeNumberProperty("line", frame.line());
            json.writeNumberProperty("column", frame.column());
            if (frame.discriminator() != 0) {
                json.writeNumberProperty("discriminator", frame.discriminator());
            }
            json.writeBooleanProperty("inlined", frame.inlined());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
