package dev.offsetd.server.answers.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.web.ListQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class TypeNamePageTests {

    private static final String LONG = "vector<" + "x".repeat(500);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    void pagesHaveEveryNameOnceHoweverLongAndAlikeNamesAre(int limit) {
        List<String> names =
                new ArrayList<>(List.of("a", LONG.substring(0, 120), "zebra", "x".repeat(119) + "\ud83d\ude00y"));
        for (int i = 0; i < 10; i++) {
            names.add(LONG + i);
        }
        assertThat(all(names, "", limit, 1_000))
                .containsExactlyElementsOf(names.stream().sorted().toList());
        assertThat(all(names, "XX7", limit, 1_000)).containsExactly(LONG + 7);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void pageThatHasLookedAtEnoughIsShort(int maxLookedAt) {
        List<String> names = List.of("a", "b", "c", "d", "e", "wanted");
        TypeNamePage first = TypeNamePage.read(
                types(names)::forEachTypeName, TypeNamePage.Position.START, "WANTED", 10, maxLookedAt);
        assertThat(first.names()).isEmpty();
        assertThat(first.next()).isNotNull();
        assertThat(all(names, "WANTED", 10, maxLookedAt)).containsExactly("wanted");
    }

    @Test
    @ChecklistRow(2)
    void pageOfVeryLongNamesIsShort() {
        String half = "x".repeat(TypeNamePage.MAX_CHARACTERS / 2);
        List<String> names = List.of("a", half + 1, half + 2, half + half + 3, "y");
        TypeNamePage first = TypeNamePage.read(types(names)::forEachTypeName, TypeNamePage.Position.START, "", 10);
        assertThat(first.names()).containsExactly("a", half + 1);
        assertThat(first.next()).isNotNull();
        assertThat(all(names, "", 10, 1_000))
                .containsExactlyElementsOf(names.stream().sorted().toList());
    }

    @Test
    void lastPageHasNoNext() {
        assertThat(TypeNamePage.read(types(List.of("a", "b"))::forEachTypeName, TypeNamePage.Position.START, "", 2)
                        .next())
                .isNull();
    }

    private static List<String> all(List<String> names, String part, int limit, int maxLookedAt) {
        StoredCatalogue types = types(names);
        List<String> seen = new ArrayList<>();
        Optional<TypeNamePage.Position> next = Optional.of(TypeNamePage.Position.START);
        while (next.isPresent()) {
            TypeNamePage page = TypeNamePage.read(types::forEachTypeName, next.get(), part, limit, maxLookedAt);
            assertThat(page.names()).hasSizeLessThanOrEqualTo(limit);
            seen.addAll(page.names());
            // The name in a cursor, which takes no more than it can hold.
            next = Optional.ofNullable(page.next())
                    .map(place -> throughCursor(place.toBytes()))
                    .map(bytes -> TypeNamePage.Position.of(bytes).orElseThrow());
        }
        return seen;
    }

    private static byte[] throughCursor(byte[] position) {
        String path = ListQuery.ofStart("/").next('t', position);
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
        request.setQueryString(path.substring(path.indexOf('?') + 1));
        return ListQuery.of(request, Set.of()).position('t').orElseThrow();
    }

    private static StoredCatalogue types(List<String> names) {
        return StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(
                names.stream()
                        .map(name -> new Definition(
                                TypeKind.ENUM,
                                name,
                                name,
                                null,
                                "unit.c",
                                new Language("C11", Language.Family.C),
                                ".debug_info",
                                0,
                                new EnumShape(name, "enum " + name, 4, false, List.of())))
                        .toList(),
                List.of())));
    }
}
