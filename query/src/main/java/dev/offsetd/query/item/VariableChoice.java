package dev.offsetd.query.item;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.PartialName;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which variables of a build answer a name. These rules apply in order, each only if it leaves something:
 *
 * <ol>
 *   <li>The name is the variable's, with all of its scopes or none, or its linkage name. If nothing has the name, suffixes
 *       that compilers append to local symbols ({@code buffer.0}, {@code buffer.lto_priv.1}) and symbol versions
 *       ({@code stdout@@GLIBC_2.2.5}) are removed.
 *   <li>Definitions before declarations; of these, complete types before incomplete ones and arrays with a count before
 *       those without.
 *   <li>A bare name that a variable at file scope has is that variable's.
 *   <li>Variables local to a function come last.
 *   <li>C and C++ come before other languages.
 * </ol>
 */
public final class VariableChoice {

    /**
     * Suffixes that compilers append to symbols, and versions that tools show. Possessive, because any other group
     * recurses.
     */
    private static final Pattern SUFFIXED = Pattern.compile(
            "([A-Za-z_][A-Za-z_0-9]*)(?:\\.(?:[0-9]+|lto_priv|llvm|localalias|constprop|part|isra|cold))*"
                    + "(?:@@?[A-Za-z_0-9.]+)?");

    private VariableChoice() {}

    /** Returns the variables that answer a name; none if the build has none of it. */
    public static List<Variable> named(String name, TypeIndex index, Language.@Nullable Family language) {
        List<Variable> found = exactly(name, index, language);
        if (found.isEmpty()) {
            found = stem(name).map(stem -> exactly(stem, index, language)).orElse(found);
        }
        return found.isEmpty() ? dotted(name, index, language) : found;
    }

    /** Returns the variables of a name with dots between its scopes, as D has them: {@code pkg.i.counter}. */
    private static List<Variable> dotted(String name, TypeIndex index, Language.@Nullable Family language) {
        String wanted = TypeNames.normalize(name).replace("::", ".");
        String simple = wanted.substring(wanted.lastIndexOf('.') + 1);
        return simple.isEmpty() || simple.length() == wanted.length()
                ? List.of()
                : index.variablesNamed(simple).stream()
                        .filter(variable -> variable.language().family() == Language.Family.OTHER
                                && (language == null || language == Language.Family.OTHER)
                                && variable.function() == null
                                && variable.qualifiedName().replace("::", ".").equals(wanted))
                        .toList();
    }

    /** Returns the variables of a partial name, see {@link PartialName}; none if it may stand for several names. */
    public static List<Variable> partly(String name, TypeIndex index, Language.@Nullable Family language) {
        PartialName partial = PartialName.of(name, index.inlineNamespaces()).orElse(null);
        if (partial == null) {
            return List.of();
        }
        List<Variable> found = index.variablesNamed(TypeNames.unqualified(TypeNames.normalize(name))).stream()
                .filter(variable -> language == null || variable.language().family() == language)
                .filter(variable -> partial.matches(
                        variable.qualifiedName(), variable.language().family()))
                .toList();
        return found.stream().map(Variable::qualifiedName).distinct().count() == 1
                ? exactly(found.getFirst().qualifiedName(), index, language)
                : List.of();
    }

    /** Returns the name without the suffixes of compilers; empty if it has none. */
    public static Optional<String> stem(String name) {
        Matcher matcher = SUFFIXED.matcher(name);
        return matcher.matches() && matcher.end(1) < name.length() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private static List<Variable> exactly(String name, TypeIndex index, Language.@Nullable Family language) {
        String wanted = TypeNames.normalize(name);
        String simple = TypeNames.unqualified(wanted);
        List<Variable> found = new ArrayList<>(index.variablesNamed(simple));
        if (!simple.equals(wanted)) {
            found.removeIf(variable -> !isGlobally(wanted, TypeNames.normalize(variable.qualifiedName())));
            found.addAll(index.variablesNamed(wanted));
        }
        found.removeIf(variable -> language != null && variable.language().family() != language);
        List<Variable> ranked = DefinitionChoice.keepIfAny(found, variable -> !variable.declaration());
        ranked =
                DefinitionChoice.keepIfAny(ranked, variable -> !(variable.type().peeled() instanceof IncompleteShape));
        ranked = DefinitionChoice.keepIfAny(ranked, variable -> !isOpen(variable));
        if (simple.equals(wanted)) {
            ranked = DefinitionChoice.keepIfAny(ranked, VariableChoice::isAtFileScope);
        }
        ranked = DefinitionChoice.keepIfAny(ranked, variable -> variable.function() == null);
        return DefinitionChoice.keepIfAny(
                ranked, variable -> variable.language().family().ranksFirst());
    }

    private static boolean isAtFileScope(Variable variable) {
        return variable.function() == null && variable.qualifiedName().equals(variable.name());
    }

    private static boolean isGlobally(String wanted, String qualifiedName) {
        return wanted.equals(qualifiedName) || wanted.equals("::" + qualifiedName);
    }

    private static boolean isOpen(Variable variable) {
        return variable.declaration()
                && variable.type().peeled() instanceof ArrayShape array
                && array.counts().contains(ArrayShape.FLEXIBLE);
    }
}
