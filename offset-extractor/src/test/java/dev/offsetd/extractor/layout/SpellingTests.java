package dev.offsetd.extractor.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpellingTests {

    private static final Spelling INT = Spelling.of("int");
    private static final Spelling FUNCTION = INT.function("(void)");

    /** The declaration of {@code x}. */
    private static String declared(Spelling spelling) {
        return spelling.before() + " x" + spelling.after();
    }

    @Test
    void declaratorsAreReadFromTheNameOutwards() {
        assertThat(declared(FUNCTION.pointer("*"))).isEqualTo("int (* x)(void)");
        assertThat(declared(FUNCTION.pointer("*").function("(char)").pointer("*")))
                .isEqualTo("int (*(* x)(char))(void)");
        assertThat(declared(FUNCTION.pointer("*").array("[3]").pointer("*"))).isEqualTo("int (*(* x)[3])(void)");
        assertThat(declared(INT.array("[4]").pointer("*").qualified("const").pointer("*")))
                .isEqualTo("int (* const * x)[4]");
        assertThat(declared(FUNCTION.pointer("*").qualified("volatile"))).isEqualTo("int (* volatile x)(void)");
        assertThat(declared(INT.pointer("*").array("[2]").array("[3]"))).isEqualTo("int * x[3][2]");
        assertThat(declared(INT.array("[4]").pointer("&"))).isEqualTo("int (& x)[4]");
        assertThat(FUNCTION.pointer("*").function("(char)").pointer("*").text()).isEqualTo("int (*(*)(char))(void)");
    }

    @Test
    void qualifierOfAnArrayIsOneOfItsElements() {
        assertThat(INT.array("[2][3]").qualified("const").text()).isEqualTo("const int [2][3]");
        assertThat(Spelling.of("char")
                        .pointer("*")
                        .array("[2]")
                        .qualified("const")
                        .text())
                .isEqualTo("char * const [2]");
        assertThat(FUNCTION.pointer("*").array("[2]").qualified("const").text()).isEqualTo("int (* const [2])(void)");
    }

    /** GCC gives a const array const elements as well. */
    @Test
    void sameQualifierTwiceCountsOnce() {
        assertThat(INT.qualified("const").array("[3]").qualified("const").text())
                .isEqualTo("const int [3]");
        assertThat(INT.qualified("const")
                        .qualified("volatile")
                        .qualified("const")
                        .text())
                .isEqualTo("volatile const int");
        assertThat(INT.pointer("*")
                        .qualified("const")
                        .array("[3]")
                        .qualified("const")
                        .text())
                .isEqualTo("int * const [3]");
        assertThat(INT.qualified("const").pointer("*").qualified("const").text())
                .isEqualTo("const int * const");
        assertThat(INT.pointer("*").qualified("const").qualified("volatile").text())
                .isEqualTo("int * const volatile");
    }

    @Test
    void functionsAndReferencesHaveNoQualifiers() {
        assertThat(FUNCTION.qualified("const")).isEqualTo(FUNCTION);
        assertThat(INT.pointer("&").qualified("const").text()).isEqualTo("int &");
    }

    @Test
    void writtenDeclaratorsAreTakenApartAtTheName() {
        for (Spelling spelling : new Spelling[] {
            INT.array("[2][3]"),
            FUNCTION.pointer("*").function("(char (*)[2])").pointer("*"),
            INT.array("[4]").pointer("*").qualified("const").pointer("*"),
            Spelling.of("std::map<int (*)(void), char [2]>").pointer("*")
        }) {
            assertThat(Spelling.parse(spelling.text())).isEqualTo(spelling);
        }
        for (String name : new String[] {"()", ")", "]", "[4]", "(*)", "a)", ""}) {
            assertThat(Spelling.parse(name).text()).isEqualTo(name);
        }
    }

    @Test
    void theTextAndTheLengthBehindTheNameGiveTheDeclaratorBack() {
        for (Spelling spelling : new Spelling[] {
            INT,
            FUNCTION,
            FUNCTION.pointer("*"),
            INT.array("[4]"),
            Spelling.of("name that ends with white space\r ").array("[4]"),
            Spelling.of(" ").array("[4]"),
            Spelling.of("").array("[4]")
        }) {
            assertThat(Spelling.ofText(spelling.text(), spelling.after().length()))
                    .isEqualTo(spelling);
        }
    }
}
