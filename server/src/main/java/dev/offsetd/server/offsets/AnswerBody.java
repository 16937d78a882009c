package dev.offsetd.server.offsets;

import dev.offsetd.extractor.item.AnswerWriter;
import dev.offsetd.extractor.item.ItemAnswer;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.asking.AnswerParts;
import dev.offsetd.server.builds.StoredFile;
import java.io.ByteArrayOutputStream;
import java.util.List;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes what was found of a question as the body of its answer. Safe for any number of threads. */
final class AnswerBody {

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
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            out.writeStringProperty("buildId", id.toString());
            AnswerParts.writeArchitecture(out, file.architecture());
            out.writeBooleanProperty("complete", complete);
            out.writeName("offsets");
            new AnswerWriter(view).writeAnswers(out, answers, AnswerParts.SOURCE);
            AnswerParts.writeProvenance(out, file);
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }
}
