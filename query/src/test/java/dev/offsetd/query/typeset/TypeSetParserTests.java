package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.Need;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

class TypeSetParserTests {

    private static final String SET = """
            {"name": "py", "version": 3, "title": "Frames of Python", "items": [
              {"item": "_ts.interp"},
              {"item": "symbol _PyRuntime|symbol interp_head", "need": "optional", "note": "3.7 and later"},
              {"group": "current frame", "need": "required", "note": "moved twice",
               "oneOf": [["_ts.current_frame"], ["_ts.cframe", "_PyCFrame.current_frame"]]}]}
            """;

    @Test
    void entriesAreItemsAndGroups() {
        TypeSet set = parse(SET);

        assertThat(set.name()).isEqualTo("py");
        assertThat(set.version()).isEqualTo(3);
        assertThat(set.title()).isEqualTo("Frames of Python");
        assertThat(set.entries()).hasSize(3);
        assertThat(set.entries().get(0)).isInstanceOfSatisfying(TypeSetEntry.SingleEntry.class, one -> {
            assertThat(one.item().text()).isEqualTo("_ts.interp");
            assertThat(one.need()).isEqualTo(Need.REQUIRED);
            assertThat(one.note()).isNull();
        });
        assertThat(set.entries().get(1)).isInstanceOfSatisfying(TypeSetEntry.SingleEntry.class, one -> {
            assertThat(one.item().alternatives()).hasSize(2);
            assertThat(one.need()).isEqualTo(Need.OPTIONAL);
            assertThat(one.note()).isEqualTo("3.7 and later");
        });
        assertThat(set.entries().get(2)).isInstanceOfSatisfying(TypeSetEntry.GroupEntry.class, group -> {
            assertThat(group.name()).isEqualTo("current frame");
            assertThat(group.oneOf()).extracting(way -> way.size()).containsExactly(1, 2);
        });
        assertThat(set.items())
                .extracting(Item::text)
                .containsExactly(
                        "_ts.interp",
                        "symbol _PyRuntime|symbol interp_head",
                        "_ts.current_frame",
                        "_ts.cframe",
                        "_PyCFrame.current_frame");
    }

