package dev.offsetd.server.watches;

import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.api.model.WatchAnswer;
import dev.offsetd.server.api.model.WatchList;
import dev.offsetd.server.api.model.WatchRun;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.JsonObject;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
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

    private static final Set<String> MEMBERS = Set.of(
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
            "intervalSeconds");

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

    /** Parses the body of a new watch; 400 if it is malformed. */
    static Watch.Draft draft(JsonNode body) {
        JsonObject draft = new JsonObject(body, "", Watch.Draft::bad).only(MEMBERS);
        return new Watch.Draft(
                draft.text("name"),
                place(draft),
                words(draft, "typeSets"),
                draft.has("intervalSeconds")
                        ? Duration.ofSeconds(draft.integer("intervalSeconds"))
                        : Watch.Draft.USUAL_INTERVAL);
    }

    private static RepositoryDescription place(JsonObject draft) {
        String kind = draft.text("kind");
        RepositoryDescription.Kind known = Arrays.stream(RepositoryDescription.Kind.values())
                .filter(each -> each.toString().equals(kind))
                .findFirst()
                .orElseThrow(() -> draft.bad(
                        "kind",
                        Arrays.stream(RepositoryDescription.Kind.values())
                                .map(RepositoryDescription.Kind::toString)
                                .collect(Collectors.joining(", "))));
        try {
            return new RepositoryDescription(
                    known,
                    text(draft, "url", MAX_TEXT),
                    draft.has("suite") ? text(draft, "suite", MAX_TEXT) : null,
                    words(draft, "components"),
                    words(draft, "architectures"),
                    words(draft, "names"),
                    words(draft, "files"),
                    draft.has("keyring") ? text(draft, "keyring", MAX_KEYRING) : null);
        } catch (IllegalArgumentException e) {
            // The message begins with the name of the member.
            String message = String.valueOf(e.getMessage());
            throw Watch.Draft.bad(message.substring(0, Math.max(0, message.indexOf(' '))), message);
        }
    }

    private static String text(JsonObject draft, String name, int max) {
        String text = draft.text(name);
        if (text.isBlank() || text.length() > max) {
            throw draft.bad(name, "text of at most " + max + " characters");
        }
        return text;
    }

    private static List<String> words(JsonObject draft, String name) {
        List<String> words = draft.texts(name);
        if (words.size() > MAX_WORDS || words.stream().anyMatch(word -> word.length() > MAX_TEXT)) {
            throw draft.bad(name, "at most " + MAX_WORDS + " strings of at most " + MAX_TEXT + " characters");
        }
        return words;
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

    static dev.offsetd.server.api.model.@Nullable WatchCause cause(Watch.@Nullable Cause cause) {
        return cause == null ? null : new dev.offsetd.server.api.model.WatchCause(cause.code(), cause.detail());
    }

    private static @Nullable List<String> orNull(List<String> words) {
        return words.isEmpty() ? null : words;
    }

    static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
