package dev.offsetd.query.check;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.CoreRelocation;
import dev.offsetd.extractor.layout.CoreRelocation.Form;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.ItemSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks the CO-RE relocations of a compiled BPF program. */
public final class ProgramCheck implements Check {

    private final List<Needed> needed;

    /**
     * A relocation that must be resolved.
     *
     * @param name the relocated type, member or enumerator as an item
     * @param item null if no item can have this name, and so no build
     * @param guarded whether the program asks whether it exists
     */
    private record Needed(
            CoreRelocation relocation,
            String name,
            @Nullable Item item,
            boolean guarded) {}

    /** @param relocations of the program, see {@link dev.offsetd.extractor.BpfObject#relocations} */
    public ProgramCheck(List<CoreRelocation> relocations) {
        Set<String> asked = new TreeSet<>();
        for (CoreRelocation relocation : relocations) {
            if (relocation.kind().isQuestion()) {
                asked.add(name(relocation, relocation.path().size()));
            }
        }
        Set<String> seen = new TreeSet<>();
        List<Needed> found = new ArrayList<>();
        for (CoreRelocation relocation : relocations) {
            String name = name(relocation, relocation.path().size());
            if (seen.add(relocation.kind() + " " + name)) {
                found.add(new Needed(relocation, name, item(name), isAsked(relocation, asked)));
            }
        }
        needed = List.copyOf(found);
    }

    private static boolean isAsked(CoreRelocation relocation, Set<String> asked) {
        for (int steps = 0; steps <= relocation.path().size(); steps++) {
            if (asked.contains(name(relocation, steps))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the type and the first steps of a relocation as an item. */
    private static String name(CoreRelocation relocation, int steps) {
        if (relocation.kind().subject() == CoreRelocation.Subject.ENUMERATOR) {
            return "enumerator " + relocation.path().getFirst();
        }
        StringBuilder name = new StringBuilder(relocation.type().spelling());
        for (String step : relocation.path().subList(0, steps)) {
            name.append(step.startsWith("[") ? step : "." + Item.memberText(step));
        }
        return name.toString();
    }

    private static @Nullable Item item(String name) {
        try {
            return ItemParser.parse(name);
        } catch (ItemSyntaxException e) {
            return null;
        }
    }

    @Override
    public List<Item> items() {
        return needed.stream().flatMap(each -> Stream.ofNullable(each.item())).toList();
    }

    @Override
    public List<Finding> findings(BuildContents build) {
        return needed.stream().map(each -> finding(each, build)).toList();
    }

    private static Finding finding(Needed needed, BuildContents build) {
        if (needed.item() == null) {
            return absent(needed, "no type has such a name");
        }
        ItemAnswer answer = ItemResolver.resolve(needed.item(), build, null);
        return switch (answer.outcome()) {
            case ItemOutcome.PathFound path -> placed(needed, path.placement().type());
            case ItemOutcome.Ambiguous _ ->
                finding(needed, Finding.Status.AMBIGUOUS, "several types of this name differ");
            case ItemOutcome.CrossesPointer _ -> absent(needed, "a pointer where the program has a struct");
            case ItemOutcome.Missed missed when missed.detail() != null -> absent(needed, missed.detail());
            default ->
                answer.status() == ItemStatus.FOUND
                        ? finding(needed, Finding.Status.RESOLVED, null)
                        : absent(
                                needed,
                                Objects.requireNonNullElse(
                                        answer.code(), answer.status().word()));
        };
    }

    private static Finding placed(Needed needed, TypeShape type) {
        Form wanted = needed.relocation().form();
        Form form = form(type);
        return wanted == null || form == null || wanted == form
                ? finding(needed, Finding.Status.RESOLVED, null)
                : absent(needed, "it is of the form " + word(form) + "; the program has " + word(wanted));
    }

    private static String word(Form form) {
        return form.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Form form(TypeShape type) {
        return switch (type.peeled()) {
            case AggregateShape _ -> Form.AGGREGATE;
            case EnumShape _ -> Form.INTEGER;
            case PointerShape _ -> Form.POINTER;
            case ArrayShape _ -> Form.ARRAY;
            case BaseShape base -> base.encoding() == BaseShape.Encoding.FLOATING ? Form.FLOAT : Form.INTEGER;
            default -> null;
        };
    }

    private static Finding absent(Needed needed, String detail) {
        boolean guarded = needed.guarded() || needed.relocation().kind().zeroIfAbsent();
        return finding(needed, guarded ? Finding.Status.ABSENT_GUARDED : Finding.Status.ABSENT, detail);
    }

    private static Finding finding(Needed needed, Finding.Status status, @Nullable String detail) {
        return new Finding(needed.name(), needed.relocation().kind().name().toLowerCase(Locale.ROOT), status, detail);
    }
}
