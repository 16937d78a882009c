package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.answer.Comments;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.web.Representation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;
import tools.jackson.core.JsonGenerator;

/**
 * Renders the body of an answer. Text representations are C: facts about the build are comments, and so is each item
 * that was not found.
 */
final class AnswerBody {

    private static final byte[] STALE_JSON = "{\"stale\":true,".getBytes(StandardCharsets.UTF_8);

    /** RFC 8949 section 3: a map of indefinite length, a text string of five bytes, true. */
    private static final byte[] STALE_CBOR = HexFormat.of().parseHex("bf" + "657374616c65" + "f5");

    private static final String STALE = "stale: this may be out of date";

    private AnswerBody() {}

    /**
     * Renders an answer.
     *
     * @param file stored file of the build; empty if only pins answer
     */
    static SpooledBody of(BuildId id, Optional<StoredFile> file, OffsetsQuery query, StoredItems.ResolvedItems found) {
        return of(id, file, query, found, Optional.empty());
    }

    /** Renders an answer that rests on other builds. */
    static SpooledBody of(BuildId id, OffsetsQuery query, ConsensusItems found) {
        return of(id, Optional.empty(), query, found.items(), Optional.of(found));
    }

    private static SpooledBody of(
            BuildId id,
            Optional<StoredFile> file,
            OffsetsQuery query,
            StoredItems.ResolvedItems found,
            Optional<ConsensusItems> consensus) {
        List<ItemAnswer> answers = found.answers().items();
        return SpooledBody.of(out -> {
            switch (query.representation()) {
                case JSON, CBOR -> writeMembers(id, file, query, found, consensus, out);
                case TEXT -> {
                    writeHeading(id, file, found, consensus, Comments::comment, out);
                    writeLines(LayoutText.lines(answers, found.types()), out);
                }
                case C_HEADER -> {
                    writeHeading(id, file, found, consensus, Comments::comment, out);
                    Optional<Architecture> architecture = architecture(file, consensus);
                    writeLines(
                            found.answers()
                                    .map()
                                    .map(values -> NameMapWriter.header(values, id, architecture.orElse(null)))
                                    .orElseGet(() -> ConstantsHeader.lines(
                                            answers, found.types(), id, architecture.orElse(null))),
                            out);
                }
                case YAML -> {
                    writeHeading(id, file, found, consensus, Comments::yaml, out);
                    writeLines(NameMapWriter.yaml(found.answers().map().orElseThrow()), out);
                }
                case CSV -> throw new IllegalArgumentException("CSV is not available for layouts");
            }
        });
    }

    /** Copies a body and marks the copy as possibly out of date. */
    static void writeStale(SpooledBody body, Representation representation, OutputStream out) throws IOException {
        try (InputStream in = body.read()) {
            switch (representation) {
                case JSON -> {
                    out.write(STALE_JSON);
                    in.skipNBytes(1);
                }
                case CBOR -> {
                    out.write(STALE_CBOR);
                    in.skipNBytes(1);
                }
                case TEXT, C_HEADER -> writeLines(List.of(Comments.comment(STALE)), out);
                case YAML -> writeLines(List.of(Comments.yaml(STALE)), out);
                case CSV -> throw new IllegalArgumentException("CSV is not available for layouts");
            }
            in.transferTo(out);
        }
    }

    private static void writeMembers(
            BuildId id,
            Optional<StoredFile> file,
            OffsetsQuery query,
            StoredItems.ResolvedItems found,
            Optional<ConsensusItems> consensus,
            OutputStream bytes) {
        try (JsonGenerator out = query.representation().generator(bytes)) {
            out.writeStartObject();
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            out.writeStringProperty("buildId", id.toString());
            architecture(file, consensus).ifPresent(known -> AnswerParts.writeArchitecture(out, known));
            out.writeBooleanProperty("complete", found.answers().complete());
            consensus.ifPresent(items -> ConsensusText.write(out, items));
            found.answers().map().ifPresent(values -> NameMapWriter.writeMap(out, values));
            out.writeName("offsets");
            found.answers()
                    .map()
                    .ifPresentOrElse(
                            values -> NameMapWriter.writeValues(out, values),
                            () -> new AnswerWriter(query.view(), found.types())
                                    .byConsensus(consensus
                                            .map(ConsensusItems::answers)
                                            .orElse(Map.of()))
                                    .writeAnswers(out, found.answers().items(), AnswerParts.SOURCE));
            AppliedPins.write(out, "pinned", found.marks());
            out.writeObjectPropertyStart("provenance");
            file.ifPresent(known -> AnswerParts.writeSource(out, known));
            consensus.ifPresent(items -> ConsensusText.writeSource(out, items));
            found.pins().writeProvenance(out, found.marks());
            out.writeEndObject();
            out.writeEndObject();
        }
    }

    private static void writeHeading(
            BuildId id,
            Optional<StoredFile> file,
            StoredItems.ResolvedItems found,
            Optional<ConsensusItems> consensus,
            UnaryOperator<String> comment,
            OutputStream out)
            throws IOException {
        List<String> lines = new ArrayList<>(
                heading(id, file, found, consensus).stream().map(comment).toList());
        lines.add("");
        writeLines(lines, out);
    }

    /** Returns the build, the provenance and whether every item was found, for comments. */
    private static List<String> heading(
            BuildId id,
            Optional<StoredFile> stored,
            StoredItems.ResolvedItems found,
            Optional<ConsensusItems> consensus) {
        List<String> lines = new ArrayList<>();
        if (stored.isPresent()) {
            addFile(lines, id, stored.get());
        } else if (consensus.isPresent()) {
            lines.addAll(ConsensusText.heading(id, consensus.get()));
        } else {
            lines.add("build-id %s".formatted(id));
            lines.add("source: pins alone");
        }
        for (AppliedPin mark : found.marks()) {
            Pin pin = found.pins().of(mark);
            lines.add("%s: pin of %s by %s, %s: %s"
                    .formatted(
                            mark.source(),
                            mark.item(),
                            pin.author(),
                            pin.editedAt(),
                            pin.draft().reason()));
        }
        lines.add(
                found.answers().complete() ? "complete: everything was found" : "incomplete: not everything was found");
        return lines;
    }

    private static Optional<Architecture> architecture(Optional<StoredFile> file, Optional<ConsensusItems> consensus) {
        return file.map(StoredFile::architecture)
                .or(() -> consensus.flatMap(
                        items -> Optional.ofNullable(items.selection().program().architecture())));
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
        lines.add("build-id %s, %s, %d bits, %s-endian"
                .formatted(id, architecture.machine(), architecture.bits(), architecture.byteOrderName()));
        lines.add(source.toString());
        lines.add("file: sha256 %s, verified: %s, extractor %d, %s"
                .formatted(file.sha256(), file.verified(), file.versions().types(), file.extractedAt()));
    }

    private static void writeLines(List<String> lines, OutputStream out) throws IOException {
        for (String line : lines) {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }
}
