package dev.offsetd.query.diff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.answer.DiffText;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.item.ItemParser;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

class LayoutDiffTests {

    private static final Language C = new Language("C11", Language.Family.C);
    private static final BaseShape INT = new BaseShape("int", 4, BaseShape.Encoding.SIGNED);
    private static final BaseShape LONG = new BaseShape("long int", 8, BaseShape.Encoding.SIGNED);

    private static AggregateShape struct(@Nullable String name, long size, Member... members) {
        String spelling = name == null ? "struct {...}" : "struct " + name;
        return new AggregateShape(TypeKind.STRUCT, name, spelling, size, 0, List.of(members));
    }

    private static Member field(@Nullable String name, long offset, TypeShape type) {
        return new Member(
                Member.Role.FIELD, name, new MemberLocation.Fixed(offset * 8), Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static Member bits(String name, long bitOffset, int bitSize) {
        return new Member(Member.Role.FIELD, name, new MemberLocation.Fixed(bitOffset), bitSize, 4, INT);
    }

    private static Member base(long offset, TypeShape type) {
        return new Member(
                Member.Role.BASE_CLASS, null, new MemberLocation.Fixed(offset * 8), Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static EnumShape enumeration(Enumerator... enumerators) {
        return new EnumShape("e", "enum e", 4, true, List.of(enumerators));
    }

    private static Definition define(String name, TypeKind kind, TypeShape shape) {
        return new Definition(kind, name, name, null, "a.c", C, ".debug_info", 0, shape);
    }

    private static TypeCatalogue build(TypeShape... shapes) {
        return new TypeCatalogue(
                Stream.of(shapes)
                        .map(shape -> switch (shape) {
                            case AggregateShape aggregate ->
                                define(String.valueOf(aggregate.name()), aggregate.kind(), shape);
                            case EnumShape _ -> define("e", TypeKind.ENUM, shape);
                            case IncompleteShape incomplete ->
                                define(incomplete.spelling().substring(7), TypeKind.STRUCT, shape);
                            default -> define(shape.spelling(), TypeKind.TYPEDEF, shape);
                        })
                        .toList(),
                List.of());
    }

    private static List<String> text(TypeCatalogue from, TypeCatalogue to, String... items) {
        return DiffText.lines(LayoutDiff.ofItems(ItemParser.parseList(List.of(items)), from, to, null));
    }

    private static List<String> all(TypeCatalogue from, TypeCatalogue to) {
        Set<String> names = Stream.of(from, to)
                .flatMap(types -> types.definitions().stream())
                .map(Definition::qualifiedName)
                .collect(Collectors.toSet());
        return DiffText.lines(LayoutDiff.ofNames(names, from, to, null));
    }

    @Test
    void typesBehindTooManyChangesAreNotCompared() {
        int members = LayoutDiff.MAX_CHANGES / 2;
        TypeCatalogue from = build(wide(members, 0));
        TypeCatalogue to = build(wide(members, 4));

        assertThat(LayoutDiff.ofItems(ItemParser.parseList(List.of("s,s|a,s|b")), from, to, null))
                .satisfiesExactly(
                        first -> assertThat(first.members()).hasSize(members),
                        second -> assertThat(second.members()).hasSize(members),
                        third -> {
                            assertThat(third.status()).isEqualTo(TypeDiff.Status.NOT_COMPARABLE);
                            assertThat(third.detail())
                                    .isEqualTo("the types before it have 200000 changes; expected fewer than 200000");
                        });
    }

    private static AggregateShape wide(int members, long first) {
        return struct(
                "s",
                4L * members + 4,
                IntStream.range(0, members)
                        .mapToObj(i -> field("m" + i, first + 4L * i, INT))
                        .toArray(Member[]::new));
    }

    /** Names in debug information, unlike those in items, may have any length and characters. */
    @ParameterizedTest
    @MethodSource("namesThatNoItemHas")
    void typesAreComparedWhateverTheirName(String name) {
        TypeCatalogue from = build(struct(name, 4, field("a", 0, INT)));
        TypeCatalogue to = build(struct(name, 8, field("a", 0, INT)));

        assertThat(LayoutDiff.ofNames(Set.of(name), from, to, null))
                .singleElement()
                .extracting(TypeDiff::status)
                .isEqualTo(TypeDiff.Status.CHANGED);
    }

    static List<String> namesThatNoItemHas() {
        return List.of(" ", "literal<\"text\">", "long_template_" + "x".repeat(ItemParser.MAX_ITEM_CHARS));
    }

    @Test
    void onlyTypesAreCompared() {
        TypeCatalogue build = build(struct("s", 4, field("a", 0, INT)));

        assertThat(LayoutDiff.ofItems(ItemParser.parseList(List.of("symbol a,tls,@ruby")), build, build, null))
                .hasSize(3)
                .allSatisfy(diff -> {
                    assertThat(diff.status()).isEqualTo(TypeDiff.Status.NOT_COMPARABLE);
                    assertThat(diff.detail()).isEqualTo("only types, members and enumerators are compared");
                });
    }

    @Test
    void membersAreAddedRemovedMovedResizedAndRetyped() {
        TypeCatalogue from = build(struct(
                "s",
                24,
                field("gone", 0, LONG),
                field("moved", 8, INT),
                field("typed", 12, INT),
                field("wide", 16, INT)));
        TypeCatalogue to = build(struct(
                "s",
                32,
                field("fresh", 0, INT),
                field("moved", 4, INT),
                field("typed", 12, new AliasShape("pid_t", INT)),
                field("wide", 16, LONG)));

        assertThat(text(from, to, "s"))
                .containsExactly(
                        "~ s: struct, 24 -> 32 bytes",
                        "  - gone: offset 0, 8 bytes, long int",
                        "  ~ moved: offset 8 -> 4",
                        "  ~ typed: int -> pid_t",
                        "  ~ wide: 4 bytes -> 8 bytes, int -> long int",
                        "  + fresh: offset 0, 4 bytes, int");
    }

    @Test
    void bitFieldsMoveAndGrowByBits() {
        TypeCatalogue from = build(struct("s", 4, bits("a", 0, 3), bits("b", 3, 1)));
        TypeCatalogue to = build(struct("s", 4, bits("a", 0, 4), bits("b", 4, 1)));

        assertThat(text(from, to, "s"))
                .containsExactly("~ s: struct, 4 bytes", "  ~ a: 3 bits -> 4 bits", "  ~ b: bit 3 -> 4");
    }

    @Test
    void whatChangesInATypeHeldByValueIsSaidOnceAndThere() {
        AggregateShape before = struct("inner", 4, field("a", 0, INT));
        AggregateShape after = struct("inner", 8, field("a", 4, INT));
        TypeShape two = new ArrayShape(new Spelling("struct inner", "[2]"), before, List.of(2L), 8);
        TypeShape twoAfter = new ArrayShape(new Spelling("struct inner", "[2]"), after, List.of(2L), 16);
        TypeCatalogue from = build(struct("s", 12, field("x", 0, before), field("y", 4, two)), before);
        TypeCatalogue to = build(struct("s", 24, field("x", 0, after), field("y", 8, twoAfter)), after);

        List<String> expected = List.of(
                "~ s: struct, 12 -> 24 bytes",
                "  ~ x: 4 bytes -> 8 bytes",
                "  ~ y: offset 4 -> 8, 8 bytes -> 16 bytes",
                "~ inner: struct, 4 -> 8 bytes",
                "  ~ a: offset 0 -> 4");
        assertThat(text(from, to, "s")).isEqualTo(expected);
        assertThat(all(from, to)).containsExactlyInAnyOrderElementsOf(expected).hasSameSizeAs(expected);
    }

    @Test
    void unnamedTypesAreKnownByTheMemberThatHasThem() {
        TypeCatalogue from = build(struct(
                "s",
                8,
                field(null, 0, struct(null, 4, field("lifted", 0, INT))),
                field("in", 4, struct(null, 4, field("a", 0, INT)))));
        TypeCatalogue to = build(struct(
                "s",
                12,
                field(null, 4, struct(null, 4, field("lifted", 0, INT))),
                field("in", 8, struct(null, 4, field("b", 0, INT)))));

        assertThat(text(from, to, "s"))
                .containsExactly(
                        "~ s: struct, 8 -> 12 bytes",
                        "  ~ lifted: offset 0 -> 4",
                        "  ~ in: offset 4 -> 8",
                        "~ s.in: struct, 4 bytes",
                        "  - a: offset 0, 4 bytes, int",
                        "  + b: offset 0, 4 bytes, int");
    }

    @Test
    void typedefNamesAnUnnamedTypeAndOnlyPointsToANamedOne() {
        AggregateShape named = struct("tag", 4, field("a", 0, INT));
        AggregateShape namedAfter = struct("tag", 8, field("a", 0, LONG));
        TypeCatalogue from = build(
                new AliasShape("unnamed_t", struct(null, 4, field("a", 0, INT))),
                new AliasShape("tag_t", named),
                named);
        TypeCatalogue to = build(
                new AliasShape("unnamed_t", struct(null, 8, field("a", 4, INT))),
                new AliasShape("tag_t", namedAfter),
                namedAfter);

        assertThat(all(from, to))
                .containsExactly(
                        "~ tag: struct, 4 -> 8 bytes",
                        "  ~ a: 4 bytes -> 8 bytes, int -> long int",
                        "~ unnamed_t: struct, 4 -> 8 bytes",
                        "  ~ a: offset 0 -> 4");
    }

    @Test
    void baseClassesAreMembers() {
        AggregateShape parent = struct("p", 8, field("a", 0, LONG));
        assertThat(text(build(struct("s", 16, base(0, parent))), build(struct("s", 16, base(8, parent))), "s"))
                .containsExactly("~ s: struct, 16 bytes", "  ~ (base) p: offset 0 -> 8");
    }

    @Test
    void enumeratorsAreAddedRemovedAndChanged() {
        TypeCatalogue from =
                build(enumeration(new Enumerator("A", 0), new Enumerator("B", 1), new Enumerator("C", -1)));
        TypeCatalogue to = build(enumeration(new Enumerator("A", 0), new Enumerator("C", 1), new Enumerator("D", 2)));

        assertThat(text(from, to, "e"))
                .containsExactly("~ e: enum, 4 bytes", "  - B = 1", "  ~ C = -1 -> 1", "  + D = 2");
        assertThat(text(from, to, "enumerator C", "enumerator A"))
                .containsExactly("~ enumerator C: enumerator, 4 bytes", "  ~ value = -1 -> 1");
    }

    @Test
    void enumeratorOfMoreThan64BitsIsNotTakenForZero() {
        TypeCatalogue from =
                build(enumeration(Enumerator.tooWide("A"), Enumerator.tooWide("B"), new Enumerator("C", 0)));
        TypeCatalogue to = build(enumeration(new Enumerator("A", 0), Enumerator.tooWide("B"), Enumerator.tooWide("C")));

        assertThat(text(from, to, "e"))
                .containsExactly(
                        "~ e: enum, 4 bytes", "  ~ A = more than 64 bits -> 0", "  ~ C = 0 -> more than 64 bits");
    }

    @Test
    void pathsAreComparedWhereTheyLead() {
        TypeCatalogue from = build(struct("s", 8, field("old", 0, INT), field("kept", 4, INT)));
        TypeCatalogue to = build(struct("s", 8, field("kept", 0, INT), field("fresh", 4, LONG)));

        assertThat(text(from, to, "s.kept", "s.old", "s.fresh", "s.none", "none"))
                .containsExactly(
                        "~ s.kept: value, 4 bytes",
                        "  ~ value: offset 4 -> 0",
                        "- s.old: offset 0, 4 bytes, int",
                        "+ s.fresh: offset 4, 8 bytes, long int",
                        "? s.none: not found on either side",
                        "? none: not found on either side");
    }

    @Test
    void itemOfNeitherSideSuggestsSimilarNamesOfBoth() {
        TypeCatalogue from = build(struct("counter", 8, field("value", 0, INT)));
        TypeCatalogue to = build(struct("countrs", 8, field("value", 0, INT)));

        assertThat(text(from, to, "countr", "nothing"))
                .containsExactly(
                        "? countr: not found on either side; did you mean counter or countrs?",
                        "? nothing: not found on either side");
    }

    @Test
    void kindAndExistenceOfTypesAreCompared() {
        TypeCatalogue from = build(
                struct("s", 4, field("a", 0, INT)),
                struct("gone", 4),
                new IncompleteShape("struct d", IncompleteShape.Reason.DECLARED));
        TypeCatalogue to = build(
                new AggregateShape(TypeKind.UNION, "s", "union s", 4, 0, List.of(field("a", 0, INT))),
                struct("fresh", 8),
                new IncompleteShape("struct d", IncompleteShape.Reason.DECLARED));

        assertThat(all(from, to))
                .containsExactly(
                        "+ fresh: struct, 8 bytes", "- gone: struct, 4 bytes", "~ s: struct -> union, 4 bytes");
    }

    @Test
    void ambiguousNamesAreTheSameIfTheirDefinitionsAre() {
        AggregateShape one = struct("s", 4, field("a", 0, INT));
        AggregateShape two = struct("s", 8, field("a", 0, LONG));

        assertThat(text(build(one, two), build(one, two), "s")).isEmpty();
        assertThat(text(build(one, two), build(one), "s"))
                .containsExactly("? s: cannot be compared: ambiguous before, found after");
    }

    @Test
    void membersOfAmbiguousNamesAreCompared() {
        AggregateShape one = struct("s", 4, field("a", 0, INT));
        AggregateShape two = struct("s", 8, field("a", 0, LONG));
        AggregateShape moved = struct("s", 16, field("a", 8, LONG));
        AggregateShape other = struct("s", 24, field("a", 16, LONG));

        assertThat(text(build(one, two), build(moved, one), "s"))
                .containsExactly(
                        "~ s: struct, 8 -> 16 bytes (of several definitions, that of \"a.c\")", "  ~ a: offset 0 -> 8");
        assertThat(text(build(one, two), build(moved, other), "s"))
                .containsExactly(
                        "~ s: struct, 4 -> 16 bytes (of several definitions, that of \"a.c\")",
                        "  ~ a: offset 0 -> 8, 4 bytes -> 8 bytes, int -> long int",
                        "~ s: struct, 8 -> 24 bytes (of several definitions, that of \"a.c\")",
                        "  ~ a: offset 0 -> 16");
        assertThat(text(build(one, two), build(moved), "s"))
                .containsExactly(
                        "~ s: struct, 4 -> 16 bytes (of several definitions, that of \"a.c\")",
                        "  ~ a: offset 0 -> 8, 4 bytes -> 8 bytes, int -> long int");
    }

    /** A type at file scope is not the one that a namespace has in the other build. */
    @Test
    void bareNamesOfAllTypesAreThoseAtFileScope() {
        TypeCatalogue before = build(struct("s", 4, field("a", 0, INT)));
        TypeCatalogue after = new TypeCatalogue(
                List.of(Types.qualified("ns::s", define("s", TypeKind.STRUCT, struct("s", 8, field("a", 0, LONG))))),
                List.of());

        assertThat(DiffText.lines(LayoutDiff.ofNames(Set.of("s", "ns::s"), before, after, null)))
                .containsExactly("+ ns::s: struct, 8 bytes", "- s: struct, 4 bytes");
    }

    @Test
    void localTypesAreComparedWithThoseOfTheirFunction() {
        AggregateShape small = struct("s", 4, field("a", 0, INT));
        AggregateShape large = struct("s", 8, field("a", 0, LONG));
        TypeCatalogue before =
                new TypeCatalogue(List.of(define("s", TypeKind.STRUCT, small), local("f", small)), List.of());
        TypeCatalogue after = new TypeCatalogue(List.of(local("f", large), local("ns::g<int>", small)), List.of());

        assertThat(all(before, after))
                .containsExactly(
                        "~ f()::s: struct, 4 -> 8 bytes",
                        "  ~ a: 4 bytes -> 8 bytes, int -> long int",
                        "+ ns::g<int>()::s: struct, 4 bytes",
                        "- s: struct, 4 bytes");
    }

    private static Definition local(String function, AggregateShape shape) {
        return new Definition(TypeKind.STRUCT, "s", "s", function, "a.c", C, ".debug_info", 0, shape);
    }

    @Test
    void typedefIsComparedBesideATagOfItsName() {
        AggregateShape tag = struct("s", 4, field("a", 0, INT));
        TypeCatalogue both = build(tag, new AliasShape("s", INT));

        assertThat(all(both, build(tag, new AliasShape("s", LONG))))
                .containsExactly(
                        "~ typedef s: typedef, 4 -> 8 bytes", "  ~ value: 4 bytes -> 8 bytes, int -> long int");
        assertThat(all(both, build(tag))).containsExactly("- typedef s: typedef, 4 bytes");
        assertThat(all(build(tag, new AliasShape("s", tag)), build()))
                .as("of the type itself")
                .containsExactly("- s: struct, 4 bytes");
        assertThat(all(build(new AliasShape("s", struct(null, 4, field("a", 0, INT)))), build(tag)))
                .as("that names an unnamed type")
                .isEmpty();
    }

    @Test
    void typesOfDifferentLanguagesAreComparedApart() {
        Language rust = new Language("Rust", Language.Family.RUST);
        AggregateShape common = struct("s", 4, field("a", 0, INT));
        assertThat(all(
                        mixed(common, rust, struct("s", 8, field("b", 0, INT))),
                        mixed(common, rust, struct("s", 8, field("b", 4, INT)))))
                .containsExactly("~ s: struct, 8 bytes", "  ~ b: offset 0 -> 4");
    }

    private static TypeCatalogue mixed(AggregateShape c, Language language, AggregateShape other) {
        return new TypeCatalogue(
                List.of(
                        define("s", TypeKind.STRUCT, c),
                        new Definition(TypeKind.STRUCT, "s", "s", null, "a.rs", language, ".debug_info", 9, other)),
                List.of());
    }

    @Test
    void typeThatMayBeInAnOmittedUnitIsNotRemoved() {
        TypeCatalogue whole = build(struct("s", 4, field("a", 0, INT)), struct("t", 4));
        TypeCatalogue partial = new TypeCatalogue(
                build(struct("t", 4)).definitions(),
                List.of(),
                Set.of(),
                List.of(new Omission(Omission.Part.UNIT, Omission.Cause.DAMAGED, 1, List.of("here"))));

        assertThat(all(whole, partial)).containsExactly("? s: cannot be compared: found before, type_not_found after");
        assertThat(text(partial, whole, "s", "t"))
                .containsExactly("? s: cannot be compared: type_not_found before, found after");
    }

    @Test
    void variablesAreComparedByTheirTypeAndNotByTheirAddress() {
        TypeCatalogue before = variable(0x10, struct("s", 8, field("a", 0, INT), field("b", 4, INT)));
        TypeCatalogue after = variable(0x90, struct("s", 8, field("a", 0, INT), field("b", 0, INT)));

        assertThat(text(before, after, "v.a", "v.b"))
                .containsExactly("~ v.b: value, 4 bytes", "  ~ value: offset 4 -> 0");
        assertThat(text(before, after, "v")).contains("~ s: struct, 8 bytes", "  ~ b: offset 4 -> 0");
        assertThat(text(before, build(struct("v", 4)), "v"))
                .containsExactly("? v: cannot be compared: variable before, type after");
    }

    private static TypeCatalogue variable(long address, AggregateShape type) {
        return new TypeCatalogue(
                List.of(define("s", TypeKind.STRUCT, type)),
                List.of(new Variable("v", "v", null, null, "a.c", C, false, address, null, type)));
    }

    @Test
    void membersBehindPointersAreComparedWithTheWay() {
        assertThat(text(holding(0, 4), holding(8, 4), "s.p->b"))
                .containsExactly("~ s.p->b: value, 4 bytes", "  ~ pointer 1: offset 0 -> 8");
        assertThat(text(holding(0, 4), holding(0, 0), "s.p->b"))
                .containsExactly("~ s.p->b: value, 4 bytes", "  ~ value: offset 4 -> 0");
    }

    private static TypeCatalogue holding(long pointer, long member) {
        return build(
                struct("t", 8, field("b", member, INT)),
                struct("s", 16, field("p", pointer, Types.pointer("struct t *", "struct t"))));
    }

    @Test
    void itemWhosePlaceIsComputedOnBothSidesIsTheSame() {
        TypeCatalogue build = build(struct(
                "s",
                8,
                new Member(
                        Member.Role.FIELD,
                        "c",
                        new MemberLocation.Computed("by an expression"),
                        Member.NOT_A_BIT_FIELD,
                        0,
                        INT)));
        assertThat(text(build, build, "s.c")).isEmpty();
    }

    /**
     * An ambiguous name does not say which definition was added or removed. This differs from a name that is only
     * declared.
     */
    @Test
    void ambiguousTypesThatAreMissingOnOneSideCannotBeCompared() {
        TypeCatalogue several = build(struct("s", 4, field("a", 0, INT)), struct("s", 8, field("a", 0, LONG)));
        TypeCatalogue none = build(struct("t", 4, field("a", 0, INT)));

        assertThat(text(several, none, "s"))
                .containsExactly("? s: cannot be compared: ambiguous before, type_not_found after");
        assertThat(text(none, several, "s"))
                .containsExactly("? s: cannot be compared: type_not_found before, ambiguous after");
    }

    @Test
    void theSameBuildDoesNotDiffer() {
        TypeCatalogue build = build(struct("s", 8, field("a", 0, LONG)), enumeration(new Enumerator("A", 0)));
        List<TypeDiff> diffs =
                LayoutDiff.ofItems(ItemParser.parseList(List.of("s,e,s.a,enumerator A")), build, build, null);

        assertThat(DiffWriter.isSame(diffs)).isTrue();
        assertThat(diffs).extracting(TypeDiff::status).hasSize(4).containsOnly(TypeDiff.Status.SAME);
    }

    @Test
    void jsonHasBothSides() {
        StringWriter text = new StringWriter();
        List<TypeDiff> diffs = LayoutDiff.ofItems(
                ItemParser.parseList(List.of("s")),
                build(struct("s", 4, bits("a", 0, 3))),
                build(struct("s", 8, field("a", 0, INT))),
                null);
        try (JsonGenerator json = JsonMapper.shared().createGenerator(text)) {
            DiffWriter.writeTypes(json, diffs);
        }
        assertThat(text).hasToString("""
            [{"type":"s","status":"changed","from":{"kind":"struct","size":4},"to":{"kind":"struct","size":8},\
            "members":[{"member":"a","changes":["resized"],\
            "from":{"offset":0,"size":4,"bitOffset":0,"bitSize":3,"type":"int"},\
            "to":{"offset":0,"size":4,"type":"int"}}]}]\
            """);
    }
}
