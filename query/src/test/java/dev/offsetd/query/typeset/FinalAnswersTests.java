package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Answers from the requested types alone that are said to be final are those from the whole file. */
@Tag("long")
class FinalAnswersTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);
    private static final TypeSetSource SETS = new BuiltInTypeSets();
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static Stream<Path> files() {
        Path folder = Fixture.named("gcc12-dwarf5-x86_64-el").folder();
        return Stream.concat(
                Fixture.all().map(Fixture::debugFile),
                Stream.of("gcc12-dwarf5-cxx-x86_64-el/cxx.debug", "rustc-dwarf4-x86_64-el/enums.o")
                        .map(folder::resolveSibling));
    }

    @ParameterizedTest
    @MethodSource("files")
    void finalAnswersAreThoseOfTheWholeFile(Path file) throws Exception {
        int confirmed = 0;
        try (DebugInfo info = DebugInfo.open(file, OPTIONS)) {
            TypeCatalogue all = info.extractAll().types();
            Set<String> items =
                    new LinkedHashSet<>(List.of("no_such_type", "no_such_type.member", "enumerator GREEN", "@ruby"));
            all.definitions().forEach(definition -> items.addAll(itemsOf(definition)));
            for (String text : items) {
                Optional<Expansion> query = parsed(text);
                if (query.isEmpty()) {
                    continue;
                }
                TypeCatalogue some = info.extract(new RequestedNames(
                                query.get().simpleTypeNames(),
                                query.get().typeNames(),
                                query.get().enumeratorNames(),
                                Set.of()))
                        .types();
                Expansion.Answers answers = answers(query.get(), some);
                if (query.get().areFinal(answers, some)) {
                    confirmed++;
                    assertThat(written(answers)).as(text).isEqualTo(written(answers(query.get(), all)));
                }
            }
            assertThat(confirmed).isGreaterThan(all.definitions().size());
        }
    }

    private static Stream<String> membersOf(Definition definition) {
        return definition.shape() instanceof AggregateShape shape
                ? shape.members().stream().map(Member::name).filter(Objects::nonNull)
                : Stream.empty();
    }

    private static List<String> itemsOf(Definition definition) {
        String type = '"' + definition.qualifiedName() + '"';
        return Stream.concat(
                        Stream.of(type, definition.name(), type + ".no_such_member", "no_such_type.a | " + type),
                        membersOf(definition).map(member -> type + '.' + Item.memberText(member)))
                .toList();
    }

    private static Optional<Expansion> parsed(String text) {
        try {
            return Optional.of(Expansion.of(List.of(ItemParser.parse(text)), SETS));
        } catch (ItemSyntaxException e) {
            // A name that no item can have.
            return Optional.empty();
        }
    }

    private static Expansion.Answers answers(Expansion query, TypeIndex types) {
        return query.answer(types, () -> null, null);
    }

    private static String written(Expansion.Answers answers) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(text)) {
            new AnswerWriter(View.MEMBERS).writeAnswers(out, answers.items(), "p1");
        }
        return text.toString();
    }
}
