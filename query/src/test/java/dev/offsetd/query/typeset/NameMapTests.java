package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

class NameMapTests {

    private static final String NAMES = """
            {"maps": {"agent": {"title": "Our agent", "names": {
               "point.y_offset": {"offset": "point.y"},
               "point.sizeof": {"size": "point"},
               "version": {"constant": 7}},
             "oneOf": [
               {"flags": {"offset": "bits.moved"}, "kind": {"constant": 1}},
               {"flags": {"bitOffset": "bits.c"}, "kind": {"constant": 2}}]}}}""";

    @Test
    void yamlNestsAtDotsAndIsSorted() {
        assertThat(NameMapWriter.yaml(values(NAMES)))
                .containsExactly(
                        "# @mine version 1, map agent, Our agent",
                        "flags: 16",
                        "kind: 2",
                        "point:",
                        "    sizeof: 8",
                        "    y_offset: 4",
                        "version: 7");
    }

    @Test
    void headerHasMacros() {
        assertThat(NameMapWriter.header(values(NAMES), null, null))
                .containsExactly(
                        "/* @mine version 1, map agent, Our agent */",
                        "/* build-id: none */",
                        "#ifndef OFFSETD_NO_BUILD_ID_MINE_AGENT_H",
                        "#define OFFSETD_NO_BUILD_ID_MINE_AGENT_H",
                        "",
                        "#define point_y_offset 4",
                        "#define point_sizeof 8",
                        "#define version 7",
                        "#define flags 16",
                        "#define kind 2",
                        "",
                        "#endif");
    }

    @Test
    void jsonHasEachNameFlat() {
        assertThat(json(values(NAMES)))
                .isEqualTo("{\"point.y_offset\":4,\"point.sizeof\":8,\"version\":7,\"flags\":16,\"kind\":2}");
        assertThat(values(NAMES).isComplete()).isTrue();
    }

