package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinOverlay;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.admin.SeeOther;
import dev.offsetd.server.admin.builds.MemberLines.MemberLine;
import dev.offsetd.server.admin.map.LayoutStatistics;
import dev.offsetd.server.admin.map.MemoryMap;
import dev.offsetd.server.admin.map.Piece;
import dev.offsetd.server.admin.map.Pieces;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.Pins;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** The page of one type: its memory map and a table of its members. */
@Controller
class TypePages {

    private static final int MAX_ENUMERATORS = 2_000;

    /** Types above this size are drawn in rows of 16 bytes where the window is wide enough. */
    private static final int NARROW_BYTES = 256;

    private final Builds builds;
    private final BuildTypes types;
    private final Pins pins;
    private final BuildTitles titles;
    private final BuildKeys keys;

    TypePages(Builds builds, BuildTypes types, Pins pins, BuildTitles titles, BuildKeys keys) {
        this.builds = builds;
        this.types = types;
        this.pins = pins;
        this.titles = titles;
        this.keys = keys;
    }

    /**
     * Content of the page.
     *
     * @param item the type as an item of a query
     * @param missing why no type is shown; null if one is
     * @param several null if the definitions of this name agree
     * @param facts null if no type is shown
     * @param pin the pin of its size; null if there is none
     * @param revisions revisions of the active pins, by their ids
     * @param layout null unless a struct, union or class is shown
     * @param enumerators null unless an enumeration is shown
     */
    record TypePage(
            TypeView view,
            Item item,
            @Nullable String missing,
            @Nullable Several several,
            @Nullable Facts facts,
            @Nullable SizePin pin,
            Map<String, Integer> revisions,
            @Nullable Layout layout,
            @Nullable Enumerators enumerators,
            List<TypeCopies.CopyText> copies,
            List<TypeCopies.CopyText> commands) {

        /** Returns the path of the form that pins the type, or edits its pin. */
        public String pinPath() {
            return pin == null ? PagePath.ofNewPin(view.id(), item.text()).toString() : PagePath.ofEdit(pin.pin());
        }
    }

    /**
     * Definitions of one name that differ.
     *
     * @param first those of them that are listed
     * @param chosen number of the definition that is shown, from 1; 0 if none is
     */
    record Several(List<Facts> first, int total, int chosen) {}

    /**
     * Facts about a type. They leave its members out: a page is rendered when it has given back the heap of what it read.
     *
     * @param kind what the name names, or stands for
     * @param place of its DIE
     * @param also other definitions that rank lower
     */
    record Facts(
            String kind,
            String spelling,
            long byteSize,
            String unit,
            String language,
            String place,
            @Nullable String function,
            List<Facts> also) {

        static Facts of(ItemOutcome.TypeFound found) {
            String kind = found.kind().word();
            return of(
                    found.viaTypedef() ? "typedef of a " + kind : kind,
                    found.definition(),
                    found.alsoMatches().stream()
                            .map(other -> of(other.kind().word(), other, List.of()))
                            .toList());
        }

        static Facts of(String kind, Definition definition, List<Facts> also) {
            return new Facts(
                    kind,
                    definition.shape().spelling(),
                    definition.shape().byteSize(),
                    definition.unit(),
                    definition.language().name(),
                    definition.section() + Format.offset(definition.dieOffset()),
                    definition.function(),
                    also);
        }
    }

    /** The pin of the size of a type, with the extracted size. */
    record SizePin(String pin, long extracted) {}

    /**
     * Memory map and members.
     *
     * @param maps the map, or that for wide and that for narrow windows
     * @param members lines of the table by path
     * @param capped number of omitted lines
     * @param choices links to other views, by their label
     */
    record Layout(
            List<MemoryMap> maps,
            LayoutStatistics figures,
            List<MemberLine> lines,
            Map<String, MemberLine> members,
            int capped,
            Map<String, List<Choice>> choices) {}

    /**
     * Enumerators of a type.
     *
     * @param omitted number of those that are not shown
     */
    record Enumerators(List<Enumerator> first, int omitted) {

        static Enumerators of(EnumShape type) {
            List<Enumerator> all = type.enumerators();
            return new Enumerators(
                    List.copyOf(all.subList(0, Math.min(all.size(), MAX_ENUMERATORS))),
                    Math.max(0, all.size() - MAX_ENUMERATORS));
        }
    }

    /** A link to another view of the type. */
    record Choice(String title, boolean chosen, String path) {

        Choice(String title, boolean chosen, TypeView view) {
            this(title, chosen, view.path());
        }
    }

    @GetMapping(PagePath.BUILDS + "/{buildId}/types")
    String type(
            @PathVariable String buildId,
            @RequestParam(defaultValue = "") String name,
            HttpServletRequest request,
            Model model) {
        BuildId id = keys.resolve(buildId);
        if (name.isBlank()) {
            return SeeOther.to(request, PagePath.ofBuild(id).toString());
        }
        TypeView view = TypeView.of(id, name, request);
        Build build = builds.find(id).orElse(null);
        List<Pin> active = pins.activeOf(id);
        PinOverlay overlay = BuildPins.overlayById(active);
        model.addAttribute(
                "page",
                Optional.ofNullable(build)
                        .flatMap(known -> types.read(
                                known, 1, stored -> page(view, known, active, overlay.over(stored), request)))
                        .orElseGet(() -> page(view, build, active, overlay.over(null), request)));
        titles.addTo(model, Stream.of(id));
        return "admin/builds/type";
    }

