package dev.offsetd.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutTextTests {

    private static final BaseShape LONG = new BaseShape("long int", 8, BaseShape.Encoding.SIGNED);
    private static final BaseShape CHAR = new BaseShape("char", 1, BaseShape.Encoding.SIGNED);

    private static List<String> text(String items, TypeIndex types) {
        List<ItemAnswer> answers = ItemParser.parseList(List.of(items)).stream()
                .map(item -> ItemResolver.resolve(item, types, null))
                .toList();
        return LayoutText.lines(answers, 0);
    }

    private static List<String> text(String items) throws IOException, ExtractionException {
        return text(
                items,
                DebugInfo.read(
                                Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(),
                                new ReadOptions(Limits.DEFAULT, 1),
                                DebugInfo::extractAll)
                        .types());
    }

    private static TypeIndex cpp(AggregateShape... shapes) {
        Language language = new Language("C++14", Language.Family.CPP);
        return new TypeCatalogue(
                List.of(shapes).stream()
                        .map(shape -> new Definition(
                                shape.kind(),
                                String.valueOf(shape.name()),
                                String.valueOf(shape.name()),
                                null,
                                "a.cc",
                                language,
                                ".debug_info",
                                0,
                                shape))
                        .toList(),
                List.of());
    }

    private static AggregateShape struct(String name, long size, Member... members) {
        return new AggregateShape(TypeKind.STRUCT, name, name, size, 0, List.of(members));
    }

    private static Member member(Member.Role role, String name, MemberLocation location, TypeShape type) {
        return new Member(role, name.isEmpty() ? null : name, location, Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static Member field(String name, long offset, TypeShape type) {
        return member(Member.Role.FIELD, name, new MemberLocation.Fixed(offset * 8), type);
    }

    @Test
    void answersThatWhatWasLeftOutMayChangeSaySo() {
        TypeCatalogue whole =
                new TypeCatalogue(cpp(struct("s", 8, field("a", 0, LONG))).definitionsNamed("s"), List.of());
        Omission unit = new Omission(Omission.Part.UNIT, Omission.Cause.DAMAGED, 1, List.of());
        TypeCatalogue rest = new TypeCatalogue(whole.definitions(), List.of(), Set.of(), List.of(unit));
        assertThat(text("s.a", rest))
                .containsExactly(
                        "/* s.a: what was left out of the build may change this */",
                        text("s.a", whole).getFirst());
    }

    @Test
    void unnamedMembersAreShownWhereTheyAreUsed() throws IOException, ExtractionException {
        assertThat(String.join("\n", text("nested"))).isEqualTo("""
                        struct nested {
                                char                       tag;                 /*     0     1 */
                                /* XXX 3 bytes hole */
                                struct point               origin;              /*     4     8 */
                                /* XXX 4 bytes hole */
                                struct inner               inner;               /*    16    16 */
                                union {
                                        int                as_int;              /*    32     4 */
                                        float              as_float;            /*    32     4 */
                                        struct {
                                                unsigned char low;              /*    32     1 */
                                                unsigned char high;             /*    33     1 */
                                        };                                      /*    32     2 */
                                };                                              /*    32     4 */
                                /* XXX 4 bytes hole */
                                struct {
                                        long int           only_here;           /*    40     8 */
                                } unnamed_type_named_member;                    /*    40     8 */
                                struct {
                                        int                deep;                /*    48     4 */
                                        /* XXX 4 bytes hole */
                                        union {
                                                void *     deeper;              /*    56     8 */
                                                double     deepest;             /*    56     8 */
                                        };                                      /*    56     8 */
                                };                                              /*    48    16 */

                                /* size: 64, cachelines: 1, members: 6 */
                                /* sum members: 53, holes: 3, sum holes: 11 */
                        };""");
    }

    @Test
    void bitFieldsHaveTheBitsFromTheirStorageUnit() throws IOException, ExtractionException {
        assertThat(text("bits"))
                .contains(
                        "        unsigned int               b:13;                /*     0: 3  4 */",
                        "        enum colour                e:4;                 /*     4:24  4 */",
                        "        /* XXX 8 bits hole */",
                        "        /* sum bitfield members: 143 bits, bit holes: 4, sum bit holes: 21 bits */",
                        "        /* bit_padding: 4 bits */");
    }

    @Test
    void cacheLinesAreMarkedWhereTheyBegin() throws IOException, ExtractionException {
        assertThat(text("arrays"))
                .containsSequence(
                        "        char *                     names[5];            /*    56    40 */",
                        "        /* --- cacheline 1 boundary (64 bytes), 32 bytes back --- */",
                        "        unsigned char              cube[2][3][4];       /*    96    24 */")
                .contains(
                        "        /* size: 136, cachelines: 3, members: 5 */", "        /* last cacheline: 8 bytes */");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "compare_fn|typedef int (*compare_fn)(const void *, const void *); /* 8 bytes */",
                "pointers.rows|int                        (*pointers.rows)[4];         /*    88     8 */",
                "pointers.handlers[1]|void                       (*pointers.handlers[1])(int); /*    72     8 */",
                "bits.e|enum colour                bits.e:4;                    /*     4:24  4 */",
                "enumerator GREEN|enumerator GREEN = 5;",
                "nope|/* nope: type_not_found */",
                "pointers.next.next|/* pointers.next.next: crosses_pointer, pointers.next is a pointer, go on with struct pointers */"
            })
    void everythingElseIsALine(String item, String expected) throws IOException, ExtractionException {
        assertThat(text(item)).containsExactly(expected);
    }

    @Test
    void enumerationsListTheirValues() throws IOException, ExtractionException {
        assertThat(text("colour"))
                .containsExactly(
                        "enum colour {",
                        "        RED = 0,",
                        "        GREEN = 5,",
                        "        BLUE = 6,",
                        "",
                        "        /* size: 4 */",
                        "};");
    }

    @Test
    void enumeratorOfMoreThan64BitsIsAComment() {
        TypeIndex build = Types.build(Types.define(Types.enumeration(
                "wide",
                16,
                false,
                new Enumerator("SMALL", 7),
                Enumerator.tooWide("LARGE"),
                new Enumerator("TOP", -1))));

        assertThat(text("wide", build))
                .contains(
                        "        SMALL = 7,",
                        "        /* LARGE: its value needs more than 64 bits */",
                        "        TOP = 18446744073709551615,");
    }

    @Test
    void baseClassesStandInTheHeadAndWhereTheyLie() {
        AggregateShape parent = struct("parent", 16, field("a", 0, LONG), field("b", 8, CHAR));
        Member virtual =
                member(Member.Role.BASE_CLASS, "", new MemberLocation.Computed("virtual base class"), struct("v", 8));
        Member plain = member(Member.Role.BASE_CLASS, "", new MemberLocation.Fixed(0), parent);

        assertThat(text(
                        "derived,sharing",
                        cpp(
                                struct("derived", 24, plain, field("own", 16, LONG)),
                                struct("sharing", 16, virtual, field("own", 0, LONG)))))
                .containsExactly(
                        "struct derived : parent {",
                        "        /* base                    parent */            /*     0    16 */",
                        "        long int                   own;                 /*    16     8 */",
                        "",
                        "        /* size: 24, cachelines: 1, members: 2 */",
                        "        /* last cacheline: 24 bytes */",
                        "};",
                        "",
                        "struct sharing : virtual v {",
                        "        /* base                    v */                 /* computed: virtual base class */",
                        "        long int                   own;                 /*     0     8 */",
                        "",
                        "        /* size: 16, cachelines: 1, members: 2 */",
                        "        /* last cacheline: 16 bytes */",
                        "};");
    }

    /** A file may call its members what it likes; in a comment they must not end it. */
    @Test
    void hostileNamesDoNotLeaveTheirComment() {
        AggregateShape evil = struct("s", 8, field("a; */ int x; /*\n", 0, LONG));

        assertThat(text("s,s*/.x", cpp(evil)))
                .contains("        long int                   a; * / int x; / *?;  /*     0     8 */")
                .last()
                .asString()
                .isEqualTo("/* s* /.x: type_not_found */");
    }
}
