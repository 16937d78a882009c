package dev.offsetd.server.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.Gdb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Holds answers against what GDB works out of the same file. */
public final class GdbFields {

    private final List<String> expressions = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();

    /**
     * Adds the size and the fields of a struct or union. Bit-fields are left out: they have no address that GDB could be
     * asked for.
     *
     * @param type as C spells it, such as {@code struct link_map}
     * @param answer the answer to the type, in the view {@code fields}
     */
    public GdbFields type(String type, JsonNode answer) {
        assertThat(answer.path("fields").size()).as(answer.toString()).isPositive();
        add(Gdb.size(type), answer.path("size"));
        for (var field : answer.path("fields").properties()) {
            if (!field.getValue().has("bitSize")) {
                member(type, field.getKey(), field.getValue());
            }
        }
        return this;
    }

    /** Adds a member. */
    public GdbFields member(String type, String path, JsonNode answer) {
        add(Gdb.offset(type, path), answer.path("offset"));
        return this;
    }

    private void add(String expression, JsonNode number) {
        expressions.add(expression);
        answers.add(expression + " = " + number.asString());
    }

    /** Fails unless GDB says the same of everything that was added. */
    public void assertAgree(Path debugFile) throws IOException {
        List<Long> numbers = new Gdb(debugFile).numbers(expressions);
        List<String> said = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            said.add(expressions.get(i) + " = " + numbers.get(i));
        }
        assertThat(answers).isEqualTo(said);
    }
}
