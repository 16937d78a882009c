package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Structs of one name and layout in two units merge only if their pointers point to the same. */
class PointerTargetTests {

    /** A unit with a pointer to one of its types, a struct that has it, and one that has that struct; labels end in its name. */
    private static Unit unitWith(String name, String target) {
        return unit(
                name,
                DW_LANG_C99,
                die(DW_TAG_base_type, label("char" + name), name("char"), byteSize(1), encoding(DW_ATE_signed_char)),
                die(DW_TAG_base_type, label("int" + name), name("int"), byteSize(4), encoding(DW_ATE_signed)),
                die(DW_TAG_structure_type, label("node" + name), name("node"), byteSize(8)),
                die(DW_TAG_structure_type, label("leaf" + name), name("leaf"), byteSize(8)),
                die(DW_TAG_typedef, label("wide" + name), name("wide"), type("int" + name)),
                die(DW_TAG_const_type, label("const char" + name), type("char" + name)),
                die(DW_TAG_pointer_type, label("char *" + name), type("char" + name)),
                die(DW_TAG_pointer_type, label("int *" + name), type("int" + name)),
                array("two" + name, "int" + name, 2),
                array("three" + name, "int" + name, 3),
                die(DW_TAG_structure_type, label("pair" + name), byteSize(8), member("a", "int" + name, 0)),
                die(DW_TAG_structure_type, label("moved" + name), byteSize(8), member("a", "int" + name, 4)),
                die(DW_TAG_structure_type, label("renamed" + name), byteSize(8), member("b", "int" + name, 0)),
                die(DW_TAG_structure_type, label("retyped" + name), byteSize(8), member("a", "char" + name, 0)),
                die(DW_TAG_pointer_type, label("pair *" + name), type("pair" + name)),
                die(DW_TAG_pointer_type, label("moved *" + name), type("moved" + name)),
                die(DW_TAG_structure_type, label("to pair" + name), byteSize(8), member("p", "pair *" + name, 0)),
                die(DW_TAG_structure_type, label("to moved" + name), byteSize(8), member("p", "moved *" + name, 0)),
                enumeration("first" + name, "FIRST", 0),
                enumeration("second" + name, "SECOND", 0),
                enumeration("third" + name, "FIRST", 3),
                function("takes none" + name),
                function("takes int" + name, parameter("int" + name)),
                function("takes char" + name, parameter("char" + name)),
                function("takes more" + name, parameter("int" + name), die(DW_TAG_unspecified_parameters)),
                function("takes pair" + name, parameter("pair *" + name)),
                function("takes moved" + name, parameter("moved *" + name)),
                function("returns int" + name, type("int" + name)),
                die(DW_TAG_pointer_type, label("self *" + name), type("self" + name)),
                die(DW_TAG_structure_type, label("self" + name), byteSize(8), member("next", "self *" + name, 0)),
                die(DW_TAG_pointer_type, label("pointer" + name), type(target + name)),
                die(
                        DW_TAG_structure_type,
                        label("spec" + name),
                        name("spec"),
                        byteSize(8),
                        member("p", "pointer" + name, 0)),
                die(DW_TAG_structure_type, name("holder"), byteSize(8), member("spec", "spec" + name, 0)),
                die(
                        DW_TAG_variable,
                        name("g" + name),
                        type("spec" + name),
                        attribute(DW_AT_external, DW_FORM_flag_present, 1)));
    }

    private static Die array(String label, String element, int count) {
        return die(
                DW_TAG_array_type,
                label(label),
                type(element),
                die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, count)));
    }

    private static Die enumeration(String label, String enumerator, int value) {
        return die(
                DW_TAG_enumeration_type,
                label(label),
                byteSize(4),
                die(DW_TAG_enumerator, name(enumerator), attribute(DW_AT_const_value, DW_FORM_data1, value)));
    }

    private static Die function(String label, Part... parts) {
        return die(
                DW_TAG_subroutine_type,
                Stream.concat(Stream.of(label(label)), Stream.of(parts)).toArray(Part[]::new));
    }

    private static Die parameter(String type) {
        return die(DW_TAG_formal_parameter, type(type));
    }

    private static List<String> targets(String name, String... targets) throws IOException, ExtractionException {
        return Answers.all(
                        DwarfWriter.write(DwarfStyle.DEFAULT, unitWith("one", targets[0]), unitWith("two", targets[1])))
                .stream()
                .filter(definition -> definition.name().equals(name))
                .map(definition -> ((AggregateShape) definition.shape())
                        .members()
                        .getFirst()
                        .type()
                        .spelling())
                .toList();
    }

    @Test
    void structsWithPointersToDifferentTargetsAreTwoDefinitions() throws IOException, ExtractionException {
        assertThat(targets("spec", "char", "int")).containsExactly("char *", "int *");
        assertThat(targets("spec", "node", "leaf")).containsExactly("struct node *", "struct leaf *");
        assertThat(targets("spec", "char *", "int *")).containsExactly("char **", "int **");
        assertThat(targets("spec", "two", "three")).containsExactly("int (*)[2]", "int (*)[3]");
        assertThat(targets("spec", "wide", "char")).containsExactly("wide *", "char *");
    }

    @Test
    void typesWithoutANameBehindPointersCountWithTheirParts() throws IOException, ExtractionException {
        List<List<String>> groups = List.of(
                List.of("pair", "moved", "renamed", "retyped", "to pair", "to moved", "self"),
                List.of("first", "second", "third"),
                List.of(
                        "takes none",
                        "takes int",
                        "takes char",
                        "takes more",
                        "takes pair",
                        "takes moved",
                        "returns int"));
        for (List<String> group : groups) {
            for (String one : group) {
                for (String other : group) {
                    assertThat(targets("spec", one, other))
                            .as("%s and %s", one, other)
                            .hasSize(one.equals(other) ? 1 : 2);
                }
            }
        }
    }

    /** Units may also share the shapes of their structs, before anything is merged. */
    @Test
    void structsInVariablesKeepTheTargetsOfTheirUnit() throws IOException, ExtractionException {
        assertThat(Answers.catalogue(DwarfWriter.write(
                                DwarfStyle.DEFAULT, unitWith("one", "pair"), unitWith("two", "moved")))
                        .variables())
                .extracting(variable -> ((PointerShape) ((AggregateShape) variable.type())
                                .members()
                                .getFirst()
                                .type())
                        .target())
                .extracting(
                        target -> ((AggregateShape) target).members().getFirst().location())
                .containsExactly(new MemberLocation.Fixed(0), new MemberLocation.Fixed(32));
    }

    @Test
    void structsThatHoldThemAreTwoDefinitions() throws IOException, ExtractionException {
        assertThat(targets("holder", "char", "int")).hasSize(2);
    }

    @Test
    void structsWithPointersToTheSameTargetAreOneDefinition() throws IOException, ExtractionException {
        for (String target : List.of("char", "node", "wide", "char *", "two")) {
            assertThat(targets("spec", target, target)).as(target).hasSize(1);
        }
        assertThat(targets("spec", "char", "const char")).as("qualifiers").hasSize(1);
    }
}
