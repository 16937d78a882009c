package dev.offsetd.query.item;

import static dev.offsetd.extractor.testkit.Types.CPP;
import static dev.offsetd.extractor.testkit.Types.GO;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.array;
import static dev.offsetd.extractor.testkit.Types.build;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.enumeration;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.in;
import static dev.offsetd.extractor.testkit.Types.struct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

class SuggestionsTests {

    private static final TypeIndex TYPES = types(
            "malloc_state",
            "malloc_chunk",
            "malloc_par",
            "rb_control_frame_struct",
            "rb_iseq_struct",
            "PyThreadState",
            "_PyInterpreterFrame",
            "pthread",
            "main.Server",
            "int");

    private static final AggregateShape INNER = struct("inner", 8, field("name", 0, LONG));
    private static final TypeIndex MEMBERS = build(define(struct(
            "state",
            72,
            field("mutex", 0, LONG),
            field("have_fastchunks", 8, LONG),
            field("fd", 16, LONG),
            field("next", 64, Types.pointer("struct state *", "struct state")),
            field("inner", 24, INNER),
            field("inners", 32, array(INNER, 4)))));

    private static TypeIndex types(String... names) {
        return build(Stream.of(names).map(SuggestionsTests::type).toArray(Definition[]::new));
    }

    private static Definition type(String name) {
        return define(struct(name, 8, field("a", 0, LONG)));
    }

    private static ItemAnswer ask(String item, TypeIndex types) {
        BuildContents contents = BuildContents.ofTypes(types);
        return new Suggestions(contents).addTo(ItemResolver.resolve(ItemParser.parse(item), contents, null));
    }

    @ParameterizedTest
    @CsvSource({
        "malloc_stat, malloc_state",
        "malloc_satte, malloc_state",
        "Malloc_state, malloc_state",
        "struct malloc_stat, malloc_state",
        "malloc_stat.top, malloc_state",
        "rb_control_frame, rb_control_frame_struct",
        "pythreadstate, PyThreadState",
        "PyInterpreterFrame, _PyInterpreterFrame",
        "_pthread, pthread",
        "ns::malloc_stat, malloc_state",
        "main.Sever, main.Server"
    })
    void misspelledTypeSuggestsTheNameThatTheBuildHas(String item, String suggestion) {
        assertThat(ask(item, TYPES).suggestions()).first().isEqualTo(suggestion);
    }

    @ParameterizedTest
    @CsvSource({
        "Sesion, acme.com/web.Session",
        "sessoin, acme.com/web.Session",
        "session, acme.com/web.Session",
        "web.Sesion, acme.com/web.Session",
        "wbe.Session, acme.com/web.Session",
        "web.session.id, acme.com/web.Session",
        "Sesion.id, acme.com/web.Session",
        "acme.com/web.Sesion, acme.com/web.Session",
        "other.Session, acme.com/web.Session",
        "mian.Server, main.Server",
        "Sever, 'main.Server,net/http.Server'",
        "htp.Server, net/http.Server",
        "other.Server, 'main.Server,net/http.Server'",
        "Confg, ''",
        "other.Config, ''"
    })
    void misspelledGoTypeSuggestsTypesWithTheirPackage(String item, String suggestions) {
        TypeCatalogue types = new TypeCatalogue(
                Stream.of(
                                "acme.com/web.Session",
                                "main.Server",
                                "net/http.Server",
                                "a.Config",
                                "b.Config",
                                "c.Config",
                                "d.Config")
                        .map(name -> in("main.go", GO, type(name)))
                        .toList(),
                List.of());
        for (TypeIndex index : List.of(types, StoredCatalogue.of(CatalogueWriter.encode(types)))) {
            assertThat(String.join(",", ask(item, index).suggestions())).isEqualTo(suggestions);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "state.mutx, state.mutex",
        "struct state.Mutex, struct state.mutex",
        "state.have_fastchunk, state.have_fastchunks",
        "state.inner.nam, state.inner.name",
        "state.inner.nam.x, state.inner.name",
        "state.inners[1].nam, state.inners[1].name",
        "state.fb, state.fd",
        "state.next->mutx, state.next->mutex",
        "absent.a|state.mutx, state.mutex"
    })
    void misspelledMemberSuggestsThePathThatTheTypeHas(String item, String suggestion) {
        assertThat(ask(item, MEMBERS).suggestions()).first().isEqualTo(suggestion);
    }

