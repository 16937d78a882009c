package dev.offsetd.query.typeset;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.typeset.SetBuild.BuildFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;

/**
 * A build of a runtime whose layouts are known from its debug information, and whose identity from its stripped file.
 *
 * @param name project, version, architecture and options
 * @param set the type set
 * @param key of the file: two suites often have the same one
 * @param identity as the stripped file states it
 * @param answers to the items of the set that have no address, by item
 */
record ConsensusBuild(
        String name, TypeSet set, String key, ConsensusIdentity identity, Map<String, ItemAnswer> answers) {

    private static final BuiltInTypeSets SETS = new BuiltInTypeSets();

    private static final ReadOptions OPTIONS =
            new ReadOptions(Limits.DEFAULT, 1).followingAnyPath().withProbes(TypeSet.probes(SETS.all()));

    /** Gets the files of a build. */
    @FunctionalInterface
    interface Source {
        Found find() throws IOException, ExtractionException;
    }

    /**
     * The files of a build.
     *
     * @param program of which only the sections count that a stripped program has
     * @param types the files with the debug information
     */
    record Found(Path program, BuildFiles types) {}

    /**
     * Reads a build.
     *
     * @param label of its options, or empty
     */
    static ConsensusBuild read(String set, String label, Found found) throws IOException, ExtractionException {
        TypeSet typeSet = SETS.find(set).orElseThrow();
        ElfFacts elf = DebugInfo.read(found.program, OPTIONS, DebugInfo::facts);
        ConsensusIdentity identity = ConsensusIdentity.of(identity(found.program), elf.architecture(), typeSet)
                .orElseThrow(() -> new IOException("no probe of @" + set + " finds a version in " + found.program));
        Map<String, ItemAnswer> answers = new LinkedHashMap<>();
        SetCheck.of(set, found.types).answers().forEach((text, answer) -> {
            if (answer.item().alternatives().stream().noneMatch(ConsensusBuild::hasNoLayout)) {
                answers.put(text, answer);
            }
        });
        return new ConsensusBuild(
                String.join(" ", set, identity.version(), elf.architecture().machine(), label)
                        .strip(),
                typeSet,
                Objects.requireNonNullElse(elf.buildId(), found.program).toString(),
                identity,
                answers);
    }

    private static boolean hasNoLayout(Alternative alternative) {
        return switch (alternative) {
            case Alternative.SymbolGlob _, Alternative.ThreadLocalStorage _, Alternative.TypeSetName _ -> true;
            case Alternative.TypePath _, Alternative.EnumeratorName _ -> false;
        };
    }

    /** Returns what the program states, whatever distribution has made it. */
    private static Identity identity(Path program) throws IOException, ExtractionException {
        return new Identity(DebugInfo.read(program, OPTIONS, DebugInfo::identity).fields().stream()
                .filter(field -> field.kind() != IdentityField.Kind.DISTRIBUTION)
                .toList());
    }

    /** Returns a program and its separate debug file, which has its build-id. */
    static Found separate(String suite, String architecture, String programs, String pattern, String debug)
            throws IOException, ExtractionException {
        return separate(
                CompiledRuntimes.unpacked(suite, programs, architecture),
                pattern,
                CompiledRuntimes.unpacked(suite, debug, architecture));
    }

    /**
     * Returns a program and its separate debug file.
     *
     * @param programs folder of the package with the program
     * @param folder of the package with the debug file
     */
    static Found separate(Path programs, String pattern, Path folder) throws IOException, ExtractionException {
        Path program = CompiledRuntimes.find(programs, pattern);
        String id = DebugInfo.read(program, OPTIONS, DebugInfo::buildId)
                .orElseThrow(() -> new IOException("no build-id in " + program))
                .toString();
        Path types = CompiledRuntimes.find(
                folder, ".*/\\.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + "\\.debug");
        Optional<SupplementaryLink> link = DebugInfo.read(types, OPTIONS, DebugInfo::supplementaryLink);
        Optional<Path> supplementary = Optional.empty();
        if (link.isPresent()) {
            String name = String.valueOf(Path.of(link.get().name()).getFileName());
            supplementary = Optional.of(CompiledRuntimes.find(folder, ".*/\\.dwz/.*/" + Pattern.quote(name)));
        }
        return new Found(program, new BuildFiles(DebianPackages.versions(folder), types, types, supplementary));
    }

    /** Returns a program that is not stripped. */
    static Found whole(String suite, String architecture, String packageName, String pattern) throws IOException {
        Path folder = CompiledRuntimes.unpacked(suite, packageName, architecture);
        Path program = CompiledRuntimes.find(folder, pattern);
        return new Found(program, new BuildFiles(DebianPackages.versions(folder), program));
    }

    /** Returns the tokens of the identity in the order of the set, for people. */
    String tokens() {
        List<String> states = new ArrayList<>();
        set.variants()
                .forEach(token ->
                        states.add(token.name() + "=" + identity.tokens().getOrDefault(token.name(), "unknown")));
        return String.join(" ", states);
    }

    /** Returns the items that have different answers in another build. */
    List<String> differences(ConsensusBuild other, BiPredicate<ItemAnswer, ItemAnswer> equal) {
        return answers.keySet().stream()
                .filter(item -> {
                    ItemAnswer theirs = other.answers.get(item);
                    return theirs == null || !equal.test(answers.get(item), theirs);
                })
                .toList();
    }
}
