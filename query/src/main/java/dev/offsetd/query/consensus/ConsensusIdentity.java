package dev.offsetd.query.consensus;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.typeset.TypeSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of an identity that decides whose layouts a program shares. An unknown component equals nothing, not even
 * another unknown one.
 *
 * @param project null if unknown
 * @param version null if unknown
 * @param architecture null if unknown
 * @param tokens the state of each variant token that is known: {@link VariantToken#PRESENT}, {@link VariantToken#ABSENT}, or
 *     the size of a symbol
 * @param distribution null if unknown; programs of all distributions are compared
 */
public record ConsensusIdentity(
        @Nullable String project,
        @Nullable String version,
        @Nullable Architecture architecture,
        Map<String, String> tokens,
        @Nullable String distribution) {

    public ConsensusIdentity {
        tokens = Map.copyOf(tokens);
    }

    /**
     * Returns what a program itself states: names of its package, folder or file do not count.
     *
     * @param set the type set whose probes and variant tokens were looked for
     * @return empty if no probe of the set found a version
     */
    public static Optional<ConsensusIdentity> of(Identity identity, Architecture architecture, TypeSet set) {
        for (VersionProbe probe : set.probes()) {
            Optional<String> version = identity.fields().stream()
                    .filter(field -> field.kind() == Kind.VERSION
                            && !field.derived()
                            && field.source().equals(probe.source()))
                    .map(IdentityField::value)
                    .findFirst();
            if (version.isPresent() && identity.all(Kind.PROJECT).contains(probe.project())) {
                return Optional.of(new ConsensusIdentity(
                        probe.project(),
                        version.get(),
                        architecture,
                        tokens(identity, set),
                        identity.first(Kind.DISTRIBUTION).orElse(null)));
            }
        }
        return Optional.empty();
    }

    private static Map<String, String> tokens(Identity identity, TypeSet set) {
        List<String> stated = identity.all(Kind.VARIANT);
        Map<String, String> tokens = new HashMap<>();
        for (VariantToken token : set.variants()) {
            String prefix = VariantToken.prefix(set.name(), token.name());
            Set<String> states = new HashSet<>();
            stated.stream()
                    .filter(value -> value.startsWith(prefix))
                    .forEach(value -> states.add(value.substring(prefix.length())));
            if (states.size() == 1) {
                tokens.put(token.name(), states.iterator().next());
            }
        }
        return tokens;
    }
}
