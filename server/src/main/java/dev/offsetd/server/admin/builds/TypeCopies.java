package dev.offsetd.server.admin.builds;

import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.server.answers.AnswerParts;
import jakarta.servlet.http.HttpServletRequest;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** Texts of a type to copy: C, JSON and commands that query the API. */
final class TypeCopies {

    /** Longest text in a page; the commands return longer ones. */
    private static final int MAX_CHARACTERS = 100_000;

    private static final ObjectWriter INDENTED = JsonMapper.shared().writerWithDefaultPrettyPrinter();

    private TypeCopies() {}

    record CopyText(String title, String text) {}

    /** Returns the type as C, like pahole, and the members of the API's answer as JSON; without those that are too long. */
    static List<CopyText> of(Item item, ItemOutcome.TypeFound found, PinnedTypes types) {
        List<ItemAnswer> answers = List.of(new ItemAnswer(item, null, found));
        List<CopyText> copies = new ArrayList<>();
        add(copies, "C", String.join("\n", LayoutText.lines(answers, types)));
        StringWriter json = new StringWriter();
        try (JsonGenerator out = INDENTED.createGenerator(json)) {
            new AnswerWriter(View.FIELDS, types).writeAnswers(out, answers, AnswerParts.SOURCE);
        }
        add(copies, "JSON", json.toString());
        return copies;
    }

    private static void add(List<CopyText> copies, String title, String text) {
        if (text.length() <= MAX_CHARACTERS) {
            copies.add(new CopyText(title, text));
        }
    }

    /** Returns the commands that query the API for the type. */
    static List<CopyText> commands(TypeView view, Item item, HttpServletRequest request) {
        String path = "/v1/offsets/" + view.id() + "?types=" + URLEncoder.encode(item.text(), StandardCharsets.UTF_8)
                + view.languageWord().map(word -> "&lang=" + word).orElse("");
        String url = request.getRequestURL().toString();
        String server = url.substring(0, url.length() - request.getRequestURI().length());
        return List.of(
                new CopyText("curl: JSON", "curl '" + server + path + "'"),
                new CopyText("curl: text like pahole", "curl -H 'Accept: text/plain' '" + server + path + "'"),
                new CopyText("curl: C header with constants", "curl -H 'Accept: text/x-c' '" + server + path + "'"));
    }
}
