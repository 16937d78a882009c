package dev.offsetd.server.offsets;

import dev.offsetd.extractor.item.AnswerWriter;
import dev.offsetd.extractor.item.ItemAnswer;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import java.io.ByteArrayOutputStream;
import java.util.List;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes what was found of a question as the body of its answer. Safe for any number of threads. */
final class AnswerBody {

    private static final int SCHEMA_VERSION = 1;
    private static final String SOURCE = "p1";

    private final JsonFactory json = new JsonFactory();

    /**
     * The body.
     *
     * @param file what is stored of the build
     * @param complete whether every item was found
     */
    byte[] write(BuildId id, StoredFile file, View view, List<ItemAnswer> answers, boolean complete) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try (JsonGenerator out = json.createGenerator(ObjectWriteContext.empty(), bytes, JsonEncoding.UTF8)) {
            out.writeStartObject();
            out.writeNumberProperty("schemaVersion", SCHEMA_VERSION);
            out.writeStringProperty("buildId", id.toString());
            writeArchitecture(out, file.architecture());
            out.writeBooleanProperty("complete", complete);
            out.writeName("offsets");
            new AnswerWriter(view).writeAnswers(out, answers, SOURCE);
            out.writeObjectPropertyStart("provenance");
            writeProvenance(out, file);
            out.writeEndObject();
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }

    private static void writeArchitecture(JsonGenerator out, Architecture architecture) {
        out.writeObjectPropertyStart("arch");
        out.writeStringProperty("machine", architecture.machine());
        out.writeNumberProperty("bits", architecture.bits());
        out.writeStringProperty("byteOrder", architecture.byteOrderName());
        out.writeEndObject();
    }

    private static void writeProvenance(JsonGenerator out, StoredFile file) {
        out.writeObjectPropertyStart(SOURCE);
        out.writeStringProperty("origin", file.origin().word());
        out.writeStringProperty("upstream", file.upstream());
        Upload upload = file.upload();
        if (upload != null) {
            out.writeObjectPropertyStart("token");
            if (upload.token() != null) {
                out.writeStringProperty("id", upload.token().toString());
            }
            out.writeStringProperty("label", upload.label());
            out.writeEndObject();
        }
        out.writeStringProperty("sha256", file.sha256());
        out.writeStringProperty("verified", file.verified());
        out.writeStringProperty("extractor", Integer.toString(file.extractorVersion()));
        out.writeStringProperty("extractedAt", file.extractedAt().toString());
        out.writeEndObject();
    }
}
