package dev.offsetd.extractor.go;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GoTypesTests {

    private static final int NAMED = 4;
    private static final int INT = 2;
    private static final int ARRAY = 17;
    private static final int POINTER = 22;
    private static final int SLICE = 23;
    private static final int STRUCT = 25;

    private final GoImage image = new GoImage();

    private TypeCatalogue catalogue() throws ExtractionException {
        return GoImage.catalogue(image.toBytes(), "1.19.8", Limits.DEFAULT);
    }

    private static void assertDamaged(TypeCatalogue found, Omission.Part part, String place) {
        assertThat(found.omissions()).singleElement().satisfies(omission -> {
            assertThat(omission.part()).isEqualTo(part);
            assertThat(omission.cause()).isEqualTo(Omission.Cause.DAMAGED);
            assertThat(omission.places().getFirst()).contains(place);
        });
    }

    private List<Definition> read() throws ExtractionException {
        return GoImage.read(image.toBytes(), "1.19.8", Limits.DEFAULT);
    }

    @Test
    void searchForModuleDataEndsAtTheDeadline() {
        byte[] zeros = new byte[1 << 20];
        assertThatThrownBy(() ->
                        Deadline.afterChecks(100).during(() -> GoImage.catalogue(zeros, "1.19.8", Limits.DEFAULT)))
                .isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void structHasItsFields() throws ExtractionException {
        long number = image.type(INT, 8, "int", NAMED);
        long fields = image.fields(image.name("X", 1), number, 0, image.name("Base", 9), number, 8);
        image.type(STRUCT, 16, "main.T", NAMED, 0, fields, 2, 2);

        List<Definition> types = read();

        assertThat(types).extracting(Definition::name).containsExactly("int", "main.T");
        AggregateShape shape = (AggregateShape) types.get(1).shape();
        assertThat(shape.byteSize()).isEqualTo(16);
        assertThat(shape.members()).extracting(Member::name).containsExactly("X", "Base");
        assertThat(shape.members()).extracting(Member::byteOffset).containsExactly(0L, 8L);
        assertThat(shape.members()).extracting(Member::role).containsExactly(Member.Role.FIELD, Member.Role.EMBEDDED);
    }

    @Test
    void pointersMayFormACycle() throws ExtractionException {
        long pointer = image.type(POINTER, 8, "*main.T", 0, 0);
        long fields = image.fields(image.name("Next", 1), pointer, 0);
        image.set(pointer + 48, image.type(STRUCT, 8, "main.T", NAMED, 0, fields, 1, 1));

        assertThat(read()).singleElement().satisfies(type -> {
            AggregateShape shape = (AggregateShape) type.shape();
            assertThat(shape.members().getFirst().type().spelling()).isEqualTo("*main.T");
        });
    }

    /** A row of {@code int}, and of a struct with one field. */
    private static GoImage row() {
        GoImage image = new GoImage(true);
        long number = image.type(INT, 8, "int", NAMED);
        long struct = image.nextType("main.T".length());
        image.type(STRUCT, 8, "main.T", NAMED, 0, struct + 80, 1, 1);
        image.fields(image.name("X", 1), number, 0);
        return image;
    }

    @Test
    void typeWhoseBitsCannotBeCountedIsLeftOut() throws ExtractionException {
        long number = image.type(INT, 8, "int", NAMED);
        long fields = image.fields(image.name("X", 1), number, Long.MAX_VALUE / 4);
        image.type(STRUCT, Long.MAX_VALUE / 2, "main.T", NAMED, 0, fields, 1, 1);

        assertThat(catalogue().definitions()).extracting(Definition::name).containsExactly("int");
        assertDamaged(catalogue(), Omission.Part.TYPE, "a type of 4611686018427387903 bytes");
    }

    @Test
    void descriptorsInARowNeedNoLinks() throws ExtractionException {
        assertThat(GoImage.read(row().toBytes(), "1.27.3", Limits.DEFAULT))
                .extracting(Definition::name)
                .containsExactly("int", "main.T");
    }

    @Test
    void typesBehindOneInARowThatCannotBeReadAreLeftOutAsAUnit() throws ExtractionException {
        GoImage row = row();
        row.fields(0, 0);

        TypeCatalogue found = GoImage.catalogue(row.toBytes(), "1.27.3", Limits.DEFAULT);

        assertThat(found.definitions()).extracting(Definition::name).containsExactly("int", "main.T");
        assertDamaged(found, Omission.Part.UNIT, "kind 0; expected 1 to 26");
    }

    @Test
    void laterVersionWithOtherDescriptorsIsUnsupported() throws ExtractionException {
        GoImage other = row();
        other.fields(0, 0);

        assertThat(GoImage.read(row().toBytes(), "1.99", Limits.DEFAULT)).hasSize(2);
        assertThatThrownBy(() -> GoImage.read(other.toBytes(), "1.99", Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.26.10", "1.27.3"})
    void eachVersionHasItsOwnModuleData(String version) {
        byte[] other = (version.startsWith("1.26") ? row() : image).toBytes();

        assertThatThrownBy(() -> GoImage.read(other, version, Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("no module data of Go \"" + version + "\"");
    }

    @Test
    void fieldsOfSeveralStructsDoNotOverlap() {
        long number = image.type(INT, 0, "int", NAMED);
        long name = image.name("X", 1);
        long[] values = new long[300];
        for (int i = 0; i < values.length; i += 3) {
            values[i] = name;
            values[i + 1] = number;
        }
        long fields = image.fields(values);
        for (int i = 0; i < 20; i++) {
            image.type(STRUCT, 8, "main.T", NAMED, 0, fields, 100, 100);
        }

        assertThatThrownBy(this::read)
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("more bytes than there are types");
    }

    @Test
    void typeThatContainsItselfIsLeftOutOfItsElements() throws ExtractionException {
        long self = image.nextType("[1]main.A".length());
        image.type(ARRAY, 8, "[1]main.A", NAMED, self, 0, 1);

        assertDamaged(catalogue(), Omission.Part.TYPE, "a type contains itself by value");
    }

    @Test
    void unnamedTypeMadeOfItselfHasNoName() {
        long self = image.nextType("*x".length());
        image.type(POINTER, 8, "*x", 0, self);

        assertThatThrownBy(this::read)
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxTypeDepth");
    }

    @Test
    void chainOfTypesIsLimited() {
        long element = image.type(INT, 8, "int", NAMED);
        for (int i = 0; i < 300; i++) {
            element = image.type(ARRAY, 8, "main.A", NAMED, element, 0, 1);
        }

        assertThatThrownBy(this::read)
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxTypeDepth");
    }

    @Test
    void chainOfUnnamedTypesIsLimitedWhereItsEndIsReadFirst() {
        long element = image.type(INT, 8, "int", NAMED);
        for (int i = 0; i < 300; i++) {
            element = image.type(SLICE, 24, "s", 0, element);
        }

        assertThatThrownBy(this::read)
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxTypeDepth");
    }

    @Test
    void textsThatOverlapAreOverALimit() {
        long number = image.type(INT, 8, "int", NAMED);
        long text = image.name("x".repeat(16_500), 1);
        // At each second address, a text begins that has 0x7e << 7 bytes.
        for (int i = 0; i < 200; i += 8) {
            image.set(text + i, 0x7e80_7e80_7e80_7e80L);
        }
        long[] fields = new long[3 * 100];
        for (int i = 0; i < 100; i++) {
            fields[3 * i] = text + 2L * i + 1;
            fields[3 * i + 1] = number;
        }
        long start = image.fields(fields);
        image.type(STRUCT, 8, "main.T", NAMED, 0, start, 100, 100);

        assertThatThrownBy(this::read)
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("texts overlap");
    }

    @Test
    void fieldBehindItsStructIsLeftOut() throws ExtractionException {
        long number = image.type(INT, 8, "int", NAMED);
        long fields = image.fields(image.name("X", 1), number, 17);
        image.type(STRUCT, 16, "main.T", NAMED, 0, fields, 1, 1);

        AggregateShape shape = (AggregateShape) read().getLast().shape();
        assertThat(shape.byteSize()).isEqualTo(16);
        assertThat(shape.members().getFirst().location()).isInstanceOf(MemberLocation.Unsupported.class);
        assertDamaged(catalogue(), Omission.Part.MEMBER, "field at 17 of a struct of 16 bytes");
    }

    @Test
    void countsAreChecked() {
        image.type(STRUCT, 16, "main.T", NAMED, 0, GoImage.BASE, Long.MAX_VALUE, 1);
        assertThatThrownBy(this::read).isInstanceOf(LimitExceededException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 27, 31})
    void programWithoutAReadableDescriptorIsRefused(int kind) {
        image.type(kind, 8, "x", NAMED);

        assertThatThrownBy(this::read)
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("expected 1 to 26");
    }

    @Test
    void typeOutsideOfTheTypesIsLeftOut() throws ExtractionException {
        long number = image.type(INT, 8, "int", NAMED);
        long fields = image.fields(image.name("Far", 1), 0x7fff_0000, 0, image.name("Near", 1), number, 8);
        image.type(STRUCT, 16, "main.T", NAMED, 0, fields, 2, 2);

        AggregateShape shape = (AggregateShape) read().getLast().shape();
        assertThat(shape.members()).extracting(Member::name).containsExactly("Far", "Near");
        assertThat(shape.members()).extracting(Member::byteOffset).containsExactly(0L, 8L);
        assertThat(shape.members().getFirst().type()).isInstanceOf(IncompleteShape.class);
        assertDamaged(catalogue(), Omission.Part.TYPE, "expected it in the types");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.18.10", "1.9", "devel", "2.0"})
    void otherVersionIsUnsupported(String version) {
        image.type(INT, 8, "int", NAMED);

        assertThatThrownBy(() -> GoImage.read(image.toBytes(), version, Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class);
    }

    @Test
    void moduleDataOfAnotherVersionIsUnsupported() {
        image.type(INT, 8, "int", NAMED);

        assertThatThrownBy(() -> GoImage.read(image.toBytes(), "1.24.4", Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("no module data of Go \"1.24.4\"");
    }
}
