package dev.offsetd.server.types;

import dev.offsetd.extractor.diff.DiffWriter;
import dev.offsetd.extractor.diff.LayoutDiff;
import dev.offsetd.extractor.diff.TypeDiff;
import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.item.ItemSyntaxException;
import dev.offsetd.extractor.item.PinsInEffect;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.server.asking.AnswerParts;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.asking.Parameters;
import dev.offsetd.server.asking.PinnedAnswer;
import dev.offsetd.server.asking.SideBySide;
import dev.offsetd.server.asking.Wait;
import dev.offsetd.server.asking.WrittenAnswer;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.Form;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;

/** What changed in the layouts of types from one build to another. */
@RestController
class DiffController {

    private static final String FROM = "from";
    private static final String TO = "to";
    private static final String TYPES = "types";
    private static final String LANG = "lang";

    private final AskedBuilds asked;
    private final Catalogues catalogues;
    private final Pins pins;

    DiffController(AskedBuilds asked, Catalogues catalogues, Pins pins) {
        this.pins = pins;
        this.asked = asked;
        this.catalogues = catalogues;
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
        List<Side> sides = List.of(question.from(), question.to());
        List<Boolean> ready = SideBySide.all(sides.stream()
                .<Supplier<Boolean>>map(side -> () -> isReady(side, wait))
                .toList());
        if (ready.contains(false)) {
            return asked.underWay(sides.get(ready.indexOf(false)).id(), wait, form);
        }
        Optional<byte[]> body = compare(question);
        if (body.isEmpty()) {
            // One of them was there and is extracted anew.
            return asked.underWay(question.from().id(), wait, form);
        }
        // Either build may change, so caches keep it shorter than the answer about one.
        return new WrittenAnswer(form, body.get(), false).forCaches(wait);
    }

    private static Question question(@Nullable String query, Form form) {
        Parameters parameters = Parameters.of(query, Set.of(FROM, TO, TYPES, LANG), Set.of(TYPES), TYPES::equals);
        Side from = side(FROM, parameters);
        Side to = side(TO, parameters);
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
        return new Side(name, about(name, null, () -> BuildIdText.parse(id)));
    }

    private boolean isReady(Side side, Wait wait) {
        return about(
                side.name(),
                side.id(),
                () -> asked.answerOrPinned(
                                side.id(),
                                wait.time(),
                                (build, file) -> true,
                                // Whether that is enough is decided, and what is missing counted, once.
                                build -> new PinnedAnswer<>(true, true))
                        .isPresent());
    }

    /** The result; a problem says which of the two builds it is about. */
    private static <T> T about(String side, @Nullable BuildId id, Supplier<T> work) {
        try {
            return work.get();
        } catch (ProblemException e) {
            Problem problem = e.problem().with("side", side);
            throw new ProblemException(id == null ? problem : problem.with("buildId", id.toString()));
        }
    }

    /**
     * The types of one of the two builds, with what its pins say of them.
     *
     * @param file that they were read from; empty if the build has nothing but pins
     */
    private record Types(BuildId id, TypeIndex index, Optional<StoredFile> file, BuildPins pins) {}

    private Types stored(Build build, StoredFile file, TypeIndex types) {
        BuildPins inEffect = pins.inEffect(build);
        return new Types(build.id(), inEffect.over(Optional.of(types)), Optional.of(file), inEffect);
    }

    private Types pinned(Build build) {
        BuildPins inEffect = pins.inEffect(build);
        return new Types(build.id(), inEffect.over(Optional.empty()), Optional.empty(), inEffect);
    }

    /** The answer about two builds that are ready; empty if one of them could not be read. */
    private Optional<byte[]> compare(Question question) {
        BuildId from = question.from().id();
        return about(
                        FROM,
                        from,
                        () -> asked.answerOrPinned(
                                from,
                                Duration.ZERO,
                                (build, file) -> {
                                    try {
                                        TypeIndex old = FirstTypes.of(() -> catalogues.open(from, build.generation()));
                                        return compare(question, stored(build, file, old));
                                    } catch (FirstTypes.CorruptException e) {
                                        throw e.corrupt();
                                    }
                                },
                                build -> new PinnedAnswer<>(compare(question, pinned(build)), false)))
                .flatMap(Function.identity());
    }

    private Optional<byte[]> compare(Question question, Types old) {
        BuildId to = question.to().id();
        return about(
                TO,
                to,
                () -> asked.answerOrPinned(
                        to,
                        Duration.ZERO,
                        (build, file) ->
                                body(question, old, stored(build, file, catalogues.open(to, build.generation()))),
                        build -> new PinnedAnswer<>(body(question, old, pinned(build)), false)));
    }

    private static byte[] body(Question question, Types from, Types to) {
        List<TypeDiff> diffs = LayoutDiff.ofItems(question.items(), from.index(), to.index(), question.language());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try (JsonGenerator out = question.form().generator(bytes)) {
            out.writeStartObject();
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            writeSide(out, FROM, from, DiffWriter.pinsFrom(diffs));
            writeSide(out, TO, to, DiffWriter.pinsTo(diffs));
            out.writeBooleanProperty("same", DiffWriter.isSame(diffs));
            out.writeName("types");
            DiffWriter.writeTypes(out, diffs);
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }

    /** @param marks of the pins that had a say in what is told of this side; the other side has its own */
    private static void writeSide(JsonGenerator out, String name, Types side, List<PinMark> marks) {
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
