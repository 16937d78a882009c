package dev.offsetd.extractor.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartialNameTests {

    private static final Set<String> INLINE = Set.of("std::__cxx11", "a::v1");

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            Vec<u8>                | alloc::vec::Vec<u8, alloc::alloc::Global>
            std::string            | std::__cxx11::string
            ::std::string          | std::__cxx11::string
            T                      | a::v1::T
            a::Held<int>           | a::Held<int, a::Policy<int> >
            a::T                   | a::v1::T
            std::set<int>          | std::set<int, std::less<int>, std::allocator<int> >
            std::map<K *, V>       | std::map<K *, V, std::less<K *>, std::allocator<std::pair<K *const, V> > >
            std::map<K, V>         | std::map<K, V, std::less<K>, std::allocator<std::pair<K const, V> > >
            Arr<unsigned long, 4>  | Arr<long unsigned int, 4ul>
            Arr<char, -4>          | Arr<char, -4L>
            F<void (Plain)>        | F<void (a::Plain)>
            Chars<'>', ','>        | x::Chars<'>', ','>
            Pair<(u8, u16)>        | x::Pair<(u8, u16)>
            """)
    void nameStandsFor(String name, String whole) {
        assertThat(matches(name, whole)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            std::tuple<int>     | std::tuple<int, short>
            std::vector         | std::vector<int, std::allocator<int> >
            std::vector<int>    | std::vector<long, std::allocator<long> >
            a::T                | a::b::T
            ::T                 | a::T
            ::b::T              | a::b::T
            b::T                | a::b::T
            v1::T               | a::v1::T
            a::b::T             | b::T
            T                   | T<int>
            T<int>              | T
            T<int, int>         | T<int>
            T<a::X>             | T<b::X>
            Arr<int, 4>         | Arr<int, 5>
            Box<int *>          | Box<int>
            std::vector<int>    | std::vector<int, pool::allocator<int> >
            """)
    void nameDoesNotStandFor(String name, String whole) {
        assertThat(matches(name, whole)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "'vec::Vec<String>', 'alloc::vec::Vec<alloc::string::String, alloc::alloc::Global>'",
        "'Option<string::String>', 'core::option::Option<alloc::string::String>'",
        "inner::Held, outer::inner::Held"
    })
    void firstScopesMayBeLeftOutInRustOnly(String name, String whole) {
        PartialName partial = PartialName.of(name, INLINE).orElseThrow();
        assertThat(partial.matches(whole, Language.Family.RUST)).isTrue();
        assertThat(partial.matches(whole, Language.Family.CPP)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a<", "a<b", "a<b,", "{closure", "a>", "a<b>>", "'", "::", "a::", "<", "<<<", "a<b<c"})
    void brokenNameStandsForNothingElse(String name) {
        assertThat(matches(name, "a<b, c<b> >")).isFalse();
    }

    @Test
    void inlineNamespaceAtFileScopeMayBeLeftOut() {
        PartialName partial = PartialName.of("a::T", Set.of("v1", "v1::a::v2")).orElseThrow();
        assertThat(partial.matches("v1::a::v2::T", Language.Family.CPP)).isTrue();
        assertThat(partial.matches("v1::b::T", Language.Family.CPP)).isFalse();
    }

    @Test
    void depthIsBounded() {
        assertThat(PartialName.of("a<".repeat(2_000) + "b" + ">".repeat(2_000), INLINE))
                .isEmpty();
    }

    private static boolean matches(String name, String whole) {
        return PartialName.of(name, INLINE)
                .filter(partial -> partial.matches(whole, Language.Family.CPP))
                .isPresent();
    }
}
