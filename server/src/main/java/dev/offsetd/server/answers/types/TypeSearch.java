package dev.offsetd.server.answers.types;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Search for types of a build by name, as lists query it.
 *
 * @param part substring of the names; empty for all
 * @param kind null for any
 * @param language null for any
 * @param ranked whether the best matches come first, in one page
 */
public record TypeSearch(
        ListQuery query,
        String part,
        @Nullable TypeKind kind,
        Language.@Nullable Family language,
        boolean ranked,
        TypeNamePage.Position after) {

    /** Parameter of the substring. */
    public static final String PART = "q";

    public static final String KIND = "kind";
    public static final String LANG = "lang";
    public static final String SORT = "sort";

    public static final Set<String> PARAMETERS = Set.of(PART, KIND, LANG, SORT);

    /** The words for {@link TypeKind}. */
    public static final List<String> KINDS =
            Arrays.stream(TypeKind.values()).map(TypeKind::word).toList();

    /** Names of languages that a search accepts. */
    public static final List<String> LANGUAGES = List.of("c", "c++", "rust", "go");

    private static final char LIST = 't';
    private static final int MAX_PART = 200;

    public enum Sort implements Word {
        NAME,
        RANK
    }

    /**
     * Parses the search.
     *
     * @param standard the order of a query without {@code sort}
     * @throws ProblemException if a parameter is invalid: 400
     */
    public static TypeSearch of(ListQuery query, Sort standard) {
        Sort sort = query.filter(SORT).map(TypeSearch::sort).orElse(standard);
        String typed = query.parameter(PART).orElse("");
        String part = sort == Sort.RANK ? typed.strip() : typed;
        if (part.length() > MAX_PART) {
            throw ListQuery.badValue(PART, part, "at most " + MAX_PART + " characters");
        }
        Optional<TypeNamePage.Position> after = query.position(LIST)
                .map(place -> TypeNamePage.Position.of(place).orElseThrow(ListQuery::badCursor));
        boolean ranked = sort == Sort.RANK && !part.isEmpty();
        if (ranked && after.isPresent()) {
            throw ListQuery.badCursor();
        }
        return new TypeSearch(
                query,
                part,
                query.filter(KIND).map(TypeSearch::kind).orElse(null),
                query.parameter(LANG)
                        .filter(name -> !name.isEmpty())
                        // The + of c++ is a space when it is not encoded.
                        .map(name -> QueryParameters.languageNamed(name.replace(' ', '+')))
                        .orElse(null),
                ranked,
                after.orElse(TypeNamePage.Position.START));
    }

    private static Sort sort(String word) {
        return Word.find(Sort.class, word)
                .orElseThrow(() -> ListQuery.badValue(
                        SORT, word, Arrays.stream(Sort.values()).map(Sort::word).collect(Collectors.joining(" or "))));
    }

    private static TypeKind kind(String word) {
        return Arrays.stream(TypeKind.values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .orElseThrow(() -> ListQuery.badValue(KIND, word, String.join(", ", KINDS)));
    }

    public Found read(StoredCatalogue types) {
        TypeNamePage.NameSource names = types::forEachTypeName;
        if (kind != null || language != null) {
            BitSet among = new BitSet();
            types.forEachOutline(one -> among.set(
                    one.number(),
                    (kind == null || kind == one.kind()) && (language == null || language == one.language())));
            names = (from, goOn) -> types.forEachTypeName(from, among, new BitSet(), goOn);
        }
        TypeNamePage page = ranked
                ? BestMatches.read(names, part, query.limit())
                : TypeNamePage.read(names, after, part, query.limit());
        return new Found(
                new ListPage<>(
                        query,
                        page.names(),
                        page.next() == null
                                ? null
                                : query.next(LIST, page.next().toBytes())),
                page.more());
    }

    /**
     * A page of names.
     *
     * @param more whether other names match or were not examined
     */
    public record Found(ListPage<String> names, boolean more) {}
}
