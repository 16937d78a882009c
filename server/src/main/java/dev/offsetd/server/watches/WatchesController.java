package dev.offsetd.server.watches;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.api.model.WatchAnswer;
import dev.offsetd.server.api.model.WatchList;
import dev.offsetd.server.api.model.WatchRun;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Watches over HTTP. */
@RestController
class WatchesController {

    private static final String PATH = "/v1/watches";
    private static final int MAX_BODY_BYTES = 256 * 1024;

    /** Most entries of a list in a description, and characters of one. */
    private static final int MAX_WORDS = 100;

    private static final int MAX_TEXT = 2_000;
    private static final int MAX_KEYRING = 200_000;

    private static final Set<String> MEMBERS = new TreeSet<>(Set.of(
            "name",
            "kind",
            "url",
            "suite",
            "components",
            "architectures",
            "names",
            "files",
            "keyring",
            "typeSets",
            "intervalSeconds"));

    private final Watches watches;

    WatchesController(Watches watches) {
        this.watches = watches;
    }

    @GetMapping(
            path = PATH,
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<WatchList> list(HttpServletRequest request) {
        ListQuery.of(request, Set.of());
        return ResponseEntity.ok()
                .cacheControl(CacheControl.noStore())
                .body(new WatchList(
                        watches.all().stream().map(WatchesController::answer).toList()));
    }

    @PostMapping(
            path = PATH,
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<WatchAnswer> create(HttpServletRequest request) throws IOException {
        Watch watch = watches.create(draft(body(request)), Actor.of(request));
        return ResponseEntity.status(HttpStatus.CREATED)
                .header(HttpHeaders.LOCATION, PATH + '/' + watch.id())
                .cacheControl(CacheControl.noStore())
                .body(answer(watch));
    }

    @GetMapping(
            path = PATH + "/{id}",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<WatchAnswer> get(@PathVariable String id) {
        return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(answer(watches.require(id)));
    }

    @DeleteMapping(PATH + "/{id}")
    ResponseEntity<Void> remove(@PathVariable String id, HttpServletRequest request) {
        watches.remove(id, Actor.of(request));
        return ResponseEntity.noContent().build();
    }

    @PostMapping(
            path = PATH + "/{id}/run",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<WatchAnswer> run(@PathVariable String id, HttpServletRequest request) {
        return ResponseEntity.accepted()
                .cacheControl(CacheControl.noStore())
                .body(answer(watches.run(id, Actor.of(request))));
    }

    static JsonNode body(HttpServletRequest request) throws IOException {
        return JsonBody.read(request, MAX_BODY_BYTES, "a JSON object");
    }

    /**
     * Parses the body of a new watch.
     *
     * @throws ProblemException if it is malformed: 400
     */
    static WatchDraft draft(JsonNode body) {
        if (!body.isObject()) {
            throw WatchProblems.bad("body", HostileText.quote(body.toString()) + "; expected an object");
        }
        JsonBody.unexpectedMember(body, MEMBERS).ifPresent(name -> {
            throw WatchProblems.bad(
                    "body", "member " + HostileText.quote(name) + "; expected " + String.join(", ", MEMBERS));
        });
        JsonNode interval = body.path("intervalSeconds");
        if (!interval.isMissingNode() && !(interval.isIntegralNumber() && interval.canConvertToInt())) {
            throw WatchProblems.bad(
                    "intervalSeconds", HostileText.quote(interval.toString()) + "; expected a number of seconds");
        }
        return new WatchDraft(
                required(body, "name"),
                place(body),
                words(body, "typeSets"),
                interval.isMissingNode() ? WatchDraft.USUAL_INTERVAL : Duration.ofSeconds(interval.intValue()));
    }

    private static RepositoryDescription place(JsonNode body) {
        String kind = required(body, "kind");
        RepositoryDescription.Kind known = Arrays.stream(RepositoryDescription.Kind.values())
                .filter(each -> each.toString().equals(kind))
                .findFirst()
                .orElseThrow(() -> WatchProblems.bad(
                        "kind",
                        HostileText.quote(kind) + "; expected "
                                + Arrays.stream(RepositoryDescription.Kind.values())
                                        .map(RepositoryDescription.Kind::toString)
                                        .collect(Collectors.joining(", "))));
        try {
            return new RepositoryDescription(
                    known,
                    required(body, "url"),
                    text(body, "suite", MAX_TEXT).orElse(null),
                    words(body, "components"),
                    words(body, "architectures"),
                    words(body, "names"),
                    words(body, "files"),
                    text(body, "keyring", MAX_KEYRING).orElse(null));
        } catch (IllegalArgumentException e) {
            // The message begins with the name of the member.
            String[] parts = String.valueOf(e.getMessage()).split(" ", 2);
            throw WatchProblems.bad(parts[0], parts[parts.length - 1]);
        }
    }

    private static String required(JsonNode body, String name) {
        return text(body, name, MAX_TEXT).orElseThrow(() -> WatchProblems.bad(name, "missing; expected text"));
    }

    private static Optional<String> text(JsonNode body, String name, int max) {
        JsonNode value = body.path(name);
        if (value.isMissingNode()) {
            return Optional.empty();
        }
        if (!value.isString() || value.asString().isBlank() || value.asString().length() > max) {
            throw WatchProblems.bad(
                    name, HostileText.quote(value.toString()) + "; expected text of at most " + max + " characters");
        }
        return Optional.of(value.asString());
    }

    private static List<String> words(JsonNode body, String name) {
        JsonNode values = body.path(name);
        if (values.isMissingNode()) {
            return List.of();
        }
        if (!values.isArray() || values.size() > MAX_WORDS) {
            throw WatchProblems.bad(
                    name, HostileText.quote(values.toString()) + "; expected an array of at most " + MAX_WORDS);
        }
        return values.valueStream()
                .map(value -> {
                    if (!value.isString() || value.asString().length() > MAX_TEXT) {
                        throw WatchProblems.bad(name, HostileText.quote(value.toString()) + "; expected text");
                    }
                    return value.asString();
                })
                .toList();
    }

    private static WatchAnswer answer(Watch watch) {
        RepositoryDescription place = watch.place();
        WatchAnswer answer = new WatchAnswer(
                watch.id(),
                watch.name(),
                WatchAnswer.KindEnum.fromValue(place.kind().toString()),
                place.url(),
                watch.typeSets(),
                (int) watch.interval().toSeconds(),
                watch.builtIn(),
                time(watch.createdAt()),
                watch.createdBy(),
                time(watch.nextRunAt()),
                watch.failures(),
                watch.bytesToday());
        RepositoryDescription.Kind kind = place.kind();
        answer.suite(place.suite())
                .components(kind == RepositoryDescription.Kind.APT ? place.components() : null)
                .architectures(kind == RepositoryDescription.Kind.FOLDER ? null : place.architectures())
                .names(orNull(place.names()))
                .files(orNull(place.files()));
        Instant startedAt = watch.startedAt();
        return startedAt == null ? answer : answer.lastRun(lastRun(watch, startedAt));
    }

    private static WatchRun lastRun(Watch watch, Instant startedAt) {
        WatchRun run = new WatchRun(time(startedAt), watch.storedBuilds());
        Instant endedAt = watch.endedAt();
        if (endedAt != null) {
            run.endedAt(time(endedAt));
        }
        return run.outcome(outcome(watch, WatchRun.OutcomeEnum::fromValue)).cause(cause(watch.cause()));
    }

    /** Returns how the last run ended, as a model has it; null if none has ended. */
    static <T> @Nullable T outcome(Watch watch, Function<String, T> model) {
        Watch.Outcome outcome = watch.outcome();
        return outcome == null ? null : model.apply(outcome.word());
    }

    static dev.offsetd.server.api.model.@Nullable WatchCause cause(@Nullable WatchCause cause) {
        return cause == null ? null : new dev.offsetd.server.api.model.WatchCause(cause.code(), cause.detail());
    }

    private static @Nullable List<String> orNull(List<String> words) {
        return words.isEmpty() ? null : words;
    }

    static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
