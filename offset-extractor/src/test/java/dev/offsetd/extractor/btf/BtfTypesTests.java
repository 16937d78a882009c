package dev.offsetd.extractor.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of BTF type in both byte orders, and sections that are broken. */
class BtfTypesTests {

    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final long SEED = 20_261_121;

    static Stream<ByteOrder> orders() {
        return Stream.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN);
    }

    private static List<Definition> read(byte[] bytes, ByteOrder order) throws ExtractionException {
        return catalogue(bytes, order).definitions();
    }

    private static TypeCatalogue catalogue(byte[] bytes, ByteOrder order) throws ExtractionException {
        return BtfTypes.catalogue(
                BtfWriter.alone(BtfWriter.section(bytes, order)),
                8,
                Limits.DEFAULT,
                new HeapBudget(Limits.DEFAULT.maxKeptBytes()));
    }

    private static Definition named(List<Definition> definitions, String name) {
        return definitions.stream()
                .filter(definition -> definition.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    private static Member member(List<Definition> definitions, String type, String name) {
        return ((AggregateShape) named(definitions, type).shape())
                .members().stream()
                        .filter(member -> name.equals(member.name()))
                        .findAny()
                        .orElseThrow();
    }

    /** One type of each kind. */
    private static byte[] everyKind(ByteOrder order) {
        BtfWriter out = new BtfWriter(order);
        int number = out.signed("int", 4);
        int character = out.add(Btf.BTF_KIND_INT, false, "char", 0, 1, 8);
        int bool = out.add(Btf.BTF_KIND_INT, false, "_Bool", 0, 1, 4L << 24 | 8);
        int real = out.add(Btf.BTF_KIND_FLOAT, false, "double", 0, 8);
        int constant = out.refer(Btf.BTF_KIND_CONST, "", character);
        int tag = out.refer(Btf.BTF_KIND_TYPE_TAG, "user", constant);
        int text = out.refer(Btf.BTF_KIND_PTR, "", tag);
        int restricted = out.refer(Btf.BTF_KIND_RESTRICT, "", text);
        int function = out.add(Btf.BTF_KIND_FUNC_PROTO, false, "", 2, number, out.name("n"), number, 0, 0);
        int pointer = out.refer(Btf.BTF_KIND_PTR, "", function);
        int row = out.add(Btf.BTF_KIND_ARRAY, false, "", 0, 0, number, number, 3);
        int grid = out.add(Btf.BTF_KIND_ARRAY, false, "", 0, 0, row, number, 2);
        int tail = out.add(Btf.BTF_KIND_ARRAY, false, "", 0, 0, number, number, 0);
        int colour =
                out.add(Btf.BTF_KIND_ENUM, true, "colour", 2, 4, out.name("BELOW"), 0xffff_fffeL, out.name("ABOVE"), 7);
        out.add(Btf.BTF_KIND_ENUM64, false, "wide", 1, 8, out.name("TOP"), 0xffff_ffffL, 0xffff_fffeL);
        out.add(Btf.BTF_KIND_ENUM, false, "", 1, 4, out.name("UNNAMED"), 0xffff_ffffL);
        out.add(Btf.BTF_KIND_ENUM, false, "later", 0, 4);
        int alias = out.refer(Btf.BTF_KIND_TYPEDEF, "number_t", number);
        int changing = out.refer(Btf.BTF_KIND_VOLATILE, "", alias);
        int nowhere = out.add(Btf.BTF_KIND_FWD, true, "nowhere", 0, 0);
        int opaque = out.refer(Btf.BTF_KIND_PTR, "", nowhere);
        int unnamed = out.add(Btf.BTF_KIND_UNION, false, "", 2, 8, out.name("i"), number, 0, out.name("d"), real, 0);
        // 24 bits of place, 8 of width.
        int all = out.add(Btf.BTF_KIND_STRUCT, true, "all", 9, 80, new long[] {
            out.name("text"),
            restricted,
            0,
            out.name("call"),
            pointer,
            64,
            out.name("grid"),
            grid,
            128,
            0,
            unnamed,
            320,
            out.name("three"),
            alias,
            3L << 24 | 385,
            out.name("shade"),
            colour,
            4L << 24 | 388,
            out.name("on"),
            bool,
            1L << 24 | 392,
            out.name("opaque"),
            opaque,
            448,
            out.name("tail"),
            tail,
            512
        });
        out.add(Btf.BTF_KIND_STRUCT, false, "plain", 1, 4, out.name("moving"), changing, 0);
        int function2 = out.refer(Btf.BTF_KIND_FUNC, "run", function);
        int variable = out.add(Btf.BTF_KIND_VAR, false, "global", 0, all, 1);
        out.add(Btf.BTF_KIND_DATASEC, false, ".data", 1, 80, variable, 0, 80);
        out.add(Btf.BTF_KIND_DECL_TAG, false, "note", 0, function2, 0xffff_ffffL);
        out.add(Btf.BTF_KIND_STRUCT, false, "last", 0, 0);
        return out.toBytes();
    }

    @ParameterizedTest
    @MethodSource("orders")
    void everyKindIsReadOrPassedOver(ByteOrder order) throws ExtractionException {
        List<Definition> all = read(everyKind(order), order);
        assertThat(all)
                .extracting(Definition::name)
                .containsExactly(
                        "int",
                        "char",
                        "_Bool",
                        "double",
                        "colour",
                        "wide",
                        "",
                        "later",
                        "number_t",
                        "nowhere",
                        "all",
                        "plain",
                        "last");
        assertThat(all).allSatisfy(definition -> {
            assertThat(definition.section()).isEqualTo(".BTF");
            assertThat(definition.unit()).isEmpty();
            assertThat(definition.language().name()).isEqualTo("C");
        });
        assertThat(all.getFirst().dieOffset()).isEqualTo(24);
        assertThat(named(all, "nowhere").kind()).isEqualTo(TypeKind.UNION);
        assertThat(all.stream().filter(Definition::isDeclaration).map(Definition::name))
                .containsExactly("later", "nowhere");
        assertThat(((BaseShape) named(all, "_Bool").shape()).encoding()).isEqualTo(BaseShape.Encoding.BOOLEAN);
        assertThat(((BaseShape) named(all, "double").shape()).encoding()).isEqualTo(BaseShape.Encoding.FLOATING);
        assertThat(((BaseShape) named(all, "char").shape()).encoding()).isEqualTo(BaseShape.Encoding.UNSIGNED);
    }

    @ParameterizedTest
    @MethodSource("orders")
    void membersHavePlacesWidthsAndSpellings(ByteOrder order) throws ExtractionException {
        List<Definition> all = read(everyKind(order), order);
        assertThat(((AggregateShape) named(all, "all").shape()).members())
                .extracting(
                        Member::name,
                        member -> ((MemberLocation.Fixed) member.location()).bitOffset(),
                        Member::bitSize,
                        Member::storageBytes,
                        member -> member.type().byteSize(),
                        member -> member.type().spelling())
                .containsExactly(
                        tuple("text", 0L, -1, 0L, 8L, "const char * restrict"),
                        tuple("call", 64L, -1, 0L, 8L, "int (*)(int, ...)"),
                        tuple("grid", 128L, -1, 0L, 24L, "int [2][3]"),
                        tuple(null, 320L, -1, 0L, 8L, "union {...}"),
                        tuple("three", 385L, 3, 4L, 4L, "number_t"),
                        tuple("shade", 388L, 4, 4L, 4L, "enum colour"),
                        tuple("on", 392L, 1, 1L, 1L, "_Bool"),
                        tuple("opaque", 448L, -1, 0L, 8L, "union nowhere *"),
                        tuple("tail", 512L, -1, 0L, 0L, "int [0]"));
        assertThat(((ArrayShape) member(all, "all", "grid").type()).counts()).containsExactly(2L, 3L);
        assertThat(member(all, "plain", "moving").type().spelling()).isEqualTo("volatile number_t");
    }

    @ParameterizedTest
    @MethodSource("orders")
    void enumeratorsHaveTheSignOfTheirEnumeration(ByteOrder order) throws ExtractionException {
        List<Definition> all = read(everyKind(order), order);
        assertThat(((EnumShape) named(all, "colour").shape()).enumerators())
                .containsExactly(new Enumerator("BELOW", -2), new Enumerator("ABOVE", 7));
        assertThat(((EnumShape) named(all, "wide").shape()).enumerators())
                .containsExactly(new Enumerator("TOP", 0xffff_fffe_ffff_ffffL));
        assertThat(((EnumShape) named(all, "").shape()).enumerators())
                .containsExactly(new Enumerator("UNNAMED", 0xffff_ffffL));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void oldBitFieldsHaveTheirWidthInTheirInt(ByteOrder order) throws ExtractionException {
        BtfWriter out = new BtfWriter(order);
        int narrow = out.add(Btf.BTF_KIND_INT, false, "int", 0, 4, 1L << 24 | 2L << 16 | 4);
        int alias = out.refer(Btf.BTF_KIND_TYPEDEF, "narrow_t", narrow);
        out.add(Btf.BTF_KIND_STRUCT, false, "old", 1, 16, out.name("field"), alias, 100);
        Member field = member(read(out.toBytes(), order), "old", "field");
        assertThat(field.location()).isEqualTo(new MemberLocation.Fixed(102));
        assertThat(field.bitSize()).isEqualTo(4);
        assertThat(field.storageBytes()).isEqualTo(4);
    }

    @ParameterizedTest
    @MethodSource("orders")
    void longHeaderAndMoreThan65535PartsAreRead(ByteOrder order) throws ExtractionException {
        BtfWriter out = new BtfWriter(order);
        int count = 0x10002;
        long name = out.name("VALUE");
        long[] words = new long[2 * count];
        for (int i = 0; i < count; i++) {
            words[2 * i] = name;
            words[2 * i + 1] = i;
        }
        int many = out.add(Btf.BTF_KIND_ENUM, false, "many", count, 4, words);
        out.add(Btf.BTF_KIND_STRUCT, false, "after", 1, 4, out.name("value"), many, 0);
        List<Definition> all = read(out.toBytesWithLayout(20), order);
        assertThat(((EnumShape) named(all, "many").shape()).enumerators())
                .hasSize(count)
                .last()
                .isEqualTo(new Enumerator("VALUE", count - 1));
        assertThat(member(all, "after", "value").type().spelling()).isEqualTo("enum many");
    }

    @Test
    void typeHeldByItselfIsLeftOutOfItsMember() throws ExtractionException {
        BtfWriter out = new BtfWriter(LITTLE);
        int number = out.signed("int", 4);
        out.add(Btf.BTF_KIND_STRUCT, false, "loop", 2, 8, out.name("again"), 2, 0, out.name("number"), number, 32);
        TypeCatalogue found = catalogue(out.toBytes(), LITTLE);
        assertThat(member(found.definitions(), "loop", "again").type())
                .isInstanceOf(IncompleteShape.class)
                .satisfies(type -> assertThat(type.byteSize()).isEqualTo(8));
        assertThat(member(found.definitions(), "loop", "number").byteOffset()).isEqualTo(4);
        assertOmission(found, Omission.Part.TYPE, Omission.Cause.DAMAGED, "contains itself by value");
    }

    private static void assertOmission(TypeCatalogue found, Omission.Part part, Omission.Cause cause, String place) {
        assertThat(found.omissions()).singleElement().satisfies(omission -> {
            assertThat(omission.part()).isEqualTo(part);
            assertThat(omission.cause()).isEqualTo(cause);
            assertThat(omission.places().getFirst()).contains(place);
        });
    }

    @Test
    void deepChainIsOverTheLimitInEitherOrder() {
        for (boolean ends : new boolean[] {true, false}) {
            BtfWriter out = new BtfWriter(LITTLE);
            int depth = Limits.DEFAULT.maxTypeDepth() + 2;
            for (int id = 1; id <= depth; id++) {
                int target = ends ? id + 1 : id - 1;
                out.refer(Btf.BTF_KIND_TYPEDEF, "t" + id, target > depth ? 0 : target);
            }
            assertThatThrownBy(() -> read(out.toBytes(), LITTLE))
                    .isInstanceOf(LimitExceededException.class)
                    .hasMessageContaining("maxTypeDepth");
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Btf.BTF_KIND_PTR,
                Btf.BTF_KIND_CONST,
                Btf.BTF_KIND_TYPE_TAG,
                Btf.BTF_KIND_TYPEDEF,
                Btf.BTF_KIND_FUNC_PROTO,
                Btf.BTF_KIND_ARRAY
            })
    void typeThatRefersToItselfIsLeftOutOfItsMember(int kind) throws ExtractionException {
        BtfWriter out = new BtfWriter(LITTLE);
        int number = out.signed("int", 4);
        int first = number + 1;
        int second = first + 1;
        int constant = out.refer(Btf.BTF_KIND_CONST, "", second);
        if (kind == Btf.BTF_KIND_ARRAY) {
            out.add(kind, false, "", 0, 0, second, number, 1);
        } else {
            out.refer(kind, "", constant);
        }
        out.add(Btf.BTF_KIND_STRUCT, false, "s", 2, 16, out.name("circle"), first, 0, out.name("near"), number, 64);

        TypeCatalogue found = catalogue(out.toBytes(), LITTLE);

        Member circle = member(found.definitions(), "s", "circle");
        assertThat(circle.byteOffset()).isZero();
        assertThat(circle.type().peeled()).isInstanceOf(IncompleteShape.class);
        assertThat(member(found.definitions(), "s", "near").byteOffset()).isEqualTo(8);
        assertThat(found.omissions()).singleElement().satisfies(omission -> {
            assertThat(omission.part()).isEqualTo(Omission.Part.TYPE);
            assertThat(omission.cause()).isEqualTo(Omission.Cause.DAMAGED);
        });
    }

    @Test
    void definitionOfAPointerToItselfHasTheReason() throws ExtractionException {
        BtfWriter out = new BtfWriter(LITTLE);
        int pointer = out.refer(Btf.BTF_KIND_PTR, "", 1);
        out.refer(Btf.BTF_KIND_TYPEDEF, "circle", pointer);
        TypeCatalogue found = catalogue(out.toBytes(), LITTLE);
        assertThat(named(found.definitions(), "circle").shape().peeled()).isInstanceOf(IncompleteShape.class);
        assertOmission(found, Omission.Part.TYPE, Omission.Cause.DAMAGED, "refers to itself");
    }

    @Test
    void referenceThatLeadsNowhereLeavesOutItsType() throws ExtractionException {
        BtfWriter out = new BtfWriter(LITTLE);
        int number = out.signed("int", 4);
        int far = out.refer(Btf.BTF_KIND_PTR, "", 1000);
        out.add(Btf.BTF_KIND_STRUCT, false, "s", 2, 16, out.name("far"), far, 0, out.name("near"), number, 64);
        TypeCatalogue found = catalogue(out.toBytes(), LITTLE);
        Member member = member(found.definitions(), "s", "far");
        assertThat(member.byteOffset()).isZero();
        assertThat(member.type()).isInstanceOf(IncompleteShape.class);
        assertThat(member.type().byteSize()).isEqualTo(8);
        assertThat(member(found.definitions(), "s", "near").byteOffset()).isEqualTo(8);
        assertOmission(found, Omission.Part.TYPE, Omission.Cause.DAMAGED, "type id 1000");
    }

    @Test
    void memberWithoutANameInTheTableIsLeftOut() throws ExtractionException {
        BtfWriter out = new BtfWriter(LITTLE);
        int number = out.signed("int", 4);
        out.add(Btf.BTF_KIND_STRUCT, false, "s", 2, 8, 1000, number, 0, out.name("near"), number, 32);
        TypeCatalogue found = catalogue(out.toBytes(), LITTLE);
        AggregateShape shape = (AggregateShape) named(found.definitions(), "s").shape();
        assertThat(shape.byteSize()).isEqualTo(8);
        assertThat(shape.members().getFirst().location()).isInstanceOf(MemberLocation.Unsupported.class);
        assertThat(member(found.definitions(), "s", "near").byteOffset()).isEqualTo(4);
        assertOmission(found, Omission.Part.MEMBER, Omission.Cause.DAMAGED, "string offset 1000");
    }

    @Test
    void typeWithoutANameInTheTableIsLeftOut() throws ExtractionException {
        BtfWriter out = new BtfWriter(LITTLE);
        out.signed("int", 4);
        out.add(Btf.BTF_KIND_STRUCT, false, "lost", 0, 8);
        byte[] bytes = out.toBytes();
        // The name of the second type, behind the header and an integer.
        bytes[24 + 16 + 1] = 0x7f;
        TypeCatalogue found = catalogue(bytes, LITTLE);
        assertThat(found.definitions()).extracting(Definition::name).containsExactly("int");
        assertOmission(found, Omission.Part.TYPE, Omission.Cause.DAMAGED, "needs the kernel's own .BTF");
    }

    @Test
    void typesBehindOneOfUnknownKindAreLeftOutAsAUnit() throws ExtractionException {
        BtfWriter out = new BtfWriter(LITTLE);
        int number = out.signed("int", 4);
        out.add(Btf.BTF_KIND_STRUCT, false, "s", 2, 8, out.name("a"), number, 0, out.name("b"), 4, 32);
        out.add(20, false, "new", 0, 0);
        out.signed("long", 8);
        TypeCatalogue found = catalogue(out.toBytes(), LITTLE);
        assertThat(found.definitions()).extracting(Definition::name).containsExactly("int", "s");
        assertThat(member(found.definitions(), "s", "a").byteOffset()).isZero();
        assertThat(found.omissions())
                .extracting(Omission::part, Omission::cause)
                .containsExactly(
                        tuple(Omission.Part.TYPE, Omission.Cause.DAMAGED),
                        tuple(Omission.Part.UNIT, Omission.Cause.UNSUPPORTED));
    }

    @Test
    void splitSectionNeedsItsBase() {
        BtfWriter out = new BtfWriter(LITTLE);
        out.name("x");
        byte[] bytes = out.toBytes();
        bytes[24] = 'y';
        assertThatThrownBy(() -> read(bytes, LITTLE))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs the kernel's own .BTF");
    }

    @Test
    void sectionOfWhichNoTypeCanBeReadIsRefused() {
        BtfWriter out = new BtfWriter(LITTLE);
        out.add(20, false, "new", 0, 0);
        assertThatThrownBy(() -> read(out.toBytes(), LITTLE))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("unknown kind 20");
    }

    @Test
    void otherByteOrderIsMalformed() {
        assertThatThrownBy(() -> read(everyKind(LITTLE), ByteOrder.BIG_ENDIAN))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("magic");
    }

    @ParameterizedTest
    @MethodSource("orders")
    void cutSectionIsRefused(ByteOrder order) {
        byte[] whole = everyKind(order);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> read(cut, order)).isInstanceOf(ExtractionException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("orders")
    void randomBytesAreAnAnswerOrARefusal(ByteOrder order) {
        byte[] whole = everyKind(order);
        Random random = new Random(SEED);
        for (int variant = 0; variant < 5_000; variant++) {
            byte[] changed = whole.clone();
            int count = 1 + random.nextInt(6);
            for (int i = 0; i < count; i++) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            try {
                assertThat(read(changed, order)).isNotNull();
            } catch (ExtractionException e) {
                assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + SEED + ", variant " + variant, e);
            }
        }
    }
}
