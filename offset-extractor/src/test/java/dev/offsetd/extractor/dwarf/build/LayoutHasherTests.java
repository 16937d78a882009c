package dev.offsetd.extractor.dwarf.build;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.scan.LayoutHasher;
import dev.offsetd.extractor.dwarf.scan.NameHashes;
import dev.offsetd.extractor.dwarf.unit.DwarfSections;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The layout hash, by which the reader finds equal definitions, and {@link LayoutEquality} agree on which types differ.
 * Alignment, groups of array dimensions and names of declared types are in the hash only: definitions that differ in
 * them are merged when a query compares their shapes.
 */
class LayoutHasherTests {

    private static final int PAIRS = 400;

    private final Random random = new Random(19);

    private sealed interface Type {}

    private record Scalar(String name, int size) implements Type {}

    private record Pointer(Type target) implements Type {}

    private record Enumeration(String name, int size) implements Type {}

    private record Alias(String name, Type target) implements Type {}

    private record Array(Type element, List<Integer> counts) implements Type {}

    private record Aggregate(int tag, String name, int size, List<Field> fields) implements Type {}

    /** @param bits width of a bit-field, or 0 */
    private record Field(int tag, String name, int offset, int bits, Type type) {}

    @Test
    void hashesAreEqualForEqualLayoutsOnly() throws ExtractionException {
        int equal = 0;
        for (int i = 0; i < PAIRS; i++) {
            Aggregate one = aggregate(0);
            Aggregate other = changed(one, random.nextInt(3));

            boolean same = compare(one, other);

            equal += same ? 1 : 0;
        }
        assertThat(equal).as("equal pairs").isBetween(PAIRS / 5, PAIRS * 4 / 5);
    }

    private static boolean compare(Aggregate one, Aggregate other) throws ExtractionException {
        List<Part> first = new ArrayList<>();
        List<Part> second = new ArrayList<>();
        String firstLabel = write(one, "a", first);
        String secondLabel = write(other, "b", second);
        dev.offsetd.extractor.testkit.DwarfSections written = DwarfWriter.write(
                DwarfStyle.DEFAULT, unit(first.toArray(Part[]::new)), unit(second.toArray(Part[]::new)));
        DwarfUnits dwarf = open(written);
        long firstDie = written.offsetOf(firstLabel);
        long secondDie = written.offsetOf(secondLabel);
        MemoryAccount account = new MemoryAccount(dwarf);
        TypeSpeller speller = new TypeSpeller(dwarf, account);
        LayoutHasher hasher = new LayoutHasher(dwarf, new NameHashes(dwarf.names()), speller);
        hasher.type(firstDie);
        long high = hasher.high();
        long low = hasher.low();
        hasher.type(secondDie);
        boolean sameHash = high == hasher.high() && low == hasher.low();
        // Use separate graphs: a shared one would reuse the first shape for the second type if the hashes were equal.
        TypeShape firstShape = new TypeGraph(dwarf, speller, account).shape(firstDie);
        TypeShape secondShape = new TypeGraph(dwarf, speller, account).shape(secondDie);
        boolean sameLayout = new LayoutEquality().areEqual(firstShape, secondShape);

        assertThat(sameHash).as("%s and %s", one, other).isEqualTo(sameLayout);
        return sameLayout;
    }

    static DwarfUnits open(dev.offsetd.extractor.testkit.DwarfSections written) throws ExtractionException {
        return DwarfUnits.open(
                new DwarfSections(
                        section(written, ".debug_info"),
                        section(written, ".debug_types"),
                        section(written, ".debug_abbrev"),
                        section(written, ".debug_str"),
                        section(written, ".debug_line_str"),
                        section(written, ".debug_str_offsets"),
                        section(written, ".debug_addr"),
                        section(written, ".debug_cu_index"),
                        section(written, ".debug_tu_index"),
                        false,
                        null),
                Limits.DEFAULT,
                new HeapBudget(Limits.DEFAULT.maxKeptBytes()));
    }

    private static Section section(dev.offsetd.extractor.testkit.DwarfSections written, String name) {
        return new Section(
                name,
                MemorySegment.ofArray(written.section(name)),
                written.style().order());
    }

    private Aggregate aggregate(int depth) {
        List<Field> fields = new ArrayList<>();
        int count = random.nextInt(1, 5);
        for (int i = 0; i < count; i++) {
            Type type = randomType(depth + 1);
            int bits = type instanceof Scalar && random.nextInt(4) == 0 ? random.nextInt(1, 8) : 0;
            int tag = type instanceof Aggregate && random.nextInt(4) == 0 ? DW_TAG_inheritance : DW_TAG_member;
            fields.add(new Field(tag, "m" + i, i * 8, bits, type));
        }
        return new Aggregate(aggregateTag(), "s" + depth, 8 * random.nextInt(1, 4), fields);
    }

