package dev.offsetd.extractor.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.BinaryWriter;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A module whose BTF has a distilled base, as pahole makes it for modules that are built outside of the kernel: the struct
 * {@code held} is a member, {@code pointed} only behind a pointer.
 */
class DistilledBaseTests {

    static Stream<ByteOrder> orders() {
        return Stream.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN);
    }

    /** The kernel has other ids and names than the distilled base, and members. */
    private static BtfWriter kernel(ByteOrder order, int heldBytes) {
        BtfWriter kernel = new BtfWriter(order);
        kernel.add(Btf.BTF_KIND_STRUCT, false, "first", 0, 0);
        int number = kernel.signed("int", 4);
        long a = kernel.name("a");
        long b = kernel.name("b");
        kernel.add(Btf.BTF_KIND_STRUCT, false, "held", 2, heldBytes, a, number, 0, b, number, 32);
        kernel.add(Btf.BTF_KIND_STRUCT, false, "pointed", 1, 16, a, number, 0);
        kernel.add(Btf.BTF_KIND_ENUM64, false, "choice", 1, 8, kernel.name("ONE"), 1, 0);
        return kernel;
    }

    private static BtfWriter distilled(ByteOrder order) {
        BtfWriter distilled = new BtfWriter(order);
        distilled.add(Btf.BTF_KIND_ENUM, false, "choice", 0, 8);
        distilled.add(Btf.BTF_KIND_FWD, false, "pointed", 0, 0);
        distilled.add(Btf.BTF_KIND_STRUCT, false, "held", 0, 8);
        distilled.signed("int", 4);
        return distilled;
    }

    private static BtfWriter module(BtfWriter distilled) {
        BtfWriter module = new BtfWriter(distilled);
        int pointer = module.refer(Btf.BTF_KIND_PTR, "", 2);
        long[] members = {
            module.name("held"),
            3,
            0,
            module.name("pointer"),
            pointer,
            64,
            module.name("count"),
            4,
            128,
            module.name("choice"),
            1,
            192
        };
        module.add(Btf.BTF_KIND_STRUCT, false, "mod", 4, 32, members);
        return module;
    }

    private static List<Definition> read(
            BtfWriter module, BtfWriter distilled, @Nullable BtfWriter kernel, ByteOrder order)
            throws ExtractionException {
        return BtfTypes.catalogue(
                        new BtfSections(
                                BtfWriter.section(module.toBytes(), order),
                                BtfWriter.section(distilled.toBytes(), order),
                                kernel == null
                                        ? Section.absent(".BTF", order)
                                        : BtfWriter.section(kernel.toBytes(), order)),
                        8,
                        Limits.DEFAULT,
                        new HeapBudget(Limits.DEFAULT.maxKeptBytes()))
                .definitions();
    }

    private static AggregateShape shape(List<Definition> definitions, String name) {
        return (AggregateShape) definitions.stream()
                .filter(definition -> definition.name().equals(name))
                .findAny()
                .orElseThrow()
                .shape();
    }

    @ParameterizedTest
    @MethodSource("orders")
    void moduleIsRelocatedOntoTheTypesOfItsKernel(ByteOrder order) throws ExtractionException {
        BtfWriter distilled = distilled(order);
        List<Definition> definitions = read(module(distilled), distilled, kernel(order, 8), order);

        AggregateShape module = shape(definitions, "mod");
        assertThat(module.members())
                .extracting(member -> member.name() + " " + member.byteOffset() + " "
                        + member.type().byteSize())
                .containsExactly("held 0 8", "pointer 8 8", "count 16 4", "choice 24 8");
        assertThat(((AggregateShape) module.members().getFirst().type()).members())
                .hasSize(2);
        assertThat(shape(definitions, "pointed").byteSize()).isEqualTo(16);
    }

    @Test
    void kernelWhoseHeldStructHasAnotherSizeDoesNotFit() {
        BtfWriter distilled = distilled(ByteOrder.LITTLE_ENDIAN);

        assertThatThrownBy(() -> read(
                        module(distilled), distilled, kernel(ByteOrder.LITTLE_ENDIAN, 12), ByteOrder.LITTLE_ENDIAN))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("does not fit the module: \"held\" of 8 bytes is not in it");
    }

    /** libbpf takes a struct of any size if the module does not hold it, and an enumeration or a number of its size only. */
    @Test
    void kernelLacksATypeOfTheSizeThatTheModuleNeeds() throws ExtractionException {
        BtfWriter distilled = new BtfWriter(ByteOrder.LITTLE_ENDIAN);
        distilled.add(Btf.BTF_KIND_ENUM, false, "choice", 0, 4);
        BtfWriter pointed = new BtfWriter(ByteOrder.LITTLE_ENDIAN);
        pointed.add(Btf.BTF_KIND_STRUCT, false, "pointed", 0, 99);
        BtfWriter union = new BtfWriter(ByteOrder.LITTLE_ENDIAN);
        union.add(Btf.BTF_KIND_UNION, false, "held", 0, 8);
        BtfWriter number = new BtfWriter(ByteOrder.LITTLE_ENDIAN);
        number.signed("int", 8);
        BtfWriter missing = new BtfWriter(ByteOrder.LITTLE_ENDIAN);
        missing.add(Btf.BTF_KIND_STRUCT, false, "gone", 0, 8);

        assertThat(shape(read(onlyPointing(pointed), pointed, kernel(ByteOrder.LITTLE_ENDIAN, 8)), "pointed")
                        .byteSize())
                .isEqualTo(16);
        assertMisfit(distilled, "\"choice\" of 4 bytes is not in it");
        assertMisfit(union, "\"held\" of 8 bytes is not in it");
        assertMisfit(number, "\"int\" of 8 bytes is not in it");
        assertMisfit(missing, "\"gone\" of 8 bytes is not in it");
    }

    private static void assertMisfit(BtfWriter distilled, String problem) {
        assertThatThrownBy(() -> read(onlyPointing(distilled), distilled, kernel(ByteOrder.LITTLE_ENDIAN, 8)))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("does not fit the module: " + problem);
    }

    /** Enumerations have no second chance by their size. */
    @Test
    void enumerationThatTheKernelHasTwiceIsAmbiguous() {
        BtfWriter distilled = new BtfWriter(ByteOrder.LITTLE_ENDIAN);
        distilled.add(Btf.BTF_KIND_ENUM, false, "choice", 0, 8);
        BtfWriter kernel = kernel(ByteOrder.LITTLE_ENDIAN, 8);
        kernel.add(Btf.BTF_KIND_ENUM64, false, "choice", 1, 8, kernel.name("TWO"), 2, 0);

        assertThatThrownBy(() -> read(onlyPointing(distilled), distilled, kernel))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("of one size");
    }

    /** Returns a module with a pointer to the first distilled type. */
    private static BtfWriter onlyPointing(BtfWriter distilled) {
        BtfWriter module = new BtfWriter(distilled);
        module.refer(Btf.BTF_KIND_PTR, "", 1);
        return module;
    }

    private static List<Definition> read(BtfWriter module, BtfWriter distilled, BtfWriter kernel)
            throws ExtractionException {
        return read(module, distilled, kernel, ByteOrder.LITTLE_ENDIAN);
    }

    /** By name alone it could be either. */
    @Test
    void structThatTheKernelHasTwiceIsChosenByItsSize() throws ExtractionException {
        BtfWriter distilled = distilled(ByteOrder.LITTLE_ENDIAN);
        BtfWriter kernel = kernel(ByteOrder.LITTLE_ENDIAN, 8);
        kernel.add(Btf.BTF_KIND_STRUCT, false, "held", 0, 4);

        assertThat(shape(read(module(distilled), distilled, kernel, ByteOrder.LITTLE_ENDIAN), "mod")
                        .byteSize())
                .isEqualTo(32);

        kernel.add(Btf.BTF_KIND_STRUCT, false, "held", 0, 8);
        assertThatThrownBy(() -> read(module(distilled), distilled, kernel, ByteOrder.LITTLE_ENDIAN))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("of one size");
    }

    @Test
    void deadlineEndsTheRelocationOfAModule() {
        BtfWriter distilled = distilled(ByteOrder.LITTLE_ENDIAN);
        BtfWriter module = new BtfWriter(distilled);
        int members = 20_000;
        long[] words = new long[3 * members];
        for (int i = 0; i < members; i++) {
            words[3 * i + 1] = 4;
        }
        module.add(Btf.BTF_KIND_STRUCT, false, "mod", members, 32, words);
        assertThatThrownBy(() -> Deadline.afterChecks(40)
                        .during(() ->
                                read(module, distilled, kernel(ByteOrder.LITTLE_ENDIAN, 8), ByteOrder.LITTLE_ENDIAN)))
                .isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void withoutItsKernelTheModuleIsRefusedWithWhatItNeeds() {
        BtfWriter distilled = distilled(ByteOrder.LITTLE_ENDIAN);

        assertThatThrownBy(() -> read(module(distilled), distilled, null, ByteOrder.LITTLE_ENDIAN))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("needs the kernel's own .BTF");
    }

    @ParameterizedTest
    @MethodSource("orders")
    void btfOfSeveralObjectsIsReadOneAfterTheOther(ByteOrder order) throws ExtractionException {
        BtfWriter first = new BtfWriter(order);
        first.add(Btf.BTF_KIND_STRUCT, false, "one", 0, 4);
        BtfWriter second = new BtfWriter(order);
        second.signed("long", 8);
        second.add(Btf.BTF_KIND_STRUCT, false, "two", 1, 8, second.name("m"), 1, 0);
        byte[] both = new BinaryWriter(order)
                .bytes(first.toBytes())
                .align(8)
                .bytes(second.toBytes())
                .align(16)
                .toBytes();

        List<Definition> definitions = BtfTypes.catalogue(
                        BtfWriter.alone(BtfWriter.section(both, order)),
                        8,
                        Limits.DEFAULT,
                        new HeapBudget(Limits.DEFAULT.maxKeptBytes()))
                .definitions();

        assertThat(definitions).extracting(Definition::name).containsExactly("one", "long", "two");
        assertThat(shape(definitions, "two").members()).hasSize(1);
    }

    @Test
    void whatFollowsBtfAndIsNoneIsLeftOut() throws ExtractionException {
        byte[] bytes = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .bytes(kernel(ByteOrder.LITTLE_ENDIAN, 8).toBytes())
                .bytes(new byte[] {1, 2, 3, 4})
                .toBytes();

        TypeCatalogue found = BtfTypes.catalogue(
                BtfWriter.alone(BtfWriter.section(bytes, ByteOrder.LITTLE_ENDIAN)),
                8,
                Limits.DEFAULT,
                new HeapBudget(Limits.DEFAULT.maxKeptBytes()));

        assertThat(found.definitions()).isNotEmpty();
        assertThat(found.omissions()).singleElement().satisfies(omission -> {
            assertThat(omission.part()).isEqualTo(Omission.Part.UNIT);
            assertThat(omission.cause()).isEqualTo(Omission.Cause.DAMAGED);
            assertThat(omission.places().getFirst())
                    .contains("the BTF in front ends at 0x", "expected the header of another");
        });
    }

    /** The types of another kernel would have its ids. */
    @Test
    void moduleThatRefersBehindTheTypesOfItsKernelIsRefused() {
        BtfWriter kernel = kernel(ByteOrder.LITTLE_ENDIAN, 8);
        BtfWriter module = new BtfWriter(kernel);
        module.add(Btf.BTF_KIND_STRUCT, false, "mod", 1, 4, module.name("m"), 1000, 0);

        assertThatThrownBy(() -> BtfTypes.catalogue(
                        new BtfSections(
                                BtfWriter.section(module.toBytes(), ByteOrder.LITTLE_ENDIAN),
                                Section.absent(".BTF.base", ByteOrder.LITTLE_ENDIAN),
                                BtfWriter.section(kernel.toBytes(), ByteOrder.LITTLE_ENDIAN)),
                        8,
                        Limits.DEFAULT,
                        new HeapBudget(Limits.DEFAULT.maxKeptBytes())))
                .hasMessageContaining("type id 1000");
    }

    @Test
    void kernelOfWhichSomeTypesHaveNoIdIsNoBase() {
        BtfWriter kernel = kernel(ByteOrder.LITTLE_ENDIAN, 8);
        BtfWriter module = new BtfWriter(kernel);
        module.add(Btf.BTF_KIND_STRUCT, false, "mod", 0, 4);
        byte[] base = kernel.toBytes();
        // The kind of the first type.
        base[24 + 7] = 0x1f;

        assertThatThrownBy(() -> BtfTypes.catalogue(
                        new BtfSections(
                                BtfWriter.section(module.toBytes(), ByteOrder.LITTLE_ENDIAN),
                                Section.absent(".BTF.base", ByteOrder.LITTLE_ENDIAN),
                                BtfWriter.section(base, ByteOrder.LITTLE_ENDIAN)),
                        8,
                        Limits.DEFAULT,
                        new HeapBudget(Limits.DEFAULT.maxKeptBytes())))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("type 1 is of unknown kind 31");
    }
}
