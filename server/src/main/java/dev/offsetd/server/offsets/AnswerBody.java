package dev.offsetd.server.offsets;

import dev.offsetd.extractor.item.AnswerWriter;
import dev.offsetd.extractor.item.ItemAnswer;
import dev.offsetd.extractor.item.PinsInEffect;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.text.Comments;
import dev.offsetd.extractor.text.ConstantsHeader;
import dev.offsetd.extractor.text.LayoutText;
import dev.offsetd.server.asking.AnswerParts;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.web.Form;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/**
 * Writes what was found of a question as the body of its answer. Text is C: what is not of the layouts stands in comments,
 * and so does every item that was not found, by name and status.
 */
final class AnswerBody {

    private static final byte[] STALE_JSON = "{\"stale\":true,".getBytes(StandardCharsets.UTF_8);

    /** RFC 8949 section 3: a map without a count, text of five bytes, true. */
    private static final byte[] STALE_CBOR = HexFormat.of().parseHex("bf" + "657374616c65" + "f5");

    private static final byte[] STALE_TEXT =
            (Comments.comment("stale: this may be out of date") + "\n").getBytes(StandardCharsets.UTF_8);

    private AnswerBody() {}

    /**
     * The body.
     *
     * @param file what is stored of the build; empty if nothing is, and pins answer alone
     */
    static byte[] write(BuildId id, Optional<StoredFile> file, Question question, StoredItems.Found found) {
        List<ItemAnswer> answers = found.answers().items();
        return switch (question.form()) {
            case JSON, CBOR -> members(id, file, question, found);
            case TEXT -> text(heading(id, file, found), LayoutText.lines(answers));
            case C_HEADER ->
                text(
                        heading(id, file, found),
                        ConstantsHeader.lines(answers, Optional.of(id), file.map(StoredFile::architecture)));
            case CSV -> throw new IllegalArgumentException("layouts are no table");
        };
    }

    /** The body, saying that it may be out of date. */
    static byte[] markedStale(byte[] body, Form form) {
        return switch (form) {
            case JSON -> begunWith(STALE_JSON, body, 1);
            case CBOR -> begunWith(STALE_CBOR, body, 1);
            case TEXT, C_HEADER -> begunWith(STALE_TEXT, body, 0);
            case CSV -> throw new IllegalArgumentException("layouts are no table");
        };
    }

    /** @param from how many bytes of the body the start stands for */
    private static byte[] begunWith(byte[] start, byte[] body, int from) {
        byte[] whole = Arrays.copyOf(start, start.length + body.length - from);
        System.arraycopy(body, from, whole, start.length, body.length - from);
        return whole;
    }

    private static byte[] members(BuildId id, Optional<StoredFile> file, Question question, StoredItems.Found found) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try (JsonGenerator out = question.form().generator(bytes)) {
            out.writeStartObject();
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            out.writeStringProperty("buildId", id.toString());
            file.ifPresent(known -> AnswerParts.writeArchitecture(out, known.architecture()));
            out.writeBooleanProperty("complete", found.answers().complete());
            out.writeName("offsets");
            new AnswerWriter(question.view()).writeAnswers(out, found.answers().items(), AnswerParts.SOURCE);
            PinsInEffect.write(out, "pinned", found.marks());
            AnswerParts.writeProvenance(out, file, found.pins(), found.marks());
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }

    /** Of which build a text is, where it is from, and whether it is all that was asked for. */
    private static List<String> heading(BuildId id, Optional<StoredFile> stored, StoredItems.Found found) {
        List<String> lines = new ArrayList<>();
        if (stored.isPresent()) {
            addFile(lines, id, stored.get());
        } else {
            lines.add(Comments.comment("build-id %s".formatted(id)));
            lines.add(Comments.comment("source: pins alone"));
        }
        for (PinMark mark : found.marks()) {
            Pin pin = found.pins().of(mark);
            lines.add(Comments.comment("%s: pin of %s by %s, %s: %s"
                    .formatted(
                            mark.source(),
                            mark.item(),
                            pin.author(),
                            pin.editedAt(),
                            pin.draft().reason())));
        }
        lines.add(Comments.comment(
                found.answers().complete()
                        ? "complete: everything was found"
                        : "incomplete: not everything was found"));
        lines.add("");
        return lines;
    }

    private static void addFile(List<String> lines, BuildId id, StoredFile file) {
        Architecture architecture = file.architecture();
        StringJoiner source = new StringJoiner(", ", "source: ", "");
        source.add(file.origin().word());
        source.add(file.upstream());
        Upload upload = file.upload();
        if (upload != null) {
            source.add("token " + upload.label());
        }
        lines.add(Comments.comment("build-id %s, %s, %d bits, %s-endian"
                .formatted(id, architecture.machine(), architecture.bits(), architecture.byteOrderName())));
        lines.add(Comments.comment(source.toString()));
        lines.add(Comments.comment("file: sha256 %s, verified: %s, extractor %d, %s"
                .formatted(file.sha256(), file.verified(), file.extractorVersion(), file.extractedAt())));
    }

    private static byte[] text(List<String> heading, List<String> lines) {
        return Stream.concat(heading.stream(), lines.stream())
                .map(line -> line + "\n")
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.UTF_8);
    }
}
