package dev.offsetd.server.webhooks;

import dev.offsetd.server.events.EventFilter;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.JsonObject;
import java.util.List;
import java.util.Set;
import okhttp3.HttpUrl;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** Body of a request that creates or changes a webhook. */
record WebhookDraft(HttpUrl url, WebhookSecret secret, EventFilter filter) {

    private static final String URL = "url";
    private static final String SECRET = "secret";
    private static final String KINDS = "kinds";
    private static final String SETS = "sets";
    private static final Set<String> MEMBERS = Set.of(URL, SECRET, KINDS, SETS);

    private static final int MAX_URL = 2_000;
    private static final int MAX_SETS = 200;

    private static final String EXPECTED_URL =
            "an http or https URL of up to " + MAX_URL + " characters, without user name, password and fragment";

    /** Parses a body; 400 if it is malformed. */
    static WebhookDraft of(JsonNode body) {
        JsonObject draft = JsonBody.object(body).only(MEMBERS);
        return new WebhookDraft(
                url(draft),
                // The value stays out of the message.
                WebhookSecret.parse(body.path(SECRET).stringValueOpt().orElse(""))
                        .orElseThrow(() -> JsonBody.bad(
                                SECRET,
                                (draft.has(SECRET) ? "secret is malformed" : "secret is missing") + "; expected "
                                        + WebhookSecret.EXPECTED)),
                EventFilter.of(
                        words(draft, KINDS),
                        words(draft, SETS),
                        (kind, expected) -> JsonBody.bad(KINDS, "kinds has the " + kind + "; expected " + expected)));
    }

    private static HttpUrl url(JsonObject draft) {
        if (!draft.json().path(URL).isString()) {
            throw draft.bad(URL, EXPECTED_URL);
        }
        String text = draft.text(URL);
        HttpUrl url = text.length() > MAX_URL ? null : HttpUrl.parse(text);
        if (url == null
                || !url.username().isEmpty()
                || !url.password().isEmpty()
                || url.fragment() != null
                || url.toString().length() > MAX_URL) {
            throw draft.bad(URL, StringNode.valueOf(url == null ? text : url.redact()), EXPECTED_URL);
        }
        return url;
    }

    private static List<String> words(JsonObject draft, String name) {
        List<String> words = draft.texts(name);
        if (words.size() > MAX_SETS) {
            throw draft.bad(name, "an array of at most " + MAX_SETS);
        }
        return words.stream().distinct().toList();
    }
}