    /** A build has a million names, and among them one that is a letter away from any short word. */
    @ParameterizedTest
    @CsvSource({"imt, ''", "foo, ''", "INT, int", "qwertyuiop, ''"})
    void nonsenseHasNoSuggestions(String item, String suggestion) {
        TypeIndex types = types("int", "fop", "par", "qwrtz", "q");
        assertThat(String.join(",", ask(item, types).suggestions())).isEqualTo(suggestion);
    }

    @ParameterizedTest
    @CsvSource({"state.zz", "state.x", "state.counter", "state.mutex.name"})
    void memberWithoutSimilarOnesHasNoSuggestions(String item) {
        assertThat(ask(item, MEMBERS).suggestions()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "enumerator TASK_DAED, TASK_DEAD",
        "enumerator task_dead, TASK_DEAD",
        "enumerator state::TASK_DEA, TASK_DEAD"
    })
    void misspelledEnumeratorSuggestsTheOneThatTheBuildHas(String item, String suggestion) {
        TypeCatalogue types = new TypeCatalogue(
                List.of(define(enumeration(
                        "state", 4, false, new Enumerator("TASK_RUNNING", 0), new Enumerator("TASK_DEAD", 1)))),
                List.of());
        for (TypeIndex index : List.of(types, StoredCatalogue.of(CatalogueWriter.encode(types)))) {
            assertThat(ask(item, index).suggestions()).containsExactly(suggestion);
            assertThat(ask("enumerator NOTHING_SIMILAR", index).suggestions()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ruby_curent_vm_ptr->x, ruby_current_vm_ptr",
        "ruby_curent_vm_ptr.x, ruby_current_vm_ptr",
        "variable RUBY_current_vm_ptr, ruby_current_vm_ptr",
        "acme::ruby_current_vm_pt, ruby_current_vm_ptr",
        "runtime.mheep_, runtime.mheap_",
        "struct ruby_curent_vm_ptr, ''",
        "variable malloc_stat, ''",
        "malloc_stat, malloc_state"
    })
    void misspelledVariableSuggestsTheOneThatTheBuildHas(String item, String suggestion) {
        TypeCatalogue types = new TypeCatalogue(
                List.of(type("malloc_state")),
                Stream.of("ruby_current_vm_ptr", "runtime.mheap_")
                        .map(name -> new Variable(name, name, null, null, "a.c", Types.C, false, 0x1000L, null, LONG))
                        .toList());
        for (TypeIndex index : List.of(types, StoredCatalogue.of(CatalogueWriter.encode(types)))) {
            assertThat(String.join(",", ask(item, index).suggestions())).isEqualTo(suggestion);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "state->value, variable state->value",
        "state.value,  variable state.value",
        "state.mutex->value, ''",
        "state.mutexx, state.mutex",
        "struct state->value, ''",
        "variable state.nothing, ''"
    })
    void itemOfAVariableIsSuggestedIfATypeHasItsName(String item, String suggestion) {
        AggregateShape inner = struct("holder", 8, field("value", 0, LONG));
        boolean isPlan = item.contains("->");
        TypeIndex types = new TypeCatalogue(
                List.of(define(struct("state", 8, field("mutex", 0, LONG))), define(inner)),
                List.of(new Variable(
                        "state",
                        "state",
                        null,
                        null,
                        "a.c",
                        Types.C,
                        false,
                        0x1000L,
                        null,
                        isPlan ? Types.pointer("struct holder *", "struct holder") : inner)));

        assertThat(String.join(",", ask(item, types).suggestions())).isEqualTo(suggestion);
    }

    /** However many members a type has. */
    @Test
    void comparedMembersAreBounded() {
        int members = 50_000;
        Member[] fields = IntStream.range(0, members)
                .mapToObj(number -> field("member_" + number, 8L * number, LONG))
                .toArray(Member[]::new);
        TypeIndex large = build(define(struct("large", 8L * members, fields)));
        assertThat(ask("large.membr_10", large).suggestions()).contains("large.member_10");
        assertThat(ask("large.membr_49999", large).suggestions()).isEmpty();
    }

    @Test
    void suggestionsAreInTheTextToo() {
        assertThat(LayoutText.lines(List.of(ask("state.mutx", MEMBERS)), 0))
                .containsExactly("/* state.mutx: field_not_found, \"state\" has no member \"mutx\","
                        + " did you mean state.mutex? */");
    }

    @ParameterizedTest
    @CsvSource({"task_struct", "m", "malloc_state_of_another_kind", "enumerator RED", "tls"})
    void nameWithoutSimilarOnesHasNoSuggestions(String item) {
        assertThat(ask(item, TYPES).suggestions()).isEmpty();
    }

    @Test
    void foundTypesHaveNoSuggestions() {
        assertThat(ask("malloc_state", TYPES).suggestions()).isEmpty();
    }

    @Test
    void mostSimilarNamesComeFirstAndAreFew() {
        TypeIndex types = types("aaaaaaxy", "aaaaaabb", "aaaaaab", "aaaaaabc", "aaaaaacd");
        assertThat(ask("aaaaaabbb", types).suggestions()).containsExactly("aaaaaabb", "aaaaaab", "aaaaaabc");
    }

    @Test
    void suggestionsAreMembersOfTheAnswer() throws Exception {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = new JsonMapper().createGenerator(text)) {
            new AnswerWriter(View.FIELDS).writeAnswer(out, ask("malloc_stat", TYPES), "p1");
        }
        assertThat(text).hasToString("{\"status\":\"type_not_found\",\"suggestions\":[\"malloc_state\"]}");
    }

