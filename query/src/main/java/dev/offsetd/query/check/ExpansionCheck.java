package dev.offsetd.query.check;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.item.ReadPlan;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.MapValue;
import dev.offsetd.query.typeset.NameMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks items, type sets or a name map, also whether builds have the values of a reference. */
public final class ExpansionCheck implements Check {

    private final Expansion expansion;
    private final Expansion.@Nullable Answers reference;

    /** Checks that builds have what a set or map needs. */
    public ExpansionCheck(Expansion expansion) {
        this(expansion, null);
    }

    private ExpansionCheck(Expansion expansion, Expansion.@Nullable Answers reference) {
        this.expansion = expansion;
        this.reference = reference;
    }

    /** Returns the same check, which also compares with this build. */
    public ExpansionCheck against(TypeIndex types, Supplier<@Nullable SymbolSearch> symbols) {
        return new ExpansionCheck(expansion, expansion.answerWithoutSuggestions(types, symbols));
    }

    @Override
    public List<Item> items() {
        return expansion.items();
    }

    @Override
    public List<Finding> findings(TypeIndex types, Supplier<@Nullable SymbolSearch> symbols) {
        Expansion.Answers answers = expansion.answerWithoutSuggestions(types, symbols);
        NameMap.Values values = answers.map().orElse(null);
        return values == null ? ofItems(answers) : ofNames(values);
    }

    private List<Finding> ofNames(NameMap.Values values) {
        Map<String, NameMap.Change> changes = reference == null
                ? Map.of()
                : reference.map().orElseThrow().changes(values).stream()
                        .filter(change -> !(change.before() instanceof MapValue.Missing))
                        .collect(Collectors.toMap(NameMap.Change::name, change -> change));
        return values.values().stream()
                .map(value -> ofName(value, changes.get(value.name())))
                .toList();
    }

    private static Finding ofName(NameMap.NamedValue value, NameMap.@Nullable Change change) {
        return switch (value.value()) {
            case MapValue.Missing missing ->
                new Finding(
                        value.name(),
                        null,
                        missing.status() == ItemStatus.AMBIGUOUS ? Finding.Status.AMBIGUOUS : Finding.Status.ABSENT,
                        Objects.requireNonNullElse(
                                missing.detail(),
                                missing.item().text() + " is "
                                        + missing.status().word()));
            case MapValue.Known _, MapValue.Plan _ ->
                change != null && change.before() != null
                        ? new Finding(
                                value.name(),
                                null,
                                Finding.Status.DIFFERS,
                                change.before().text() + " -> " + value.value().text())
                        : new Finding(value.name(), null, Finding.Status.RESOLVED, null);
        };
    }

    private List<Finding> ofItems(Expansion.Answers answers) {
        Map<String, ItemAnswer> others = new HashMap<>();
        if (reference != null) {
            reference.items().forEach(answer -> others.put(answer.item().text(), answer));
        }
        List<Finding> findings = new ArrayList<>();
        for (ItemAnswer answer : answers.items()) {
            if (answer.outcome() instanceof ItemOutcome.SetFound set) {
                set.coverage().missing().forEach(missing -> findings.add(ofMissing(missing)));
            } else if (answer.status() == ItemStatus.FOUND) {
                findings.add(ofItem(answer, others.get(answer.item().text())));
            } else if (expansion.sent().contains(answer.item())) {
                findings.add(ofMiss(answer.item().text(), answer.status(), Finding.Status.ABSENT));
            }
        }
        return findings;
    }

    private static Finding ofMissing(Coverage.MissingEntry missing) {
        Finding.Status status = missing.need() == Need.REQUIRED ? Finding.Status.ABSENT : Finding.Status.ABSENT_GUARDED;
        return switch (missing) {
            case Coverage.MissingEntry.MissingSingle one ->
                ofMiss(one.item().text(), one.item().status(), status);
            case Coverage.MissingEntry.MissingGroup group ->
                new Finding(group.name(), null, status, "no alternative is complete");
        };
    }

    /** @param absent the status, unless several definitions have the name */
    private static Finding ofMiss(String item, ItemStatus status, Finding.Status absent) {
        return new Finding(
                item, null, status == ItemStatus.AMBIGUOUS ? Finding.Status.AMBIGUOUS : absent, status.word());
    }

    private static Finding ofItem(ItemAnswer answer, @Nullable ItemAnswer other) {
        String here = place(answer);
        String there = other == null || other.status() != ItemStatus.FOUND ? null : place(other);
        return there == null || there.equals(here)
                ? new Finding(answer.item().text(), null, Finding.Status.RESOLVED, null)
                : new Finding(answer.item().text(), null, Finding.Status.DIFFERS, there + " -> " + here);
    }

    /** Returns the steps from a variable; a thread-local one has another place in the block of each build. */
    private static String ofVariable(ItemOutcome.VariableFound found) {
        if (found.isThreadLocal()) {
            return "";
        }
        return switch (found.part()) {
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                MapValue.Plan.of(found.variable().qualifiedName(), plan).text();
            case ItemOutcome.PathFound path ->
                MapValue.Plan.of(found.variable().qualifiedName(), new ReadPlan(List.of(), path.placement()))
                        .text();
            default -> "";
        };
    }

    /** Returns the numbers of an answer that a consumer compiles in; empty for addresses, which differ between builds. */
    private static String place(ItemAnswer answer) {
        return switch (answer.outcome()) {
            case ItemOutcome.PathFound path ->
                path.placement().isBitField()
                        ? "bit " + path.placement().bitOffset() + ", "
                                + path.placement().bitSize() + " bits"
                        : "offset " + path.placement().offset() + ", "
                                + path.placement().size() + " bytes";
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                MapValue.Plan.of(null, plan).text();
            case ItemOutcome.VariableFound found -> ofVariable(found);
            case ItemOutcome.TypeFound type -> type.definition().shape().byteSize() + " bytes";
            case ItemOutcome.EnumeratorFound enumerator ->
                "value " + enumerator.found().enumerator().value();
            default -> "";
        };
    }
}
