package dev.offsetd.query.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExpansionCheckTests {

    private static final TypeSet SET = TypeSetParser.parse("""
            {"name": "mine", "version": 1, "title": "t",
             "items": [{"item": "pointers.next->text"}, {"item": "g_pointers->next->opaque"}, {"item": "point.y"}],
             "maps": {"agent": {"title": "t", "names": {
               "text": {"plan": "pointers.next->text"}, "lost": {"plan": "pointers.next->lost"},
               "y": {"plan": "point.y"}}}}}""".getBytes(StandardCharsets.UTF_8));

    private static final TypeSetSource SETS = new TypeSetSource() {

        @Override
        public Optional<TypeSet> find(String name) {
            return Optional.of(SET).filter(set -> set.name().equals(name));
        }

        @Override
        public Set<String> names() {
            return Set.of(SET.name());
        }
    };

    private static TypeIndex types(String fixture) throws IOException, ExtractionException {
        return DebugInfo.read(
                        Fixture.named(fixture).debugFile(), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types();
    }

    private static List<String> findings(ExpansionCheck check, String fixture) throws IOException, ExtractionException {
        return check.findings(types(fixture), () -> null).stream()
                .map(finding -> finding.name() + " " + finding.status().word()
                        + (finding.status() == Finding.Status.DIFFERS ? " " + finding.detail() : ""))
                .toList();
    }

    @Test
    void planOfAMapResolvesOrDiffersFromTheReference() throws Exception {
        ExpansionCheck check =
                new ExpansionCheck(Expansion.ofMap(ItemParser.parseList(List.of("@mine")), "agent", SETS));
        assertThat(findings(check, WIDE)).containsExactly("text resolved", "lost absent", "y resolved");
        assertThat(findings(check.against(types(WIDE), () -> null), NARROW))
                .containsExactly(
                        "text differs +8(+24(base)), 8 bytes -> +4(+12(base)), 4 bytes", "lost absent", "y resolved");
        assertThat(findings(check.against(types(WIDE), () -> null), WIDE))
                .containsExactly("text resolved", "lost absent", "y resolved");
    }

    @Test
    void planOfAnItemDiffersFromTheReference() throws Exception {
        ExpansionCheck check = new ExpansionCheck(Expansion.of(ItemParser.parseList(List.of("@mine")), SETS))
                .against(types(WIDE), () -> null);
        assertThat(findings(check, NARROW))
                .contains(
                        "pointers.next->text differs +8(+24(base)), 8 bytes -> +4(+12(base)), 4 bytes",
                        "g_pointers->next->opaque differs +32(+24(+0(g_pointers))), 8 bytes"
                                + " -> +16(+12(+0(g_pointers))), 4 bytes",
                        "point.y resolved");
    }

    @Test
    void itemThatABuildLacksIsAbsent() throws Exception {
        assertThat(findings(
                        new ExpansionCheck(Expansion.of(
                                ItemParser.parseList(List.of("point.y,nope.nope,point.nope,enum nope|point.x")), SETS)),
                        WIDE))
                .containsExactly(
                        "point.y resolved", "nope.nope absent", "point.nope absent", "enum nope|point.x resolved");
    }

    private static final String WIDE = "gcc12-dwarf5-x86_64-el";
    private static final String NARROW = "gcc12-dwarf5-i386-el";
}
