package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.answer.Comments;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.answer.TracerText;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.typeset.NameMap;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.ItemResolution.ResolvedItems;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.consensus.ConsensusItems;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.web.Representation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Body of an answer, which it renders. Facts about the build are comments in text representations, and so is each item that was
 * not found.
 */
final class AnswerBody {

    private static final byte[] STALE_JSON = "{\"stale\":true,".getBytes(StandardCharsets.UTF_8);

    /** RFC 8949 section 3: a map of indefinite length, a text string of five bytes, true. */
    private static final byte[] STALE_CBOR = HexFormat.of().parseHex("bf" + "657374616c65" + "f5");

    private static final String STALE = "stale: this may be out of date";

    private final BuildId id;
    private final @Nullable StoredFile file;
    private final OffsetsQuery query;
    private final ResolvedItems found;
    private final @Nullable ConsensusItems consensus;
    private final @Nullable Architecture architecture;

    private AnswerBody(
            BuildId id,
            @Nullable StoredFile file,
            OffsetsQuery query,
            ResolvedItems found,
            @Nullable ConsensusItems consensus) {
        this.id = id;
        this.file = file;
        this.query = query;
        this.found = found;
        this.consensus = consensus;
        this.architecture = file != null
                ? file.architecture()
                : consensus != null ? consensus.selection().program().architecture() : null;
    }

    /**
     * Renders an answer.
     *
     * @param file stored file of the build; null if only pins answer
     */
    static Answer render(BuildId id, @Nullable StoredFile file, OffsetsQuery query, ResolvedItems found) {
        return rendered(
                query,
                new AnswerBody(id, file, query, found, null),
                found.answers().complete() && found.marks().isEmpty());
    }

    /** Renders an answer that rests on other builds. */
    static Answer render(BuildId id, OffsetsQuery query, ConsensusItems found) {
        return rendered(query, new AnswerBody(id, null, query, found.items(), found), false);
    }

    private static Answer rendered(OffsetsQuery query, AnswerBody body, boolean lasting) {
        return new Answer(query.representation(), SpooledBody.of(body::write), lasting);
    }

    /** Returns an answer, which must be uncompressed, marked as possibly out of date. */
    static Answer markedStale(Answer answer) {
        byte[] mark = mark(answer.representation());
        SpooledBody marked = SpooledBody.of(out -> {
            try (InputStream in = answer.body().read()) {
                byte[] start = in.readNBytes(mark.length);
                out.write(mark);
                if (!Arrays.equals(start, mark)) {
                    // The brace of JSON and its equivalent in CBOR are part of the mark.
                    int skipped = Representation.STRUCTURED.contains(answer.representation()) ? 1 : 0;
                    out.write(start, skipped, start.length - skipped);
                }
                in.transferTo(out);
            }
        });
        return new Answer(answer.representation(), marked, false);
    }

    private static byte[] mark(Representation representation) {
        return switch (representation) {
            case JSON -> STALE_JSON;
            case CBOR -> STALE_CBOR;
            case TEXT, C_HEADER, BPFTRACE -> line(Comments.comment(STALE));
            case YAML, TRACEFS -> line(Comments.yaml(STALE));
            case CSV, XML -> throw notOffered();
        };
    }

    private void write(OutputStream out) throws IOException {
        List<ItemAnswer> answers = found.answers().items();
        Optional<NameMap.Values> map = found.answers().map();
        switch (query.representation()) {
            case JSON, CBOR -> writeMembers(out);
            case TEXT -> writeText(Comments::comment, LayoutText.lines(answers, found.types()), out);
            case C_HEADER ->
                writeText(
                        Comments::comment,
                        map.map(values -> NameMapWriter.header(values, id, architecture))
                                .orElseGet(() -> ConstantsHeader.lines(answers, found.types(), id, architecture)),
                        out);
            case YAML -> writeText(Comments::yaml, NameMapWriter.yaml(map.orElseThrow()), out);
            case TRACEFS -> writeText(Comments::yaml, tracer(TracerText.Dialect.TRACEFS), out);
            case BPFTRACE -> writeText(Comments::comment, tracer(TracerText.Dialect.BPFTRACE), out);
            case CSV, XML -> throw notOffered();
        }
    }

    private List<String> tracer(TracerText.Dialect dialect) {
        return TracerText.lines(found.answers().items(), dialect, query.base(), architecture);
    }

    private static IllegalArgumentException notOffered() {
        return new IllegalArgumentException("layouts have no such representation");
    }

    private void writeMembers(OutputStream bytes) {
        Optional<NameMap.Values> map = found.answers().map();
        try (JsonGenerator out = query.representation().generator(bytes)) {
            out.writeStartObject();
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            out.writeStringProperty("buildId", id.toString());
            if (architecture != null) {
                AnswerParts.writeArchitecture(out, architecture);
            }
            out.writeBooleanProperty("complete", found.answers().complete());
            if (consensus != null) {
                consensus.write(out);
            }
            map.ifPresent(values -> NameMapWriter.writeMap(out, values));
            out.writeName("offsets");
            if (map.isPresent()) {
                NameMapWriter.writeValues(out, map.get());
            } else {
                AnswerWriter writer = new AnswerWriter(query.view(), found.types());
                (consensus == null ? writer : writer.byConsensus(consensus.answers(), AnswerParts.OWN_SYMBOLS))
                        .writeAnswers(out, found.answers().items(), AnswerParts.SOURCE);
            }
            AnswerWriter.writeIncompleteItems(out, query.view(), found.answers().items());
            AppliedPins.write(out, "pinned", found.marks());
            out.writeObjectPropertyStart("provenance");
            if (file != null) {
                AnswerParts.writeSource(out, file);
            } else if (consensus != null) {
                consensus.writeSource(out);
            }
            found.pins().writeProvenance(out, found.marks());
            out.writeEndObject();
            out.writeEndObject();
        }
    }

    /** Writes lines after comments that state the build, the provenance and whether every item was found. */
    private void writeText(UnaryOperator<String> comment, List<String> body, OutputStream out) throws IOException {
        List<String> lines = new ArrayList<>(source());
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
        lines.replaceAll(comment);
        lines.add("");
        lines.addAll(body);
        for (String line : lines) {
            out.write(line(line));
        }
    }

    private List<String> source() {
        if (consensus != null) {
            return consensus.heading(id);
        }
        if (file == null) {
            return List.of("build-id " + id, "source: pins alone");
        }
        Architecture of = file.architecture();
        StringJoiner source = new StringJoiner(", ", "source: ", "");
        source.add(file.origin().word());
        if (!file.upstream().equals(file.origin().word())) {
            source.add(file.upstream());
        }
        Upload upload = file.upload();
        if (upload != null) {
            source.add("token " + upload.label());
        }
        return List.of(
                "build-id %s, %s, %d bits, %s-endian".formatted(id, of.machine(), of.bits(), of.byteOrderName()),
                source.toString(),
                "file: sha256 %s, verified: %s, extractor %d, %s"
                        .formatted(
                                file.sha256(), file.verified(), file.versions().types(), file.extractedAt()));
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
