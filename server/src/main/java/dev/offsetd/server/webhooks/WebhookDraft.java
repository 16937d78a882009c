package dev.offsetd.server.webhooks;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.events.EventFilter;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import okhttp3.HttpUrl;
import tools.jackson.databind.JsonNode;

/** Body of a request that creates or changes a webhook. */
record WebhookDraft(HttpUrl url, WebhookSecret secret, EventFilter filter) {

    private static final String URL = "url";
    private static final String SECRET = "secret";
    private static final String KINDS = "kinds";
    private static final String SETS = "sets";
    private static final Set<String> MEMBERS = new TreeSet<>(Set.of(URL, SECRET, KINDS, SETS));

    private static final int MAX_URL = 2_000;
    private static final int MAX_SETS = 200;

    private static final String EXPECTED_URL =
            "an http or https URL of up to " + MAX_URL + " characters, without user name, password and fragment";

    /**
     * Parses a body.
     *
     * @throws ProblemException if it is malformed: 400
     */
    static WebhookDraft of(JsonNode body) {
        if (!body.isObject()) {
            throw JsonBody.bad("the body is " + HostileText.quote(body.toString()), "an object");
        }
        JsonBody.unexpectedMember(body, MEMBERS).ifPresent(name -> {
            throw JsonBody.bad("member " + HostileText.quote(name), String.join(", ", MEMBERS));
        });
        return new WebhookDraft(
                url(body.path(URL).asString("")),
                // The value stays out of the message.
                WebhookSecret.parse(body.path(SECRET).asString(""))
                        .orElseThrow(() -> JsonBody.bad("member secret", WebhookSecret.EXPECTED)),
                EventFilter.of(words(body, KINDS), words(body, SETS), JsonBody::bad));
    }

    private static HttpUrl url(String text) {
        HttpUrl url = text.length() > MAX_URL ? null : HttpUrl.parse(text);
        if (url == null
                || !url.username().isEmpty()
                || !url.password().isEmpty()
                || url.fragment() != null
                || url.toString().length() > MAX_URL) {
            throw JsonBody.bad("member url is " + HostileText.quote(url == null ? text : url.redact()), EXPECTED_URL);
        }
        return url;
    }

    private static List<String> words(JsonNode body, String name) {
        JsonNode list = body.path(name);
        if (!list.isMissingNode() && !list.isArray()) {
            throw JsonBody.bad("member " + name + " is " + HostileText.quote(list.toString()), "an array of strings");
        }
        List<String> words = JsonBody.strings(list, name + " %d", "a string");
        if (words.size() > MAX_SETS) {
            throw JsonBody.bad(words.size() + " " + name, "at most " + MAX_SETS);
        }
        return words.stream().distinct().toList();
    }
}
