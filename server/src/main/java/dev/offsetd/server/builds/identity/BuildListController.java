package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.api.model.BuildList;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class BuildListController {

    private static final char LIST = 'b';
    private static final String STATE = "state";
    private static final String ORIGIN = "origin";
    private static final String MACHINE = "machine";
    private static final String TEXT = "q";
    private static final int MAX_CHARS = 64;
    private static final Set<String> FILTERS = Stream.concat(
                    Stream.of(STATE, ORIGIN, MACHINE, TEXT), BuildFilter.IDENTITY_PARAMETERS.stream())
            .collect(Collectors.toUnmodifiableSet());

    private final FilteredBuilds builds;
    private final BuildResources resources;
    private final BuildKeys keys;

    BuildListController(FilteredBuilds builds, BuildResources resources, BuildKeys keys) {
        this.builds = builds;
        this.resources = resources;
        this.keys = keys;
    }

    @GetMapping(
            path = "/v1/builds",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<BuildList> list(HttpServletRequest request) {
        ListQuery query = ListQuery.of(request, FILTERS);
        BuildFilter filter = filter(query);
        BuildId after = query.buildPosition(LIST).orElse(null);
        ListPage<Build> page = ListPage.read(
                query,
                LIST,
                limit -> builds.page(filter, after, limit),
                build -> build.id().toBytes());
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok().cacheControl(CacheControl.noStore());
        page.link(answer);
        return answer.body(new BuildList(resources.of(page.rows())).next(page.next()));
    }

    private BuildFilter filter(ListQuery query) {
        String state = query.parameter(STATE)
                .map(word -> known(
                        STATE,
                        word,
                        Stream.concat(
                                Arrays.stream(BuildState.values()).map(BuildState::word),
                                Stream.of(BuildFilter.RUNNING))))
                .orElse(null);
        Origin origin = query.parameter(ORIGIN)
                .map(word -> Origin.ofWord(
                        known(ORIGIN, word, Origin.known().stream().map(Origin::word))))
                .orElse(null);
        String machine = query.machine().orElse(null);
        BuildFilter.IDENTITY_PARAMETERS.forEach(name -> requireWord(query, name));
        String text = query.filter(TEXT).orElse("");
        return BuildFilter.of(state, origin, machine, keys.searched(text), query::filter)
                .orElseThrow(() -> ListQuery.badValue(
                        TEXT,
                        text,
                        "the first hex digits of a build-id, or at most " + BuildFilter.MAX_WORDS + " words and "
                                + BuildFilter.MAX_TEXT + " characters"));
    }

    private static void requireWord(ListQuery query, String name) {
        query.parameter(name)
                .filter(value -> value.isBlank() || value.length() > MAX_CHARS)
                .ifPresent(value -> {
                    throw ListQuery.badValue(name, value, "1 to " + MAX_CHARS + " characters");
                });
    }

    private static String known(String name, String word, Stream<String> words) {
        Set<String> known = words.collect(Collectors.toCollection(TreeSet::new));
        if (!known.contains(word)) {
            throw ListQuery.badValue(name, word, "one of " + String.join(", ", known));
        }
        return word;
    }
}
