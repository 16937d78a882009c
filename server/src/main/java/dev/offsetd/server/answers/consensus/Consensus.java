package dev.offsetd.server.answers.consensus;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.consensus.Peers;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.ItemResolution.ResolvedItems;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.identity.ComparableBuilds.ComparableBuild;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.storage.Catalogues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Resolves items of builds without debug information in the types of their peers. */
@Component
public class Consensus {

    private static final Logger log = LoggerFactory.getLogger(Consensus.class);

    private final PeerSearch search;
    private final Catalogues catalogues;
    private final ItemResolution items;

    Consensus(PeerSearch search, Catalogues catalogues, ItemResolution items) {
        this.search = search;
        this.catalogues = catalogues;
        this.items = items;
    }

    /** Peers of a build, or the reason why it has none. */
    public sealed interface Result permits OpenedPeers, NoConsensus {}

    /** Peers of a build with their types. */
    public record OpenedPeers(PeerSelection selection, Map<ComparableBuild, StoredCatalogue> types) implements Result {}

    /**
     * Finds the peers of a build.
     *
     * @param expansion items to resolve
     * @param claim what a client states of the build; null if it states nothing
     */
    public Result find(Build build, Expansion expansion, @Nullable Fallback claim) {
        Set<String> sets = expansion.sent().stream()
                .flatMap(item -> item.setName().stream())
                .collect(Collectors.toSet());
        return switch (search.find(build.id(), sets, claim)) {
            case NoConsensus none -> none;
            case PeerSelection selection -> open(selection);
        };
    }

    /** Opens the types of all peers. Selects again without those whose types are unreadable. */
    private Result open(PeerSelection first) {
        PeerSelection selection = first;
        while (selection.refusal() == null) {
            Map<ComparableBuild, StoredCatalogue> types = new LinkedHashMap<>();
            List<ComparableBuild> unusable = new ArrayList<>();
            for (Peers.Peer<ComparableBuild> peer : selection.peers().builds()) {
                open(peer.build())
                        .ifPresentOrElse(opened -> types.put(peer.build(), opened), () -> unusable.add(peer.build()));
            }
            if (unusable.isEmpty()) {
                return new OpenedPeers(selection, types);
            }
            selection = selection.without(unusable);
        }
        return NoConsensus.of(selection);
    }

    /** Returns the types of a build; empty if they are unreadable, or only those that the program itself describes. */
    private Optional<StoredCatalogue> open(ComparableBuild build) {
        try {
            return Optional.of(catalogues.open(build.id(), build.generation())).filter(types -> !types.isFromProgram());
        } catch (CorruptBlobException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the peers of a build answer for it. Some of the items may be ambiguous. */
    public boolean answers(Build build, Expansion expansion) {
        if (!(find(build, expansion, null) instanceof OpenedPeers peers)) {
            return false;
        }
        try {
            var _ = reading(peers, expansion, () -> resolve(build, peers, expansion, null));
            return true;
        } catch (CorruptBlobException e) {
            var _ = unreadable(build, e);
            return false;
        }
    }

    /** Returns why peers whose types turn out to be damaged do not answer. */
    public NoConsensus unreadable(Build build, CorruptBlobException e) {
        log.warn("build {}: a build that answers for it cannot be read: {}", build.id(), e.getMessage());
        return NoConsensus.unreadable();
    }

    /** Runs work on items of peers when there is heap for it. */
    public <T> T reading(OpenedPeers peers, Expansion expansion, Supplier<T> work) {
        return catalogues.comparing(peers.types().values(), expansion.alternatives(), work);
    }

    /**
     * Resolves items in the types of peers. Runs in {@link #reading}. Nothing may be cached: another build or pin may change the
     * result at any time.
     *
     * @param language that types must be of; null for any
     */
    public ConsensusItems resolve(
            Build build, OpenedPeers opened, Expansion expansion, Language.@Nullable Family language) {
        BuildPins inEffect = items.pinsInEffect(build);
        Peers<PinnedTypes> peers = pinned(opened, inEffect);
        PinnedTypes first = peers.builds().getFirst().build();
        SymbolSearch symbols = items.symbols(build);
        IdentityHashMap<PinnedTypes, ItemResolver> resolvers = new IdentityHashMap<>();
        for (Peers.Peer<PinnedTypes> peer : peers.builds()) {
            BuildContents contents = new BuildContents(peer.build().index().orElse(null), null);
            resolvers.put(peer.build(), new ItemResolver(contents, language));
        }
        Map<String, ConsensusAnswer> answers = new HashMap<>();
        Expansion.Answers all = expansion.answer(new BuildContents(first.index().orElse(null), symbols), item -> {
            if (symbols != null && isSymbol(item)) {
                return ItemResolver.resolve(item, new BuildContents(null, symbols), language);
            }
            ConsensusAnswer answer = ConsensusAnswer.of(
                    item,
                    peers,
                    peer -> Objects.requireNonNull(resolvers.get(peer)).resolve(item));
            answers.put(item.text(), answer);
            return answer.answer();
        });
        ConsensusAnswer.Agreement agreement =
                ConsensusItems.agreement(List.copyOf(answers.values()), opened.selection());
        for (ItemAnswer answer : all.items()) {
            if (answer.outcome() instanceof ItemOutcome.SetFound) {
                answers.put(answer.item().text(), new ConsensusAnswer(answer, agreement, List.of()));
            }
        }
        return new ConsensusItems(
                new ResolvedItems(all, first, inEffect),
                answers,
                agreement,
                opened.selection(),
                build.symbolsFile().orElse(null));
    }

    /** Returns the types of each peer with the pins of the build, which apply as they would to its types. */
    private static Peers<PinnedTypes> pinned(OpenedPeers opened, BuildPins inEffect) {
        Peers<ComparableBuild> peers = opened.selection().peers();
        return new Peers<>(
                peers.builds().stream()
                        .map(peer -> new Peers.Peer<>(
                                peer.identity(),
                                peer.provider(),
                                inEffect.over(Objects.requireNonNull(
                                                opened.types().get(peer.build())))
                                        .sharingLayouts()))
                        .toList(),
                peers.below(),
                peers.above(),
                null,
                List.of());
    }

    private static boolean isSymbol(Item item) {
        return item.alternatives().stream()
                .allMatch(alternative -> alternative instanceof Alternative.SymbolGlob
                        || alternative instanceof Alternative.ThreadLocalStorage);
    }
}