    private int aggregateTag() {
        return List.of(DW_TAG_structure_type, DW_TAG_union_type, DW_TAG_class_type)
                .get(random.nextInt(3));
    }

    private Type randomType(int depth) {
        return switch (random.nextInt(depth < 3 ? 6 : 4)) {
            case 0 -> new Scalar("int", 4);
            case 1 -> new Scalar("long", 8);
            case 2 -> new Pointer(new Scalar("char", 1));
            case 3 -> new Enumeration("e", 4);
            case 4 -> new Array(new Scalar("short", 2), List.of(random.nextInt(1, 4), random.nextInt(1, 4)));
            default -> aggregate(depth);
        };
    }

    /** Returns a copy with the given number of changes, some of which leave the layout equal. */
    private Aggregate changed(Aggregate original, int changes) {
        Aggregate result = original;
        for (int i = 0; i < changes; i++) {
            result = changed(result);
        }
        return result;
    }

    private Aggregate changed(Aggregate type) {
        List<Field> fields = new ArrayList<>(type.fields);
        int at = random.nextInt(fields.size());
        Field field = fields.get(at);
        switch (random.nextInt(10)) {
            case 0 -> {
                return new Aggregate(type.tag, type.name, type.size + 8, fields);
            }
            case 1 -> {
                return new Aggregate(aggregateTag(), type.name, type.size, fields);
            }
            case 2 -> {
                return new Aggregate(type.tag, "renamed", type.size, fields);
            }
            case 3 -> fields.set(at, new Field(field.tag, "renamed", field.offset, field.bits, field.type));
            case 4 -> fields.set(at, new Field(field.tag, field.name, field.offset + 1, field.bits, field.type));
            case 5 -> fields.add(fields.remove(at));
            default ->
                fields.set(at, new Field(field.tag, field.name, field.offset, field.bits, changedType(field.type)));
        }
        return new Aggregate(type.tag, type.name, type.size, fields);
    }

    private Type changedType(Type type) {
        return switch (type) {
            case Scalar scalar ->
                random.nextBoolean() ? new Scalar("other", scalar.size) : new Scalar(scalar.name, scalar.size * 2);
            case Pointer _ -> random.nextBoolean() ? new Pointer(new Scalar("int", 4)) : new Scalar("long", 8);
            case Enumeration enumeration ->
                random.nextBoolean() ? new Scalar("int", enumeration.size) : new Enumeration("f", 4);
            case Alias alias -> new Alias(alias.name, changedType(alias.target));
            case Array array ->
                random.nextBoolean()
                        ? new Array(new Alias("alias", array.element), array.counts)
                        : new Array(array.element, array.counts.reversed());
            case Aggregate aggregate -> random.nextInt(3) == 0 ? new Alias("alias", aggregate) : changed(aggregate);
        };
    }

    /** Adds the DIEs of a type and returns the label of the type's DIE. */
    private static String write(Type type, String prefix, List<Part> into) {
        List<Part> parts = new ArrayList<>();
        int tag = switch (type) {
            case Scalar scalar -> {
                parts.addAll(List.of(name(scalar.name), byteSize(scalar.size), encoding(DW_ATE_signed)));
                yield DW_TAG_base_type;
            }
            case Pointer pointer -> {
                parts.addAll(List.of(byteSize(8), type(write(pointer.target, prefix, into))));
                yield DW_TAG_pointer_type;
            }
            case Enumeration enumeration -> {
                parts.addAll(List.of(name(enumeration.name), byteSize(enumeration.size)));
                yield DW_TAG_enumeration_type;
            }
            case Alias alias -> {
                parts.addAll(List.of(name(alias.name), type(write(alias.target, prefix, into))));
                yield DW_TAG_typedef;
            }
            case Array array -> {
                parts.add(type(write(array.element, prefix, into)));
                for (int count : array.counts) {
                    parts.add(die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, count)));
                }
                yield DW_TAG_array_type;
            }
            case Aggregate aggregate -> {
                parts.addAll(List.of(name(aggregate.name), byteSize(aggregate.size)));
                for (Field field : aggregate.fields) {
                    parts.add(member(field, write(field.type, prefix, into)));
                }
                yield aggregate.tag;
            }
        };
        String label = prefix + into.size();
        parts.addFirst(label(label));
        into.add(die(tag, parts.toArray(Part[]::new)));
        return label;
    }

    private static Die member(Field field, String typeLabel) {
        List<Part> parts = new ArrayList<>(List.of(type(typeLabel)));
        if (field.tag == DW_TAG_member) {
            parts.add(name(field.name));
        }
        if (field.bits > 0) {
            parts.add(attribute(DW_AT_bit_size, DW_FORM_data1, field.bits));
            parts.add(attribute(DW_AT_data_bit_offset, DW_FORM_udata, 8L * field.offset));
        } else {
            parts.add(memberLocation(field.offset));
        }
        return die(field.tag, parts.toArray(Part[]::new));
    }
}
