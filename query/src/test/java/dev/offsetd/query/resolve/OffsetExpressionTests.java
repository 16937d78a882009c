package dev.offsetd.query.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.layout.TypeKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OffsetExpressionTests {

    @ParameterizedTest
    @CsvSource({
        "_rtld_global+2352, _rtld_global, 2352",
        "_rtld_global + 0x930, _rtld_global, 2352",
        "_rtld_global 2352, _rtld_global, 2352",
        "_rtld_global, _rtld_global, 0",
        "'  x  ', x, 0",
        "x+0X1f, x, 31",
        "x+007, x, 7",
        "'ns::C<int, 3>::x+8', 'ns::C<int, 3>::x', 8",
        "long unsigned int+1, long unsigned int, 1",
        "\"A<(1+2)>\"+4, A<(1+2)>, 4",
        "\"a+b\", a+b, 0",
        "buffer.0+16, buffer.0, 16",
        "x+1152921504606846975, x, 1152921504606846975"
    })
    void nameAndOffsetAreToldApart(String text, String name, long offset) {
        assertThat(OffsetExpression.parse(text)).isEqualTo(new OffsetExpression(text, null, name, offset));
    }

    @Test
    void kindAsksForATypeOfThatKind() {
        assertThat(OffsetExpression.parse("struct link_map+40"))
                .isEqualTo(new OffsetExpression("struct link_map+40", TypeKind.STRUCT, "link_map", 40));
        assertThat(OffsetExpression.parse("structure+1").kind()).isNull();
        assertThat(OffsetExpression.parse("union \"odd name\" 3"))
                .isEqualTo(new OffsetExpression("union \"odd name\" 3", TypeKind.UNION, "odd name", 3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x-8|2|an offset of 0 or more",
                "x+-8|3|an offset of 0 or more",
                "x+ - 0x8|4|an offset of 0 or more",
                "x+|3|an offset in bytes",
                "x+y|3|an offset in bytes",
                "x+0x|5|an offset in bytes",
                "x+8y|4|the end of the expression",
                "x+8 9|5|the end of the expression",
                "x+1152921504606846976|3|the limit is 1152921504606846975",
                "x+99999999999999999999999|3|the limit is",
                "+8|1|the name of a variable or type",
                "ns::+8|5|the name of a variable or type",
                "\"x+8|1|a closing quote",
                "\"x\"y+8|4|\"+\" and a number",
                "a\"b\"+8|2|a quote only around a whole name",
                "file:zz|1|hex digits"
            })
    void whatCannotBeReadIsSaidWithItsPosition(String text, int position, String expected) {
        assertThatThrownBy(() -> OffsetExpression.parse(text))
                .isInstanceOfSatisfying(
                        ExpressionSyntaxException.class,
                        e -> assertThat(e.position()).as(e.getMessage()).isEqualTo(position))
                .hasMessageContaining(expected);
    }

    @Test
    void emptyAndOverlongExpressionsAreRefused() {
        assertThatThrownBy(() -> OffsetExpression.parse("")).isInstanceOf(ExpressionSyntaxException.class);
        assertThatThrownBy(() -> OffsetExpression.parse("x".repeat(4097)))
                .isInstanceOf(ExpressionSyntaxException.class)
                .hasMessageContaining("the limit is 4096 characters");
    }

    @Test
    void namesToLookForAreTheLastPartsAndTheWhole() {
        assertThat(OffsetExpression.parse("v8::Isolate+8").names()).containsExactly("Isolate", "v8::Isolate");
        // D separates modules by dots.
        assertThat(OffsetExpression.parse("i.Impl+8").names()).containsExactly("i.Impl", "Impl");
        assertThat(OffsetExpression.parse("buffer.lto_priv.1").names())
                .containsExactly("buffer.lto_priv.1", "1", "buffer");
    }
}
