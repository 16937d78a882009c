package dev.offsetd.extractor.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TypeNamesTests {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "map<int, int *>; map<int,int*>",
                "unsigned  int; unsigned int",
                "gopkg.in/yaml%2ev3.Node; gopkg.in/yaml.v3.Node",
                "example.com/b%c3%a4r.T; example.com/bär.T",
                "a%zz.T; a%zz.T",
                "a%2; a%2",
                "50%; 50%"
            })
    void namesAreComparedAsTheirUserWritesThem(String name, String normalized) {
        assertThat(TypeNames.normalize(name)).isEqualTo(normalized);
        assertThat(TypeNames.normalize(normalized)).isEqualTo(normalized);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "v8::internal::Isolate; Isolate",
                "std::vector<std::string>; vector<std::string>",
                "Isolate; Isolate",
                "ns::(anonymous namespace)::T; T"
            })
    void lastComponentKeepsItsTemplateArguments(String qualified, String last) {
        assertThat(TypeNames.unqualified(qualified)).isEqualTo(last);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unsigned long|long unsigned int",
                "unsigned|unsigned int",
                "Box<unsigned long>|Box<long unsigned int>",
                "Map<short, unsigned char>|Map<short int,char unsigned>",
                "Box<signed char>|Box<char signed>",
                "Box<const char *>|Box<char const*>",
                "Box<const a::B<int> &>|Box<a::B<int> const &>",
                "Box<const volatile n::T>|Box<n::T volatile const>",
                "Box<int *const>|Box<int * const>",
                "(anonymous namespace)::T|{anonymous}::T",
                "Box<const (anonymous namespace)::T>|Box<{anonymous}::T const>"
            })
    void spellingsOfOneTypeAreEqual(String one, String other) {
        assertThat(TypeNames.canonical(one)).isEqualTo(TypeNames.canonical(other));
        assertThat(TypeNames.spellings(one)).contains(TypeNames.normalize(one), TypeNames.canonical(other));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a<b const>::c const|const a<const b>::c|a<b const>::c const",
                "const a<const b<const c>>|const a<const b<const c>>|a<b<c const> const> const",
                "a<int const *const>|a<const int*const>|a<int const*const>",
            })
    void qualifiersOfEachTypeMove(String name, String canonical, String gcc) {
        assertThat(TypeNames.canonical(name)).isEqualTo(TypeNames.normalize(canonical));
        assertThat(TypeNames.spellings(name)).contains(TypeNames.normalize(gcc));
    }

    @ParameterizedTest
    @ValueSource(strings = {"::b const", "a const<", "a<b const>::"})
    void namesOfAnyLengthAreRespelled(String piece) {
        String name = piece.repeat(100_000 / piece.length()) + "x";

        assertThat(TypeNames.canonical(name)).isNotEqualTo(TypeNames.normalize(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "char",
                "list_head",
                "Box<int>",
                "*const u8",
                "func(int) *T",
                "map[string]int",
                "long double",
                "const"
            })
    void otherNamesAreAsTheyAre(String name) {
        assertThat(TypeNames.spellings(name)).containsExactly(TypeNames.normalize(name));
    }

    @ParameterizedTest
    @CsvSource({"unsigned long, long", "signed char, char", "const T, T", "T *const, const T *"})
    void otherTypesStayOthers(String one, String other) {
        assertThat(TypeNames.canonical(one)).isNotEqualTo(TypeNames.canonical(other));
    }

    @ParameterizedTest
    @CsvSource({
        "runtime.g, g",
        "gopkg.in/yaml.v3.Node, Node",
        "'main.Pair[string,other/pkg.T]', 'Pair[string,other/pkg.T]'",
        "'map[string]main.T', ",
        "'chan main.T', ",
        "'*main.T', ",
        "'func(main.T)', ",
        "'struct { a main.T }', ",
        "int, ",
        "main., "
    })
    void partOfAGoNameBehindItsPackage(String name, @Nullable String expected) {
        assertThat(TypeNames.withoutPackage(name)).isEqualTo(expected);
    }
}
