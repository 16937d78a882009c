package dev.offsetd.server.answers.types;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * All type names of a build in groups, each in the order of the names: types that type sets need, types of the build's main
 * language, its base types, and types of other languages.
 */
public final class RelevantTypes {

    private static final char LIST = 'r';

    private final List<TypeNamePage.NameSource> groups;

    private RelevantTypes(List<TypeNamePage.NameSource> groups) {
        this.groups = groups;
    }

    /** Groups the types of a build; {@code needed} are the names that type sets need. */
    public static RelevantTypes of(StoredCatalogue types, Set<String> needed) {
        TreeSet<String> first = new TreeSet<>();
        for (String name : needed) {
            if (!types.summary(name).kinds().isEmpty()) {
                first.add(TypeNames.normalize(name));
            }
        }
        Set<Language.Family> main = types.mainLanguages();
        BitSet named = new BitSet();
        BitSet base = new BitSet();
        BitSet others = new BitSet();
        types.forEachOutline(one -> {
            BitSet group = !main.contains(one.language()) ? others : one.kind() == TypeKind.BASE ? base : named;
            group.set(one.number());
        });
        BitSet ofMain = (BitSet) named.clone();
        ofMain.or(base);
        List<TypeNamePage.NameSource> groups = new ArrayList<>();
        groups.add((from, goOn) -> {
            for (String name : first.tailSet(from)) {
                if (!goOn.test(name)) {
                    return;
                }
            }
        });
        for (BitSet[] group : new BitSet[][] {{named, new BitSet()}, {base, named}, {others, ofMain}}) {
            groups.add((from, goOn) ->
                    types.forEachTypeName(from, group[0], group[1], name -> first.contains(name) || goOn.test(name)));
        }
        return new RelevantTypes(groups);
    }

    public ListPage<String> page(ListQuery query) {
        byte[] start = query.position(LIST).orElse(new byte[0]);
        int group = start.length == 0 ? 0 : start[0];
        TypeNamePage.Position after = start.length == 0
                ? TypeNamePage.Position.START
                : TypeNamePage.Position.of(Arrays.copyOfRange(start, 1, start.length))
                        .filter(position -> start[0] >= 0 && start[0] < groups.size())
                        .orElseThrow(ListQuery::badCursor);
        List<String> names = new ArrayList<>();
        for (; group < groups.size(); group++) {
            TypeNamePage page =
                    TypeNamePage.read(groups.get(group), after, "", Math.max(1, query.limit() - names.size()));
            boolean full = names.size() == query.limit();
            if (full && !page.names().isEmpty()) {
                return new ListPage<>(query, names, next(query, group, after));
            }
            names.addAll(page.names());
            if (page.next() != null) {
                return new ListPage<>(query, names, next(query, group, page.next()));
            }
            after = TypeNamePage.Position.START;
        }
        return new ListPage<>(query, names, null);
    }

    private static String next(ListQuery query, int group, TypeNamePage.Position after) {
        byte[] place = after.toBytes();
        byte[] position = new byte[place.length + 1];
        position[0] = (byte) group;
        System.arraycopy(place, 0, position, 1, place.length);
        return query.next(LIST, position);
    }
}