    private TypePage page(
            TypeView view, @Nullable Build build, List<Pin> active, PinnedTypes pinned, HttpServletRequest request) {
        Item item = Item.ofType(view.name());
        ItemOutcome shown = ItemResolver.resolve(
                        item, new BuildContents(pinned.index().orElse(null), null), view.language())
                .outcome();
        ItemOutcome.Ambiguous several = shown instanceof ItemOutcome.Ambiguous ambiguous ? ambiguous : null;
        int chosen = several != null && view.variant() <= several.variants().size() ? view.variant() : 0;
        if (several != null && chosen > 0) {
            shown = several.variants().get(chosen - 1).outcome();
        }
        boolean mayPin = Caller.of(request).scopes().contains(Scope.ADMIN);
        ItemOutcome.TypeFound found = shown instanceof ItemOutcome.TypeFound type ? type : null;
        return new TypePage(
                view,
                item,
                found == null && several == null ? missing(shown, build) : null,
                several == null ? null : several(several, chosen),
                found == null ? null : Facts.of(found),
                definitions(found, several)
                        .flatMap(definition -> Stream.ofNullable(pinned.of(definition)))
                        .map(TypePages::sizePin)
                        .findFirst()
                        .orElse(null),
                active.stream().collect(Collectors.toMap(pin -> pin.id().toString(), Pin::revision)),
                found != null && found.definition().shape().peeled() instanceof AggregateShape shape
                        ? layout(shape, view, mayPin ? item.text() : null, order(build), pinned)
                        : null,
                found != null && found.definition().shape().peeled() instanceof EnumShape enumeration
                        ? Enumerators.of(enumeration)
                        : null,
                found == null ? List.of() : TypeCopies.of(item, found, pinned),
                TypeCopies.commands(view, item, request));
    }

    private static Several several(ItemOutcome.Ambiguous definitions, int chosen) {
        return new Several(
                definitions.variants().stream()
                        .map(variant -> Facts.of(variant.definition().kind().word(), variant.definition(), List.of()))
                        .toList(),
                definitions.total(),
                chosen);
    }

    private static ByteOrder order(@Nullable Build build) {
        return Optional.ofNullable(build)
                .flatMap(Build::symbolsFile)
                .map(file -> file.architecture().byteOrder())
                .orElse(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the definition that is shown, or all of this name if none is. A pin of the size applies to each of them. */
    private static Stream<Definition> definitions(
            ItemOutcome.@Nullable TypeFound found, ItemOutcome.@Nullable Ambiguous several) {
        if (found != null) {
            return Stream.of(found.definition());
        }
        return several == null
                ? Stream.empty()
                : several.variants().stream().map(ItemOutcome.DifferingAnswer::definition);
    }

    private static SizePin sizePin(Provenance pinned) {
        return new SizePin(
                pinned.pin().source(),
                pinned.extracted() instanceof AppliedPin.Extent.OfType(long bytes) ? bytes : TypeShape.UNKNOWN_SIZE);
    }

    private static String missing(ItemOutcome outcome, @Nullable Build build) {
        if (outcome instanceof ItemOutcome.Missed missed) {
            String detail = missed.detail();
            return switch (missed.status()) {
                case TYPE_NOT_FOUND -> "No type of this name in the debug information.";
                case NOT_IN_BINARY -> "Not among the types that the program describes for its own use.";
                case DECLARATION_ONLY -> detail == null ? "This build only declares the type." : sentence(detail);
                case NO_DEBUGINFO ->
                    build != null && BuildListPages.isChanging(build)
                            ? "The build is not extracted yet."
                            : "No debug information for this build.";
                default -> detail == null ? "The type cannot be shown." : sentence(detail);
            };
        }
        return "Not the name of a type.";
    }

    private static String sentence(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1) + '.';
    }

    private Layout layout(
            AggregateShape shape, TypeView view, @Nullable String item, ByteOrder order, PinnedTypes pinned) {
        List<Piece> pieces = Pieces.of(shape, view.unfold(), pinned);
        long size = Math.max(0, shape.byteSize());
        int rowBytes = view.row() != 0 ? view.row() : size > NARROW_BYTES ? 16 : 8;
        MemberLines lines = new MemberLines(view, item, order);
        lines.add(pieces, 0);
        lines.addComputed(shape);
        return new Layout(
                (view.row() == 0 && rowBytes == 16 ? IntStream.of(16, 8) : IntStream.of(rowBytes))
                        .mapToObj(bytes -> MemoryMap.of(pieces, size, bytes, view.from(), order))
                        .toList(),
                LayoutStatistics.of(pieces, size),
                lines.shown(),
                lines.byPath(),
                lines.omitted(),
                Map.of(
                        "row8",
                        rows(view, 8),
                        "row16",
                        rows(view, 16),
                        "lines",
                        List.of(
                                new Choice("shown", view.cacheLines(), view.withCacheLines(true)),
                                new Choice("hidden", !view.cacheLines(), view.withCacheLines(false))),
                        "sort",
                        Arrays.stream(MemberOrder.values())
                                .map(sort -> new Choice(sort.word(), sort == view.sort(), view.sortedBy(sort)))
                                .toList()));
    }

    private static List<Choice> rows(TypeView view, int chosen) {
        return IntStream.of(8, 16)
                .mapToObj(bytes -> new Choice(bytes + " bytes", bytes == chosen, view.withRow(bytes)))
                .toList();
    }
}
