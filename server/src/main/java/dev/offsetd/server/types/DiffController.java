package dev.offsetd.server.types;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.query.diff.DiffWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.PinsInEffect;
import dev.offsetd.server.asking.AnswerParts;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.asking.Body;
import dev.offsetd.server.asking.Parameters;
import dev.offsetd.server.asking.Wait;
import dev.offsetd.server.asking.WrittenAnswer;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.web.Form;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;

/** What changed in the layouts of types from one build to another. */
@RestController
class DiffController {

    private static final String TYPES = "types";
    private static final String LANG = "lang";

    private final AskedBuilds asked;
    private final LayoutComparison layouts;

    DiffController(AskedBuilds asked, LayoutComparison layouts) {
        this.asked = asked;
        this.layouts = layouts;
    }

    /** One of the two builds, by the name of its parameter. */
    private record Side(String name, BuildId id) {}

    /** What is asked of both builds. */
    private record Question(Side from, Side to, List<Item> items, Optional<Language.Family> language, Form form) {}

    @GetMapping("/v1/diff")
    ResponseEntity<?> diff(HttpServletRequest request) {
        Form form = Form.of(request, Form.STRUCTURED);
        Question question = question(request.getQueryString(), form);
        Wait wait = Wait.of(request);
        BuildId from = question.from().id();
        BuildId to = question.to().id();
        List<Item> items = layouts.items(question.items());
        Optional<BuildId> missing = layouts.underWay(from, to, wait.time());
        Optional<Body> body = missing.isPresent()
                ? Optional.empty()
                : layouts.read(
                        from,
                        to,
                        items.size(),
                        sides -> body(
                                question,
                                sides,
                                LayoutDiff.ofItems(
                                        items, sides.from().types(), sides.to().types(), question.language())));
        if (body.isEmpty()) {
            // Not there yet, or there and extracted anew.
            return asked.underWay(missing.orElse(from), wait, form);
        }
        // Either build may change, so caches keep it shorter than the answer about one.
        return new WrittenAnswer(form, body.get(), false).forCaches(wait);
    }

    private static Question question(@Nullable String query, Form form) {
        Parameters parameters = Parameters.of(
                query, Set.of(LayoutComparison.FROM, LayoutComparison.TO, TYPES, LANG), Set.of(TYPES), TYPES::equals);
        Side from = side(LayoutComparison.FROM, parameters);
        Side to = side(LayoutComparison.TO, parameters);
        List<String> types = parameters.all(TYPES);
        if (types.isEmpty()) {
            throw Parameters.badRequest(
                    "missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        try {
            return new Question(from, to, ItemParser.parseList(types), parameters.language(), form);
        } catch (ItemSyntaxException e) {
            throw Parameters.badItem(e);
        }
    }

    private static Side side(String name, Parameters parameters) {
        String id = parameters
                .one(name)
                .orElseThrow(() -> Parameters.badRequest(
                        "missing_build", "No build", "parameter " + name + " is missing; expected a build-id"));
        return new Side(name, LayoutComparison.about(name, null, () -> BuildIdText.parse(id)));
    }

    private static Body body(Question question, LayoutComparison.Sides sides, List<TypeDiff> diffs) {
        return Body.of(question.form(), out -> {
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            writeSide(out, LayoutComparison.FROM, sides.from(), DiffWriter.pinsFrom(diffs));
            writeSide(out, LayoutComparison.TO, sides.to(), DiffWriter.pinsTo(diffs));
            out.writeBooleanProperty("same", DiffWriter.isSame(diffs));
            out.writeName("types");
            DiffWriter.writeTypes(out, diffs);
        });
    }

    /** @param marks of the pins that had a say in what is told of this side; the other side has its own */
    private static void writeSide(JsonGenerator out, String name, LayoutComparison.Side side, List<PinMark> marks) {
        out.writeObjectPropertyStart(name);
        out.writeStringProperty("buildId", side.id().toString());
        side.file().ifPresent(file -> {
            AnswerParts.writeArchitecture(out, file.architecture());
            out.writeStringProperty("sha256", file.sha256());
            out.writeStringProperty("extractor", Integer.toString(file.extractorVersion()));
        });
        if (!marks.isEmpty()) {
            PinsInEffect.write(out, "pinned", marks);
            AnswerParts.writeProvenance(out, Optional.empty(), side.pins(), marks);
        }
        out.writeEndObject();
    }
}
