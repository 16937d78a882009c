package dev.offsetd.query.answer;

import dev.offsetd.extractor.frames.Frame;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Writes the functions and lines at an address as JSON. */
public final class FrameWriter {

    /** Member that lists the functions and lines at an address. */
    public static final String FRAMES = "frames";

    private FrameWriter() {}

    /** Writes the property {@code frames}: an array, the innermost first. */
    public static void write(JsonGenerator json, List<Frame> frames) {
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
            json.writeBooleanProperty("inlined", frame.inlined());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
