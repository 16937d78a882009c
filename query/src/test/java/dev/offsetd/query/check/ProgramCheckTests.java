package dev.offsetd.query.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.BpfProgram;
import dev.offsetd.extractor.layout.CoreRelocation;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.query.item.BuildContents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ProgramCheckTests {

    private static final int MOV = 0xb7;

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

    @Test
    void instructionsAreFollowedInLinearTime() throws IOException, ExtractionException {
        BuildContents build = BuildContents.ofTypes(DebugInfo.read(
                        Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(),
                        new ReadOptions(Limits.DEFAULT, 1),
                        DebugInfo::extractAll)
                .types());
        ProgramCheck check = new ProgramCheck(program(60_000));
        assertThat(HostileRun.answer("program", 256 << 20, () -> check.findings(build)))
                .hasValueSatisfying(findings -> assertThat(findings)
                        .singleElement()
                        .extracting(Finding::status)
                        .isEqualTo(Finding.Status.ABSENT));
    }
}