    /** However many names a build has and items a query. */
    @Test
    void comparedNamesAreBounded() {
        TypeIndex catalogue = new TypeCatalogue(
                IntStream.range(0, 50_000)
                        .mapToObj(number -> type("std_vector_" + number))
                        .toList(),
                List.of());
        List<String> visited = new ArrayList<>();
        TypeIndex counted = (TypeIndex) Proxy.newProxyInstance(
                TypeIndex.class.getClassLoader(), new Class<?>[] {TypeIndex.class}, (_, method, arguments) -> {
                    if (!method.getName().equals("forEachTypeName")) {
                        return method.invoke(catalogue, arguments);
                    }
                    @SuppressWarnings("unchecked")
                    Predicate<String> goOn = (Predicate<String>) arguments[1];
                    catalogue.forEachTypeName((String) arguments[0], name -> {
                        visited.add(name);
                        return goOn.test(name);
                    });
                    return null;
                });
        BuildContents contents = BuildContents.ofTypes(counted);
        Suggestions suggestions = new Suggestions(contents);
        for (int i = 0; i < 2_000; i++) {
            Item item = ItemParser.parse("std_vector_x" + i);
            suggestions.addTo(ItemResolver.resolve(item, contents, null));
        }
        assertThat(visited).hasSizeBetween(10_000, 100_000);
    }

    @ParameterizedTest
    @CsvSource({
        "Session, acme::session",
        "ACME::SESSION, acme::session",
        "other::session, acme::session",
        "acme::sesion, acme::session"
    })
    void suggestedTypesHaveTheirScopes(String item, String suggestion) {
        Definition session = new Definition(
                TypeKind.STRUCT,
                "session",
                "acme::session",
                null,
                "a.cc",
                CPP,
                ".debug_info",
                0x2a,
                struct("session", 8, field("a", 0, LONG)));
        assertThat(ask(item, build(session)).suggestions()).first().isEqualTo(suggestion);
    }

    /** However many scopes have the name. */
    @ParameterizedTest
    @CsvSource({"ns::node, ns::Node", "ns::Nodex, ns::Node", "NS::Node, ns::Node", "i.Impl, pkg.i::Impl"})
    void typesAreSuggestedFromTheScopeThatIsMeant(String item, String suggestion) {
        TypeIndex types = build(Stream.of("Node", "ns::Node", "aa::Node", "bb::Node", "pkg.i::Impl", "Impl")
                .map(name -> Types.qualified(name, type(TypeNames.unqualified(name))))
                .toArray(Definition[]::new));
        assertThat(ask(item, types).suggestions()).first().isEqualTo(suggestion);
    }
}
