package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.operations.Word;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * View of the page of a type: the parameters of its URL.
 *
 * @param language null if none is chosen
 * @param variant number of the chosen variant, from 1; 0 if none is chosen
 * @param unfold paths of expanded members
 * @param row bytes of a row; 0 to choose by the size of the type
 * @param from first byte of the map
 */
record TypeView(
        BuildId id,
        String name,
        Language.@Nullable Family language,
        int variant,
        Set<String> unfold,
        int row,
        long from,
        boolean cacheLines,
        MemberOrder sort) {

    /** Most expanded members; each is a parameter of the URL. */
    private static final int MAX_UNFOLDED = 60;

    private static final String LANG = "lang";
    private static final String VARIANT = "variant";
    private static final String UNFOLD = "unfold";
    private static final String ROW = "row";
    private static final String FROM = "from";
    private static final String LINES = "lines";
    private static final String HIDDEN = "off";

    /** Reads the parameters of a request; an invalid one has its default. */
    static TypeView of(BuildId id, String name, HttpServletRequest request) {
        // Spring would split a single value at its commas.
        String[] members = request.getParameterValues(UNFOLD);
        String row = text(request, ROW);
        return new TypeView(
                id,
                name,
                language(text(request, LANG)).orElse(null),
                (int) number(text(request, VARIANT), 100_000),
                members == null ? Set.of() : first(List.of(members)),
                row.equals("8") || row.equals("16") ? Integer.parseInt(row) : 0,
                number(text(request, FROM), Long.MAX_VALUE),
                !text(request, LINES).equals(HIDDEN),
                Word.find(MemberOrder.class, text(request, "sort")).orElse(MemberOrder.OFFSET));
    }

    private static String text(HttpServletRequest request, String parameter) {
        return Objects.toString(request.getParameter(parameter), "");
    }

    private static Set<String> first(List<String> members) {
        return new LinkedHashSet<>(members.subList(0, Math.min(members.size(), MAX_UNFOLDED)));
    }

    private static Optional<Language.Family> language(String word) {
        return Arrays.stream(Language.Family.values())
                .filter(family -> family.name().equalsIgnoreCase(word))
                .findFirst();
    }

    /** Parses a number; 0 if it is invalid. */
    private static long number(String text, long most) {
        try {
            long number = Long.decode(text.strip());
            return number < 0 || number > most ? 0 : number;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Returns the word of the language in URLs; empty if none is chosen. */
    Optional<String> languageWord() {
        return Optional.ofNullable(language).map(family -> family.name().toLowerCase(Locale.ROOT));
    }

    /** Returns the view of a variant, with nothing expanded. */
    public TypeView ofVariant(int number) {
        return new TypeView(id, name, language, number, Set.of(), row, 0, cacheLines, sort);
    }

    /** Returns the view with a member expanded, or collapsed if it was expanded. */
    TypeView toggling(String path) {
        Set<String> toggled = new LinkedHashSet<>(unfold);
        if (!toggled.remove(path)) {
            toggled.add(path);
        }
        return new TypeView(id, name, language, variant, toggled, row, from, cacheLines, sort);
    }

    TypeView withRow(int bytes) {
        return new TypeView(id, name, language, variant, unfold, bytes, 0, cacheLines, sort);
    }

    public TypeView startingAt(long firstByte) {
        return new TypeView(id, name, language, variant, unfold, row, firstByte, cacheLines, sort);
    }

    TypeView withCacheLines(boolean shown) {
        return new TypeView(id, name, language, variant, unfold, row, from, shown, sort);
    }

    TypeView sortedBy(MemberOrder order) {
        return new TypeView(id, name, language, variant, unfold, row, from, cacheLines, order);
    }

    /** Returns the path and query of the page. */
    public String path() {
        PagePath path = PagePath.ofType(id, name)
                .with(LANG, languageWord().orElse(null))
                .with(VARIANT, variant == 0 ? null : variant);
        unfold.forEach(member -> path.with(UNFOLD, member));
        return path.with(ROW, row == 0 ? null : row)
                .with(FROM, from == 0 ? null : from)
                .with(LINES, cacheLines ? null : HIDDEN)
                .with("sort", sort == MemberOrder.OFFSET ? null : sort.word())
                .toString();
    }
}