    @Test
    void probesHaveDefaults() {
        TypeSet set = parse(SET.replace("\"items\"", """
                "probes": [{"text": "Python {version} ("},
                  {"text": "{version}", "section": ".data", "project": "cpython", "requires": "cpython-{major}"}],
                "items\""""));

        assertThat(set.probes())
                .containsExactly(
                        new VersionProbe("py", "py", ".rodata", "Python {version} (", ""),
                        new VersionProbe("py", "cpython", ".data", "{version}", "cpython-{major}"));
        assertThat(set.withVersion(4).probes()).isEqualTo(set.probes());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "{} # probes: an object; expected an array of probes",
                "[1] # probes[0]: 1; expected an object with \"text\"",
                "[{}] # probes[0].text: missing; expected the text that has the version",
                "[{\"text\": \"x\"}] # probes[0]: \"x\"; expected {version} once",
                "[{\"text\": \"{version}\"}] # probes[0]: \"{version}\"; expected more than {version}, or \"requires\"",
                "[{\"text\": \"a {any}{version}\"}] # probes[0]: \"a {any}{version}\"; expected text between, before and"
                        + " after {version} and {any}",
                "[{\"pattern\": \"x\"}] # probes[0].\"pattern\": unknown property; expected text, section, project or requires"
            })
    void probesThatCannotBeSearchedForAreRefused(String probes, String message) {
        assertThatThrownBy(() -> parse("{\"probes\": " + probes + "}"))
                .isInstanceOf(TypeSetSyntaxException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "{} # versions: an object; expected an array of versions",
                "[3.4] # versions[0]: 3.4; expected a string",
                "[\"3.1\", \"3.x\"] # versions[1]: \"3.x\"; expected numbers such as 3.4"
            })
    void versionsAreNumbers(String versions, String message) {
        assertThatThrownBy(() -> TypeSetParser.parseNew(
                        "x",
                        "{\"title\": \"t\", \"versions\": %s, \"items\": [{\"item\": \"a\"}]}"
                                .formatted(versions)
                                .getBytes(StandardCharsets.UTF_8)))
                .hasMessageContaining(message);
    }

    @Test
    void variantsHaveOneEvidenceEach() {
        TypeSet set = parse(SET.replace("\"items\"", """
                "variants": [{"token": "jit", "symbol": "py_jit"}, {"sizeOf": "state", "token": "state"},
                  {"token": "debug", "text": "debug build"}],
                "items\""""));

        assertThat(set.variants())
                .containsExactly(
                        new VariantToken("py", "jit", VariantToken.Evidence.SYMBOL, "py_jit"),
                        new VariantToken("py", "state", VariantToken.Evidence.SIZE, "state"),
                        new VariantToken("py", "debug", VariantToken.Evidence.TEXT, "debug build"));
        assertThat(set.withVersion(4).variants()).isEqualTo(set.variants());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "{} # variants: an object; expected an array of variant tokens",
                "[{\"token\": \"a\"}] # variants[0]: missing; expected \"token\" and one of \"symbol\", \"sizeOf\" and \"text\"",
                "[{\"symbol\": \"a\"}] # variants[0]: missing; expected \"token\" and one of \"symbol\", \"sizeOf\" and \"text\"",
                "[{\"symbol\": \"a\", \"text\": \"b\"}] # variants[0].text: given too; expected \"token\" and one of"
                        + " \"symbol\", \"sizeOf\" and \"text\"",
                "[{\"token\": \"A\", \"text\": \"b\"}] # variants[0]: \"A\"; expected a token named [a-z][a-z0-9_-]{0,31}",
                "[{\"token\": \"a\", \"text\": \"b\"}, {\"token\": \"a\", \"text\": \"c\"}] # variants[1].token: \"a\" given"
                        + " twice; expected it once",
                "[{\"section\": \".data\"}] # variants[0].\"section\": unknown property; expected \"token\" and one of"
                        + " \"symbol\", \"sizeOf\" and \"text\""
            })
    void variantsThatCannotBeLookedForAreRefused(String variants, String message) {
        assertThatThrownBy(() -> parse("{\"variants\": " + variants + "}"))
                .isInstanceOf(TypeSetSyntaxException.class)
                .hasMessage(message);
    }

    @Test
    void probesAreFew() {
        String many = "{\"text\": \"a {version}\"},".repeat(TypeSetParser.MAX_PROBES) + "{}";

        assertThatThrownBy(() -> parse("{\"probes\": [" + many + "]}"))
                .hasMessage("probes[8]: one more; expected at most 8 probes");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "[] # the set: an array; expected a JSON object",
                "{ # line 1, column 2: not JSON; expected a type set as a JSON object in UTF-8",
                "`` # the set: nothing; expected a JSON object",
                "{} # name: missing; expected a string",
                "{\"name\": 3} # name: 3; expected a string",
                "{\"name\": \"Py\"} # name: \"Py\"; expected [a-z][a-z0-9_-]{0,63}",
                "{\"name\": \"py\"} # version: missing; expected an integer of at least 1",
                "{\"name\": \"py\", \"version\": 0} # version: 0; expected an integer from 1 to 2147483647",
                "{\"name\": \"py\", \"version\": 1.0} # version: 1.0; expected an integer from 1 to 2147483647",
                "{\"name\": \"py\", \"version\": 2147483648}"
                        + " # version: 2147483648; expected an integer from 1 to 2147483647",
                "{\"name\": \"py\", \"name\": \"py\"} # \"name\": given twice; expected it once",
                "{\"colour\": 1} # \"colour\": unknown property; expected name, version, title, versions, items, probes, variants or maps",
                "{\"name\": \"py\", \"version\": 1} # items: missing; expected an array of items and groups",
                "{\"title\": \" \"} # title: \" \"; expected 1 to 1000 characters, not only spaces",
                "{\"title\": \"a\\u0000\"} # title, character 2: \"\\u0000\"; expected no character that controls the text around it, and no half of a surrogate pair",
                "{\"title\": \"ab\\u202ec\"} # title, character 3: \"\\u202e\"; expected no character that controls the text around it, and no half of a surrogate pair",
                "{\"title\": \"\\ud800\"} # title, character 1: \"\\ud800\"; expected no character that controls the text around it, and no half of a surrogate pair",
                "{\"items\": {}} # items: an object; expected an array of items and groups",
                "{\"items\": []} # items: empty; expected at least one item",
                "{\"items\": [\"T.x\"]}"
                        + " # items[0]: \"T.x\"; expected an object with \"item\", or with \"group\" and \"oneOf\"",
                "{\"items\": [{\"item\": [1]}]} # items[0].item: an array; expected an item as a string",
                "{\"items\": [{\"item\": \"a\"}, {\"item\": \"b\"}, {\"item\": \"T..x\"}]}"
                        + " # items[2].item, character 3: \"T..x\"; expected the name of a member, or"
                        + " quotes around a name with \"..\"",
                "{\"items\": [{\"item\": \"a\"}, {\"item\": \"a\"}]}"
                        + " # items[1].item: \"a\" again; expected an item that the set does not list yet",
                "{\"items\": [{\"item\": \"@ruby\"}]}"
                        + " # items[0].item: \"@ruby\"; expected the items of that set: type sets cannot be nested",
                "{\"items\": [{\"item\": \"a\", \"need\": \"maybe\"}]}"
                        + " # items[0].need: \"maybe\"; expected required or optional",
                "{\"items\": [{\"item\": \"a\", \"size\": 1}]}"
                        + " # items[0].\"size\": unknown property; expected item, group, oneOf, need or note",
                "{\"items\": [{\"note\": \"a\", \"need\": \"optional\"}]}"
                        + " # items[0]: it has need, note; expected \"item\", or \"group\" and \"oneOf\"",
                "{\"items\": [{\"item\": \"a\", \"group\": \"g\"}]}"
                        + " # items[0]: it has group, item; expected \"item\", or \"group\" and \"oneOf\"",
                "{\"items\": [{\"group\": \"g\", \"oneOf\": []}]}"
                        + " # items[0].oneOf: empty; expected at least one alternative",
                "{\"items\": [{\"group\": \"g\", \"oneOf\": [[]]}]}"
                        + " # items[0].oneOf[0]: empty; expected at least one item",
                "{\"items\": [{\"group\": \"g\", \"oneOf\": [[\"a\"], \"b\"]}]}"
                        + " # items[0].oneOf[1]: \"b\"; expected an array of items",
                "{\"items\": [{\"group\": \"g\", \"oneOf\": [[\"a\"], [\"b\", \"\"]]}]}"
                        + " # items[0].oneOf[1][1], character 1: \"\"; expected an item",
                "{\"items\": [{\"group\": \"g\", \"oneOf\": [[\"a\"]]}, {\"group\": \"g\", \"oneOf\": [[\"b\"]]}]}"
                        + " # items[1].group: \"g\" again; expected a name that no other group has",
                "{\"title\": \"abcdef\"} {} # line 1, column 21: more text; expected the end of the set"
            })
    void invalidSetNamesThePlace(String json, String message) {
        assertThatThrownBy(() -> parse(json))
                .isInstanceOf(TypeSetSyntaxException.class)
                .hasMessage(message);
    }

    @Test
    void setHasAtMostAsManyItemsAsAQuery() {
        assertThat(parse(withItems(500)).items()).hasSize(500);
        assertThatThrownBy(() -> parse(withItems(501)))
                .hasMessage("items[500].item: item 501; expected the end of the set: the limit is 500 items");
    }

    @Test
    void newSetHasNoVersionYet() {
        String items = "\"title\": \"t\", \"items\": [{\"item\": \"a\"}]}";

        assertThat(parseNew("{" + items).version()).isEqualTo(1);
        assertThat(parseNew("{\"name\": \"mine\"," + items).name()).isEqualTo("mine");
        assertThatThrownBy(() -> parseNew("{\"name\": \"other\"," + items))
                .hasMessage("name: \"other\"; expected \"mine\", or no name");
        assertThatThrownBy(() -> parseNew("{\"version\": 2," + items))
                .hasMessage("version: 2; expected no version: changes are counted where sets are kept");
        assertThatThrownBy(() -> parseNew("{\"items\": [{\"item\": \"a\"}]}"))
                .hasMessage("title: missing; expected a string");
        assertThatThrownBy(() -> parseNew("{\"retired\": true," + items)).hasMessageContaining("unknown property");
    }

    @Test
    void setThatIsRetiredWhereItIsKeptIsRead() {
        TypeSet set = parseNew("{\"title\": \"t\", \"items\": [{\"item\": \"a\"}]}");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), bytes)) {
            TypeSetWriter.write(out, set, true);
        }

        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("\"retired\":true");
        assertThat(TypeSetParser.parse(bytes.toByteArray())).isEqualTo(set);
        assertThatThrownBy(() -> parse("{\"retired\": \"yes\"}"))
                .hasMessage("retired: \"yes\"; expected true or false");
    }

    private static TypeSet parseNew(String json) {
        return TypeSetParser.parseNew("mine", json.getBytes(StandardCharsets.UTF_8));
    }

    private static String withItems(int count) {
        return "{\"name\": \"big\", \"version\": 1, \"title\": \"t\", \"items\": ["
                + IntStream.range(0, count)
                        .mapToObj(i -> "{\"item\": \"t" + i + "\"}")
                        .collect(Collectors.joining(","))
                + "]}";
    }

    private static TypeSet parse(String json) {
        return TypeSetParser.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void mistakeHasItsLineAndColumn() {
        assertThatThrownBy(() -> TypeSetParser.parseNew("s", """
                {"title": "t",
                 "items": [
                   {"item": "T.m"},
                   {"item": 7}]}""".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOfSatisfying(TypeSetSyntaxException.class, e -> {
                    assertThat(e.place()).isEqualTo("items[1].item");
                    assertThat(e.line()).isEqualTo(4);
                    assertThat(e.column()).isEqualTo(13);
                });
        assertThatThrownBy(() -> TypeSetParser.parseNew("s", "{\"title\":\n 1 2".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOfSatisfying(
                        TypeSetSyntaxException.class, e -> assertThat(e.line()).isEqualTo(2));
    }

    @Test
    void whatIsMissingIsNowhere() {
        assertThatThrownBy(() -> TypeSetParser.parseNew("s", "{\"title\": \"t\"}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOfSatisfying(
                        TypeSetSyntaxException.class, e -> assertThat(e.line()).isZero());
    }
}