    @Test
    void whatIsMissingIsNoNumber() {
        NameMap.Values values = values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "on": {"offset": "point.z|bits.zz"}, "p": {"size": "nope"}, "q": {"value": "enumerator NOPE"},
                  "r": {"offset": "point"}, "s": {"offset": "pointers.next.next"}}}}}""");

        assertThat(values.isComplete()).isFalse();
        assertThat(json(values))
                .isEqualTo("{\"on\":{\"status\":\"field_not_found\",\"item\":\"point.z|bits.zz\"},"
                        + "\"p\":{\"status\":\"type_not_found\",\"item\":\"nope\"},"
                        + "\"q\":{\"status\":\"type_not_found\",\"item\":\"enumerator NOPE\"},"
                        + "\"r\":{\"status\":\"unsupported\",\"item\":\"point\","
                        + "\"detail\":\"it is not a member, TYPE.MEMBER\"},"
                        + "\"s\":{\"status\":\"crosses_pointer\",\"item\":\"pointers.next.next\"}}");
        assertThat(NameMapWriter.yaml(values)).contains("\"on\": {status: field_not_found, item: 'point.z|bits.zz'}");
        assertThat(NameMapWriter.header(values, null, null))
                .contains("/* on: field_not_found, point.z|bits.zz */")
                .noneMatch(line -> line.startsWith("#define on"));
    }

    @Test
    void closestAlternativeStandsForAllIfNoneIsComplete() {
        assertThat(json(values("""
                {"maps": {"agent": {"title": "t", "names": {"a": {"constant": 1}}, "oneOf": [
                  {"b": {"offset": "nope.x"}, "c": {"offset": "nope.y"}},
                  {"b": {"offset": "point.y"}, "c": {"offset": "nope.y"}},
                  {"b": {"offset": "nope.x"}, "c": {"offset": "point.x"}}]}}}""")))
                .isEqualTo("{\"a\":1,\"b\":4,\"c\":{\"status\":\"type_not_found\",\"item\":\"nope.y\"}}");
    }

    @Test
    void measuresAreOfMembersTypesAndEnumerators() {
        assertThat(json(values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "offset": {"offset": "bits.c"}, "size": {"size": "bits.c"},
                  "bit_offset": {"bitOffset": "bits.c"}, "bit_size": {"bitSize": "bits.c"},
                  "whole_bits": {"bitSize": "point.y"}, "green": {"value": "enumerator GREEN"}}}}}""")))
                .isEqualTo("{\"offset\":2,\"size\":1,\"bit_offset\":16,\"bit_size\":7,\"whole_bits\":32,"
                        + "\"green\":5}");
    }

    @Test
    void valuesMayBeAddedAndMultiplied() {
        assertThat(json(values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "end": {"sum": [{"offset": "point.y"}, {"size": "point.y"}]},
                  "double": {"product": [{"constant": 2}, {"size": "point"}]},
                  "difference": {"sum": [{"size": "point"}, {"product": [{"offset": "point.y"}, {"constant": -1}]}]},
                  "none": {"sum": [{"size": "point"}, {"size": "nope"}]}}}}}""")))
                .isEqualTo("{\"end\":8,\"double\":16,\"difference\":4,"
                        + "\"none\":{\"status\":\"type_not_found\",\"item\":\"nope\"}}");
    }

    @Test
    void onlyWhatCertainlyIsAbsentHasTheValueOfAbsence() {
        assertThat(json(values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "present": {"offset": "point.y", "ifAbsent": 0},
                  "no_member": {"offset": "point.z", "ifAbsent": 0},
                  "no_type": {"size": "nope", "ifAbsent": -1},
                  "pointer": {"offset": "pointers.next.next", "ifAbsent": 0}}}}}""")))
                .isEqualTo("{\"present\":4,\"no_member\":0,\"no_type\":-1,"
                        + "\"pointer\":{\"status\":\"crosses_pointer\",\"item\":\"pointers.next.next\"}}");
    }

    @Test
    void offsetsStayInsideTheirType() {
        NameMap.Values values = values(NAMES);

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), bytes)) {
            out.writeStartObject();
            NameMapWriter.writeLimits(out, values);
            out.writeEndObject();
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo("{\"limits\":{\"point.y_offset\":{\"size\":4,\"within\":8}}}");
    }

    @Test
    void changesAreNumbersThatDiffer() {
        NameMap.Values before = values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "a": {"offset": "point.x"}, "b": {"size": "point"}, "c": {"size": "nope"}, "d": {"constant": 1}}}}}""");
        NameMap.Values after = values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "a": {"offset": "point.y"}, "b": {"constant": 8}, "c": {"size": "none"}, "e": {"constant": 1}}}}}""");

        assertThat(NameMapWriter.changes(before.changes(after)))
                .containsExactly("~ a: 0 -> 4", "~ d: 1 -> none", "~ e: none -> 1");
        assertThat(before.changes(before)).isEmpty();
    }

    private static final String PLANS = """
            {"maps": {"agent": {"title": "t", "names": {
              "next.counter": {"plan": "pointers.next->counter"}, "second": {"plan": "g_pointers->next->both"},
              "member": {"plan": "point.y"}, "bits": {"plan": "bits.c"},
              "opaque": {"plan": "pointers.opaque->x"}, "lacking": {"plan": "pointers.nope->x", "ifAbsent": 0}}}}}""";

    @Test
    void planIsARenderingOfItsSteps() {
        assertThat(json(values(PLANS)))
                .isEqualTo(
                        "{\"next.counter\":{\"steps\":[{\"offset\":24},{\"deref\":true,\"pointerSize\":8},{\"offset\":100}],"
                                + "\"size\":4},"
                                + "\"second\":{\"symbol\":\"g_pointers\",\"steps\":[{\"offset\":0},{\"deref\":true,\"pointerSize\":8},"
                                + "{\"offset\":24},{\"deref\":true,\"pointerSize\":8},{\"offset\":96}],\"size\":4},"
                                + "\"member\":{\"steps\":[{\"offset\":4}],\"size\":4},"
                                + "\"bits\":{\"steps\":[{\"offset\":2}],\"size\":1,\"bitOffset\":0,\"bitSize\":7},"
                                + "\"opaque\":{\"status\":\"declaration_only\",\"item\":\"pointers.opaque->x\"},\"lacking\":0}");
        assertThat(NameMapWriter.yaml(values(PLANS)))
                .contains(
                        "next:",
                        "    counter: {steps: [{offset: 24}, {deref: true, pointerSize: 8}, {offset: 100}], size: 4}");
        assertThat(NameMapWriter.header(values(PLANS), null, null))
                .contains(
                        "#define next_counter_SIZE 4",
                        "#define next_counter_READ(read, base, to) __extension__({ \\",
                        "/* second starts at the variable g_pointers */",
                        "#define bits_BIT_SIZE 7",
                        "#define lacking 0");
    }

    /** A consumer reads what it finds there as a number of the machine. */
    @Test
    void memberOfAnotherByteOrderHasNoPlace() {
        Path storage = Fixture.named("gcc12-dwarf5-x86_64-el")
                .folder()
                .resolveSibling("odd-constructs")
                .resolve("storage.o");
        String missing = ":{\"status\":\"unsupported\",\"item\":\"B.c\","
                + "\"detail\":\"it is not stored in the byte order of the build\"}";

        assertThat(json(values(storage, set("""
                {"maps": {"agent": {"title": "t", "names": {
                  "a": {"offset": "B.c"}, "b": {"bitOffset": "B.c"}, "c": {"plan": "B.c"},
                  "size": {"size": "B.c"}, "other": {"offset": "L.c"}}}}}"""), Optional.empty(), null)))
                .isEqualTo("{\"a\"" + missing + ",\"b\"" + missing + ",\"c\"" + missing + ",\"size\":2,\"other\":2}");
    }

    /** Its name in debug information may be that of another symbol. */
    @Test
    void planFromAVariableWithoutSymbolCannotBeFollowed() {
        StoredSymbols none = StoredSymbols.of(SymbolTable.of(List.of(List.of()), ValueRule.ADDRESS, null, List.of()));
        NameMap.Values values =
                values(set(PLANS), Optional.empty(), new SymbolSearch(none, null, SearchBudget.unlimited()));
        assertThat(json(values)).contains("\"second\":{\"status\":\"unsupported\",\"item\":\"g_pointers->next->both\"");
    }

    @Test
    void changesOfPlansAreTheirSteps() {
        NameMap.Values before = values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "a": {"plan": "pointers.next->counter"}, "b": {"plan": "pointers.next->both"},
                  "c": {"plan": "bits.c"}}}}}""");
        NameMap.Values after = values("""
                {"maps": {"agent": {"title": "t", "names": {
                  "a": {"plan": "g_pointers->next->both"}, "b": {"plan": "pointers.next->both"},
                  "c": {"offset": "bits.c"}}}}}""");

        assertThat(NameMapWriter.changes(before.changes(after)))
                .containsExactly(
                        "~ a: +100(+24(base)), 4 bytes -> +96(+24(+0(g_pointers))), 4 bytes",
                        "~ c: +2(base), 1 bytes, bit 0, 7 bits -> 2");
        assertThat(before.changes(before)).isEmpty();
    }

    @Test
    void queryIsForOneSet() {
        TypeSet two = set("{\"maps\": {\"a\": {\"title\": \"t\", \"names\": {\"x\": {\"constant\": 1}}},"
                + " \"b\": {\"title\": \"t\", \"names\": {\"x\": {\"constant\": 2}}}}}");

        assertThat(json(values(two, Optional.of("b")))).isEqualTo("{\"x\":2}");
        assertThatThrownBy(() -> expansion(two, Optional.empty(), "@mine"))
                .hasMessage("@mine has several name maps; expected map=a or map=b");
        assertThatThrownBy(() -> expansion(two, Optional.of("c"), "@mine"))
                .hasMessage("@mine: no name map \"c\"; expected map=a or map=b");
        assertThatThrownBy(() -> expansion(set("{\"probes\": []}"), Optional.empty(), "@mine"))
                .isInstanceOf(UnknownNameMapException.class)
                .hasMessage("@mine has no name map");
        assertThatThrownBy(() -> expansion(two, Optional.empty(), "@mine,point"))
                .hasMessage("view=map is of one type set; expected a single item @SET");
        assertThatThrownBy(() -> expansion(two, Optional.empty(), "@other"))
                .isInstanceOf(UnknownTypeSetException.class);
    }

    @Test
    void setsAreWrittenAsTheyAreRead() {
        TypeSet set = set("""
                {"maps": {"agent": {"title": "t", "names": {
                   "a": {"offset": "point.y", "ifAbsent": 0}, "b": {"address": "symbol f"},
                   "c": {"sum": [{"size": "point"}, {"product": [{"count": "point.x"}, {"constant": -1}]}]}},
                 "oneOf": [{"d": {"constant": 1}}, {"d": {"tlsOffset": "symbol g"}},
                   {"d": {"sum": [{"tlsDescriptor": "symbol g"}, {"tlsModule": "symbol g"}]},
                    "e": {"threadPointerOffset": "symbol g"}, "f": {"plan": "variable g.x->y"}}]}}}""");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), bytes)) {
            TypeSetWriter.write(out, set);
        }
        assertThat(TypeSetParser.parse(bytes.toByteArray())).isEqualTo(set);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "[] # maps: an array; expected an object with a name map under each name",
                "{\"A\": {}} # maps: \"A\"; expected [a-z][a-z0-9_-]{0,63}",
                "{\"a\": 1} # maps.a: 1; expected an object with \"title\" and \"names\"",
                "{\"a\": {\"names\": {\"x\": {\"constant\": 1}}}} # maps.a.title: missing; expected a string",
                "{\"a\": {\"title\": \"t\"}}"
                        + " # maps.a.names: missing; expected an object with a value under each name",
                "{\"a\": {\"names\": {}}} # maps.a.names: empty; expected at least one name",
                "{\"a\": {\"names\": {\"x y\": {}}}} # maps.a.names: \"x y\"; expected C identifiers of at most 100"
                        + " characters, joined by dots",
                "{\"a\": {\"names\": {\"x\": {}}}} # maps.a.names.x: empty; expected an object with offset, size,"
                        + " bitOffset, bitSize, count, value, address, tlsOffset, tlsDescriptor, tlsModule,"
                        + " threadPointerOffset, plan, constant, sum or product; ifAbsent beside a measure",
                "{\"a\": {\"names\": {\"x\": {\"of\": \"T\"}}}} # maps.a.names.x.\"of\": unknown property; expected an"
                        + " object with offset, size, bitOffset, bitSize, count, value, address, tlsOffset,"
                        + " tlsDescriptor, tlsModule, threadPointerOffset, plan, constant, sum or product; ifAbsent beside a measure",
                "{\"a\": {\"names\": {\"x\": {\"constant\": 1, \"ifAbsent\": 0}}}} # maps.a.names.x.ifAbsent: not beside a"
                        + " measure; expected offset, size, bitOffset, bitSize, count, value, address, tlsOffset,"
                        + " tlsDescriptor, tlsModule, threadPointerOffset, plan",
                "{\"a\": {\"names\": {\"x\": {\"sum\": [{\"size\": \"T\"}]}}}} # maps.a.names.x.sum: other values; expected two"
                        + " values, at most one of them constant",
                "{\"a\": {\"names\": {\"x\": {\"sum\": [{\"constant\": 1}, {\"constant\": 1}]}}}} # maps.a.names.x.sum: other"
                        + " values; expected two values, at most one of them constant",
                "{\"a\": {\"names\": {\"x\": {\"sum\": [{\"constant\": 1}, {\"size\": \"T\"}, 1]}}}} # maps.a.names.x.sum[2]:"
                        + " 1; expected an object with offset, size, bitOffset, bitSize, count, value, address,"
                        + " tlsOffset, tlsDescriptor, tlsModule, threadPointerOffset, plan, constant, sum or product; ifAbsent beside a measure",
                "{\"a\": {\"names\": {\"x\": {\"sum\": [{\"constant\": 1}, {\"plan\": \"T.x\"}]}}}} # maps.a.names.x.sum:"
                        + " a plan; expected two numbers",
                "{\"a\": {\"names\": {\"x\": {\"address\": \"T.x\"}}}} # maps.a.names.x.address: \"T.x\"; expected a symbol,"
                        + " \"symbol NAME\"",
                "{\"a\": {\"names\": {\"x\": {\"size\": \"T\", \"offset\": \"T.x\"}}}}"
                        + " # maps.a.names.x.offset: one more; expected one value",
                "{\"a\": {\"names\": {\"x\": {\"offset\": \"T..x\"}}}}"
                        + " # maps.a.names.x.offset, character 3: \"T..x\"; expected the name of a member, or"
                        + " quotes around a name with \"..\"",
                "{\"a\": {\"names\": {\"x\": {\"offset\": \"symbol f\"}}}}"
                        + " # maps.a.names.x.offset: \"symbol f\"; expected a member, TYPE.MEMBER",
                "{\"a\": {\"names\": {\"x\": {\"value\": \"T.x\"}}}}"
                        + " # maps.a.names.x.value: \"T.x\"; expected an enumerator, \"enumerator NAME\"",
                "{\"a\": {\"names\": {\"x\": {\"offset\": \"@ruby\"}}}} # maps.a.names.x.offset: \"@ruby\"; expected the"
                        + " items of that set: type sets cannot be nested",
                "{\"a\": {\"names\": {\"x\": {\"constant\": 9007199254740992}}}} # maps.a.names.x.constant:"
                        + " 9007199254740992; expected an integer from -9007199254740991 to 9007199254740991",
                "{\"a\": {\"title\": \"t\", \"names\": {\"x.y\": {\"constant\": 1}, \"x_y\": {\"constant\": 1}}}}"
                        + " # maps.a: x_y again; expected names that differ, also with _ for each dot",
                "{\"a\": {\"title\": \"t\", \"names\": {\"x.y\": {\"constant\": 1}, \"x\": {\"constant\": 1}}}}"
                        + " # maps.a: x is also the start of another name; expected one of both",
                "{\"a\": {\"title\": \"t\", \"names\": {\"x\": {\"constant\": 1}}, \"oneOf\": [{\"x\": {\"constant\": 2}}]}}"
                        + " # maps.a: x again; expected names that differ, also with _ for each dot",
                "{\"a\": {\"title\": \"t\", \"oneOf\": []}} # maps.a.oneOf: empty; expected at least one alternative",
                "{\"a\": {\"title\": \"t\", \"version\": 1}}"
                        + " # maps.a.\"version\": unknown property; expected title, names or oneOf"
            })
    void invalidMapNamesThePlace(String maps, String message) {
        assertThatThrownBy(() -> set("{\"maps\": " + maps + "}"))
                .isInstanceOf(TypeSetSyntaxException.class)
                .hasMessage(message);
    }

    @Test
    void mapsAndNamesAreLimited() {
        assertThatThrownBy(() -> set(maps(NameMapParser.MAX_MAPS + 1, 1)))
                .hasMessage("maps.m16: one more; expected at most 16 maps");
        assertThat(set(maps(1, NameMapParser.MAX_NAMES)).maps().getFirst().names())
                .hasSize(500);
        assertThatThrownBy(() -> set(maps(1, NameMapParser.MAX_NAMES + 1)))
                .hasMessage("maps.m0.names.x500: name 501; expected at most 500 names in a map");
    }

    private static String maps(int maps, int names) {
        StringBuilder out = new StringBuilder("{\"maps\": {");
        for (int map = 0; map < maps; map++) {
            out.append(map == 0 ? "" : ",").append("\"m").append(map).append("\":{\"title\":\"t\",\"names\":{");
            for (int name = 0; name < names; name++) {
                out.append(name == 0 ? "" : ",").append("\"x").append(name).append("\":{\"constant\":1}");
            }
            out.append("}}");
        }
        return out.append("}}").toString();
    }

    /** Parses a set with these further properties. */
    private static TypeSet set(String properties) {
        String json =
                properties.strip().replaceFirst("\\{", "{\"title\": \"Mine\", \"items\": [{\"item\": \"point\"}], ");
        return TypeSetParser.parseNew("mine", json.getBytes(StandardCharsets.UTF_8));
    }

    private static Expansion expansion(TypeSet set, Optional<String> map, String items) {
        return Expansion.ofMap(ItemParser.parseList(List.of(items)), map.orElse(null), new TypeSetSource() {

            @Override
            public Optional<TypeSet> find(String name) {
                return Optional.of(set).filter(one -> one.name().equals(name));
            }

            @Override
            public Set<String> names() {
                return Set.of(set.name());
            }
        });
    }

    private static NameMap.Values values(String properties) {
        return values(set(properties), Optional.empty());
    }

    private static NameMap.Values values(TypeSet set, Optional<String> map) {
        return values(set, map, null);
    }

    private static NameMap.Values values(TypeSet set, Optional<String> map, @Nullable SymbolSearch symbols) {
        return values(Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(), set, map, symbols);
    }

    private static NameMap.Values values(Path file, TypeSet set, Optional<String> map, @Nullable SymbolSearch symbols) {
        try {
            ExtractionReport report = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll);
            return expansion(set, map, "@mine")
                    .answer(item -> ItemResolver.resolve(item, new BuildContents(report.types(), symbols), null))
                    .map()
                    .orElseThrow();
        } catch (IOException | ExtractionException e) {
            throw new AssertionError(e);
        }
    }

    private static String json(NameMap.Values values) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), bytes)) {
            NameMapWriter.writeValues(out, values);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
