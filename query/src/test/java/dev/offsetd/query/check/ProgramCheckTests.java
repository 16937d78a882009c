package dev.offsetd.query.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.bpf.BpfProgram;
import dev.offsetd.extractor.bpf.CoreRelocation;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.extractor.testkit.Types;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProgramCheckTests {

    private static final int MOV = 0xb7;
    private static final int JEQ = 0x15;
    private static final int EXIT = 0x95;

    /** A program with a relocation of a missing member at each of its instructions. */
    private static BpfProgram program(int relocations) {
        NamedShape point = new NamedShape(TypeKind.STRUCT, "struct point");
        List<CoreRelocation> asked = new ArrayList<>();
        SortedMap<Integer, Integer> sites = new TreeMap<>();
        for (int i = 0; i < relocations; i++) {
            asked.add(new CoreRelocation(CoreRelocation.Kind.FIELD_BYTE_OFFSET, point, List.of("lost"), null, null));
            sites.put(i, i);
        }
        BpfProgram.Instruction move = new BpfProgram.Instruction(MOV, 0, 0, 0, 0);
        return new BpfProgram(asked, List.of(new BpfProgram.Function(Collections.nCopies(relocations, move), sites)));
    }

    /** Clang 14, which compiles the other programs, has no relocations of this kind. */
    @Test
    void typeWithoutANameOfTheProgramDoesNotMatchAndGuardsTheUseOfIt() {
        TypeIndex build = Types.build(
                Types.define(Types.struct("point", 8, Types.field("x", 0, Types.INT), Types.field("y", 4, Types.INT))));
        NamedShape point = new NamedShape(TypeKind.STRUCT, "struct point");
        List<CoreRelocation> asked = new ArrayList<>();
        for (List<String> names : List.of(List.of("x", "y"), List.of("x", "lost"))) {
            asked.add(new CoreRelocation(CoreRelocation.Kind.TYPE_MATCHES, point, names, null, null));
        }
        asked.add(new CoreRelocation(CoreRelocation.Kind.FIELD_BYTE_OFFSET, point, List.of("lost"), null, null));
        BpfProgram.Instruction move = new BpfProgram.Instruction(MOV, 0, 0, 0, 0);
        for (int tested : List.of(0, 1)) {
            List<BpfProgram.Instruction> code = List.of(
                    move,
                    new BpfProgram.Instruction(JEQ, 0, 0, 1, 0),
                    move,
                    new BpfProgram.Instruction(EXIT, 0, 0, 0, 0));
            BpfProgram.Function function = new BpfProgram.Function(code, new TreeMap<>(Map.of(0, tested, 2, 2)));

            assertThat(new ProgramCheck(new BpfProgram(asked, List.of(function))).findings(build))
                    .extracting(Finding::status)
                    .containsExactly(
                            Finding.Status.RESOLVED,
                            Finding.Status.ABSENT_GUARDED,
                            tested == 0 ? Finding.Status.ABSENT : Finding.Status.ABSENT_GUARDED);
        }
    }

    @Test
    void namesOfATypeAreNotCollectedForEachRelocation() throws IOException {
        int members = 20_000;
        TypeIndex build = Types.build(Types.define(Types.struct(
                "point",
                4L * members,
                IntStream.range(0, members)
                        .mapToObj(i -> Types.field("m" + i, 4L * i, Types.INT))
                        .toArray(Member[]::new))));
        NamedShape point = new NamedShape(TypeKind.STRUCT, "struct point");
        List<CoreRelocation> asked = IntStream.range(0, 1_000)
                .mapToObj(i ->
                        new CoreRelocation(CoreRelocation.Kind.TYPE_MATCHES, point, List.of("lost" + i), null, null))
                .toList();
        ProgramCheck check = new ProgramCheck(new BpfProgram(asked, List.of()));

        assertThat(HostileRun.answer("program", 256 << 20, () -> check.findings(build)))
                .hasValueSatisfying(findings -> assertThat(findings).hasSize(1_000));
    }

    @Test
    void instructionsAreFollowedInLinearTime() throws IOException, ExtractionException {
        TypeIndex build = DebugInfo.read(
                        Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(),
                        new ReadOptions(Limits.DEFAULT, 1),
                        DebugInfo::extractAll)
                .types();
        ProgramCheck check = new ProgramCheck(program(60_000));
        assertThat(HostileRun.answer("program", 256 << 20, () -> check.findings(build)))
                .hasValueSatisfying(findings -> assertThat(findings)
                        .singleElement()
                        .extracting(Finding::status)
                        .isEqualTo(Finding.Status.ABSENT));
    }
}
