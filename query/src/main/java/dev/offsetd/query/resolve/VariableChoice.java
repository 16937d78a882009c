package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which variables of a build answer a name. In this order, each rule where it leaves something:
 *
 * <ol>
 *   <li>The name is the variable's, with all of its scopes or with none, or the one that the linker sees. What compilers
 *       append to tell local symbols apart ({@code buffer.0}, {@code buffer.lto_priv.1}) is taken off if nothing has it, and
 *       so is the version of a symbol ({@code stdout@@GLIBC_2.2.5}).
 *   <li>Definitions before declarations; of these, complete types before incomplete ones and arrays with a count before
 *       those without.
 *   <li>Variables that a function hides come last.
 *   <li>C and C++ come before other languages.
 * </ol>
 */
final class VariableChoice {

    /** What compilers append to symbols, and the version that tools show behind them. Possessive, as any other group takes the stack. */
    private static final Pattern SUFFIXED = Pattern.compile(
            "([A-Za-z_][A-Za-z_0-9]*)(?:\\.(?:[0-9]+|lto_priv|llvm|localalias|constprop|part|isra|cold))*+"
                    + "(?:@@?[A-Za-z_0-9.]+)?");

    private VariableChoice() {}

    static List<Variable> named(String name, TypeIndex index, Optional<Language.Family> language) {
        List<Variable> found = exactly(name, index, language);
        String stem = stem(name);
        return found.isEmpty() && stem != null ? exactly(stem, index, language) : found;
    }

    /** The name without what compilers append to symbols, or null if nothing is appended. */
    static @Nullable String stem(String name) {
        Matcher matcher = SUFFIXED.matcher(name);
        return matcher.matches() && matcher.end(1) < name.length() ? matcher.group(1) : null;
    }

    private static List<Variable> exactly(String name, TypeIndex index, Optional<Language.Family> language) {
        String wanted = TypeNames.normalize(name);
        String simple = TypeNames.unqualified(wanted);
        List<Variable> found = new ArrayList<>(index.variablesNamed(simple));
        if (!simple.equals(wanted)) {
            found.removeIf(variable -> !isGlobally(wanted, TypeNames.normalize(variable.qualifiedName())));
            found.addAll(index.variablesNamed(wanted));
        }
        found.removeIf(variable -> language.isPresent() && variable.language().family() != language.get());
        List<Variable> ranked = keepIfAny(found, variable -> !variable.declaration());
        ranked = keepIfAny(ranked, variable -> !(variable.type().peeled() instanceof IncompleteShape));
        ranked = keepIfAny(ranked, variable -> !isOpen(variable));
        ranked = keepIfAny(ranked, variable -> variable.function() == null);
        return keepIfAny(ranked, variable -> variable.language().family().ranksFirst());
    }

    private static boolean isGlobally(String wanted, String qualifiedName) {
        return wanted.equals(qualifiedName) || wanted.equals("::" + qualifiedName);
    }

    private static boolean isOpen(Variable variable) {
        return variable.declaration()
                && variable.type().peeled() instanceof ArrayShape array
                && array.counts().contains(ArrayShape.FLEXIBLE);
    }

    private static List<Variable> keepIfAny(List<Variable> all, Predicate<Variable> condition) {
        List<Variable> kept = all.stream().filter(condition).toList();
        return kept.isEmpty() ? all : kept;
    }
}
