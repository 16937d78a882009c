package dev.offsetd.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.ValidationReport.Message;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules that keep the contract usable by generators of clients, and its examples valid. */
@Tag("long")
class ContractTests {

    private static final Path FILE = Path.of("..", "api-spec", "openapi.yaml");

    /** Composition that generators of clients ignore, or turn into types without members. */
    private static final List<String> COMPOSITION = List.of("oneOf", "anyOf", "if", "then", "else", "not");

    private static JsonNode contract() throws IOException {
        return new YAMLMapper().readTree(FILE.toFile());
    }

    /** Passes every object of the contract to the visitor, with its JSON pointer. */
    private static void walk(String place, JsonNode node, BiConsumer<String, JsonNode> visitor) {
        if (node.isObject()) {
            visitor.accept(place, node);
        }
        node.properties().forEach(member -> walk(place + "/" + member.getKey(), member.getValue(), visitor));
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            walk(place + "/" + i, node.get(i), visitor);
        }
    }

    /** Python would get the member {@code NUMBER_'true'}. */
    @Test
    void noBooleanIsAnEnumeration() throws IOException {
        List<String> found = new ArrayList<>();
        walk("", contract(), (place, node) -> {
            if (node.path("type").asText().equals("boolean") && (node.has("enum") || node.has("const"))) {
                found.add(place);
            }
        });
        assertThat(found).isEmpty();
    }

    @Test
    void objectWithPropertiesHasNoOtherComposition() throws IOException {
        List<String> found = new ArrayList<>();
        walk("", contract(), (place, node) -> {
            if (node.path("properties").isObject() && node.path("type").isTextual()) {
                COMPOSITION.stream().filter(node::has).forEach(name -> found.add(place + "/" + name));
            }
        });
        assertThat(found).isEmpty();
    }

    @Test
    void requiredPropertiesAreDefinedBesideTheList() throws IOException {
        List<String> found = new ArrayList<>();
        walk("", contract(), (place, node) -> {
            // Problems require members of the problem that they extend.
            if (!place.contains("/allOf/") && node.path("required").isArray()) {
                node.path("required")
                        .valueStream()
                        .filter(name -> !node.path("properties").has(name.asText()))
                        .forEach(name -> found.add(place + ": " + name.asText()));
            }
        });
        assertThat(found).isEmpty();
    }

    @Test
    void examplesOfResponsesAreValid() throws IOException {
        OpenApiInteractionValidator validator = OpenApiInteractionValidator.createFor("dev/offsetd/api/openapi.yaml")
                .build();
        JsonNode contract = contract();
        List<String> problems = new ArrayList<>();
        int[] checked = {0};
        walk("", contract.path("paths"), (place, node) -> {
            if (!place.matches(".*/(get|put|post|delete)/responses")) {
                return;
            }
            String method = place.replaceFirst(".*/(\\w+)/responses", "$1").toUpperCase(Locale.ROOT);
            String path = place.substring(1, place.lastIndexOf("/" + method.toLowerCase(Locale.ROOT)));
            node.properties().forEach(response -> {
                JsonNode ref = response.getValue().path("$ref");
                JsonNode value = ref.isTextual() ? contract.at(ref.asText().substring(1)) : response.getValue();
                value.path("content").properties().forEach(media -> {
                    if (!media.getKey().endsWith("json")) {
                        return;
                    }
                    for (JsonNode example : examples(media.getValue())) {
                        checked[0]++;
                        SimpleResponse answer = SimpleResponse.Builder.status(Integer.parseInt(response.getKey()))
                                .withContentType(media.getKey())
                                .withBody(example.toString())
                                .build();
                        validator
                                .validateResponse(
                                        path.replaceAll("\\{\\w+}", "0123456789abcdef"),
                                        Request.Method.valueOf(method),
                                        answer)
                                .getMessages()
                                .stream()
                                .filter(message -> message.getKey().startsWith("validation.response.body"))
                                .map(Message::getMessage)
                                .forEach(message -> problems.add(place + "/" + response.getKey() + ": " + message));
                    }
                });
            });
        });
        assertThat(problems).isEmpty();
        assertThat(checked[0]).isGreaterThan(20);
    }

    private static List<JsonNode> examples(JsonNode media) {
        List<JsonNode> found = new ArrayList<>();
        if (media.has("example")) {
            found.add(media.get("example"));
        }
        media.path("examples").forEach(example -> found.add(example.path("value")));
        return found;
    }

    /** Clients ignore members that they do not know; the tests of the server do not. */
    @Test
    void undocumentedMemberIsReported() {
        OpenApiInteractionValidator validator = OpenApiInteractionValidator.createFor("dev/offsetd/api/openapi.yaml")
                .build();
        SimpleResponse answer = SimpleResponse.Builder.ok()
                .withContentType("application/json")
                .withBody("{\"name\": \"ci\", \"scopes\": [\"read\"], \"undocumented\": 1}")
                .build();
        assertThat(validator
                        .validateResponse("/v1/whoami", Request.Method.GET, answer)
                        .getMessages())
                .anyMatch(message -> message.getMessage().contains("undocumented"));
    }
}
