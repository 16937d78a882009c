package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;

class RepresentationTests {

    private static final Set<Representation> LAYOUTS =
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.TEXT, Representation.C_HEADER);

    @Test
    void withoutAcceptItIsJson() {
        assertThat(Representation.accepted(List.of(), LAYOUTS)).contains(Representation.JSON);
        assertThat(Representation.accepted(List.of("", " "), LAYOUTS)).contains(Representation.JSON);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "*/* -> JSON",
                "* -> JSON",
                "application/json -> JSON",
                "Application/JSON; charset=utf-8 -> JSON",
                "application/* -> JSON",
                "application/cbor -> CBOR",
                "text/plain -> TEXT",
                "text/plain;charset=utf-8 -> TEXT",
                "text/* -> TEXT",
                "text/x-c -> C_HEADER",
                "application/cbor, application/json -> JSON",
                "application/cbor, application/json;q=0.9 -> CBOR",
                "application/json;q=0.5, text/x-c;q=0.501 -> C_HEADER",
                "*/*;q=0.1, text/plain;q=0.2 -> TEXT",
                "application/*;q=0.9, application/json;q=0.1 -> CBOR",
                "application/json;q=0, */* -> CBOR",
                "application/*;q=0, */* -> TEXT",
                "text/plain;x=\"a,application/cbor\" -> TEXT",
                "application/cbor;q=0.1;x=1, application/cbor;q=0.3, application/json;q=0.2 -> CBOR"
            })
    void mostSpecificRangeSaysHowMuchAFormIsLiked(String accept, Representation representation) {
        assertThat(Representation.accepted(List.of(accept), LAYOUTS)).contains(representation);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "text/html -> JSON",
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 -> JSON",
                "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2 -> JSON",
                "text/html, text/plain, */*;q=0.01 -> JSON",
                "text/html;q=0.5, application/cbor -> CBOR",
                "text/html, application/json;q=0, text/plain;q=0.1 -> TEXT"
            })
    void clientThatAcceptsHtmlGetsJson(String accept, Representation representation) {
        assertThat(Representation.accepted(List.of(accept), LAYOUTS)).contains(representation);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "nonsense, application/cbor -> CBOR",
                "application/json;q=2, application/cbor -> CBOR",
                ";;, text/plain -> TEXT",
                ", ,application/cbor, -> CBOR"
            })
    void rangeThatCannotBeReadNamesNothing(String accept, Representation representation) {
        assertThat(Representation.accepted(List.of(accept), LAYOUTS)).contains(representation);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\'',
            value = {
                "application/xml",
                "image/*",
                "application/*+json",
                "'*/*;q=0'",
                "nonsense",
                "';;'",
                "application/problem+json",
                "text/csv"
            })
    void nothingThatIsThereIsNothing(String accept) {
        assertThat(Representation.accepted(List.of(accept), LAYOUTS)).isEmpty();
    }

    @Test
    void severalHeadersAreOneList() {
        assertThat(Representation.accepted(List.of("application/json;q=0.1", "application/cbor"), LAYOUTS))
                .contains(Representation.CBOR);
    }

    @Test
    void onlyWhatIsOfferedIsSent() {
        assertThat(Representation.accepted(List.of("text/plain"), Representation.STRUCTURED))
                .isEmpty();
        assertThat(Representation.accepted(List.of("text/plain, application/cbor;q=0.1"), Representation.STRUCTURED))
                .contains(Representation.CBOR);
        assertThat(Representation.accepted(List.of("*/*"), EnumSet.of(Representation.CBOR, Representation.TEXT)))
                .isEqualTo(Optional.of(Representation.CBOR));
    }

    @Test
    void generatorWritesTheForm() {
        assertThat(written(Representation.JSON)).isEqualTo("7b2261223a317d");
        // RFC 8949: a map without a count (0xbf), text of one byte (0x61), 1, the end (0xff).
        assertThat(written(Representation.CBOR)).isEqualTo("bf616101ff");
        assertThatThrownBy(() -> written(Representation.TEXT)).isInstanceOf(IllegalStateException.class);
    }

    private static String written(Representation representation) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = representation.generator(bytes)) {
            out.writeStartObject();
            out.writeNumberProperty("a", 1);
            out.writeEndObject();
        }
        return HexFormat.of().formatHex(bytes.toByteArray());
    }
}
