package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
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
import dev.offsetd.server.admin.format.Format;
import dev.offsetd.server.admin.map.Drawing;
import dev.offsetd.server.admin.map.LayoutStatistics;
import dev.offsetd.server.admin.map.Piece;
import dev.offsetd.server.admin.map.Pieces;
import dev.offsetd.server.admin.shell.BuildTitles;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.pins.Pins;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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
        model.addAttribute("page", page(TypeView.of(id, name, request), request));
        titles.addTo(model, Stream.of(id));
        return "admin/builds/type";
    }

    private TypePage page(TypeView view, HttpServletRequest request) {
        Item item = Item.ofType(view.name());
        Optional<Build> build = builds.find(view.id());
        PinOverlay active = pins.overlayOf(view.id());
        return build.flatMap(
                        known -> types.read(known, 1, stored -> page(view, item, build, active.over(stored), request)))
                .orElseGet(() -> page(view, item, build, active.over(null), request));
    }

    private TypePage page(
            TypeView view, Item item, Optional<Build> build, PinnedTypes pinned, HttpServletRequest request) {
        ItemOutcome outcome = ItemResolver.resolve(
                        item,
                        new BuildContents(pinned.index().orElse(null), null),
                        view.language().orElse(null))
                .outcome();
        List<TypePage.DefinitionLink> variants = List.of();
        int total = 0;
        int chosen = 0;
        ItemOutcome shown = outcome;
        if (outcome instanceof ItemOutcome.Ambiguous ambiguous) {
            variants = variants(ambiguous, view);
            total = ambiguous.total();
            chosen = view.variant() <= variants.size() ? view.variant() : 0;
            shown = chosen == 0 ? outcome : ambiguous.variants().get(chosen - 1).outcome();
        }
        boolean mayPin = Caller.of(request).scopes().contains(Scope.ADMIN);
        ByteOrder order = build.flatMap(known -> known.file().or(known::symbolsFile))
                .map(StoredFile::architecture)
                .map(architecture -> architecture.byteOrder())
                .orElse(ByteOrder.LITTLE_ENDIAN);
        ItemOutcome.TypeFound found = shown instanceof ItemOutcome.TypeFound type ? type : null;
        return new TypePage(
                view.id().toString(),
                PagePath.ofBuild(view.id()).toString(),
                view.name(),
                item.text(),
                found == null && variants.isEmpty() ? missing(shown, build) : null,
                variants,
                total,
                chosen,
                found == null ? null : facts(found, pinned),
                found == null ? null : layout(found, view, item, order, pinned, mayPin),
                found == null ? List.of() : enumerators(found),
                found == null ? List.of() : TypeCopies.of(item, found, pinned),
                TypeCopies.commands(view, item, request),
                mayPin,
                PagePath.ofNewPin(view.id(), item.text()).toString());
    }

    private static String missing(ItemOutcome outcome, Optional<Build> build) {
        if (outcome instanceof ItemOutcome.Missed missed) {
            String detail = missed.detail();
            return switch (missed.status()) {
                case TYPE_NOT_FOUND -> "No type of this name in the debug information.";
                case NOT_IN_BINARY -> "Not among the types that the program describes for its own use.";
                case DECLARATION_ONLY -> detail == null ? "This build only declares the type." : sentence(detail);
                case NO_DEBUGINFO ->
                    build.filter(known -> BuildListPages.isChanging(known)).isPresent()
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

    private static List<TypePage.DefinitionLink> variants(ItemOutcome.Ambiguous ambiguous, TypeView view) {
        List<TypePage.DefinitionLink> variants = new ArrayList<>();
        for (ItemOutcome.DifferingAnswer variant : ambiguous.variants()) {
            Definition definition = variant.definition();
            int number = variants.size() + 1;
            variants.add(new TypePage.DefinitionLink(
                    number,
                    view.ofVariant(number).path(),
                    definition.kind().word(),
                    size(definition.shape().byteSize()),
                    definition.unit(),
                    definition.language().name()));
        }
        return variants;
    }

    private TypePage.TypeFacts facts(ItemOutcome.TypeFound found, PinnedTypes pins) {
        Definition definition = found.definition();
        TypeShape shape = definition.shape();
        Provenance pinned = pins.of(definition);
        String function = definition.function();
        return new TypePage.TypeFacts(
                found.viaTypedef()
                        ? "typedef of a " + found.kind().word()
                        : found.kind().word(),
                definition.shape().spelling(),
                size(shape.byteSize()),
                definition.language().name(),
                definition.unit(),
                definition.section() + "+0x" + Long.toHexString(definition.dieOffset()),
                function == null ? "" : "local to " + function,
                found.alsoMatches().stream()
                        .map(other -> other.kind().word() + ", "
                                + sizeInWords(other.shape().byteSize()) + ", " + other.unit())
                        .toList(),
                pinned == null
                        ? null
                        : new TypePage.PinnedFact(
                                PagePath.PINS + "/" + pinned.pin().source(),
                                pinned.extracted() instanceof AppliedPin.Extent.OfType(long bytes)
                                        ? size(bytes)
                                        : "unknown"));
    }

    private static String size(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "unknown" : Format.count(bytes);
    }

    private static String sizeInWords(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "size unknown" : Format.count(bytes, "byte");
    }

    private static List<TypePage.EnumeratorLine> enumerators(ItemOutcome.TypeFound found) {
        return found.definition().shape().peeled() instanceof EnumShape enumeration
                ? enumeration.enumerators().stream()
                        .limit(MAX_ENUMERATORS)
                        .map(one -> new TypePage.EnumeratorLine(
                                one.name(), one.known() ? Long.toString(one.value()) : "more than 64 bits"))
                        .toList()
                : List.of();
    }

    private TypePage.@Nullable LayoutSection layout(
            ItemOutcome.TypeFound found, TypeView view, Item item, ByteOrder order, PinnedTypes pins, boolean mayPin) {
        if (!(found.definition().shape().peeled() instanceof AggregateShape shape)) {
            return null;
        }
        List<Piece> pieces = Pieces.of(shape, view.unfold(), pins);
        long size = Math.max(0, shape.byteSize());
        int rowBytes = view.row() != 0 ? view.row() : size > 256 ? 16 : 8;
        Drawing drawing = Drawing.of(pieces, size, rowBytes, view.from(), order, view.cacheLines());
        LayoutStatistics figures = LayoutStatistics.of(pieces, size);
        MemberLines lines = new MemberLines(
                path -> mayPin
                        ? PagePath.ofNewPin(view.id(), item.text() + "." + path).toString()
                        : null,
                path -> view.toggling(path).path(),
                order,
                view.sort());
        lines.add(pieces, 0);
        lines.addComputed(shape);
        return new TypePage.LayoutSection(
                drawing,
                lines.actions(),
                figures,
                String.format(Locale.ROOT, "%.1f", figures.paddingPercent()),
                lines.shown(),
                lines.omitted(),
                view.from() == 0 ? null : view.startingAt(0).path(),
                drawing.nextByte() < 0
                        ? null
                        : view.startingAt(drawing.nextByte()).path(),
                List.of(
                        choice("8 bytes", rowBytes == 8, view.withRow(8)),
                        choice("16 bytes", rowBytes == 16, view.withRow(16))),
                List.of(
                        choice("shown", view.cacheLines(), view.withCacheLines(true)),
                        choice("hidden", !view.cacheLines(), view.withCacheLines(false))),
                Arrays.stream(MemberOrder.values())
                        .map(sort -> choice(sort.word(), sort == view.sort(), view.sortedBy(sort)))
                        .toList(),
                order == ByteOrder.LITTLE_ENDIAN
                        ? "Little-endian: bits are drawn from the lowest to the highest."
                        : "Big-endian: bits are drawn from the highest to the lowest.");
    }

    private static TypePage.Choice choice(String title, boolean chosen, TypeView view) {
        return new TypePage.Choice(title, chosen, view.path());
    }
}
