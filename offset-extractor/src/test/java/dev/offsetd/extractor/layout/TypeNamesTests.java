package dev.offsetd.extractor.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
