package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Language;
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
import dev.offsetd.server.admin.map.Drawing;
import dev.offsetd.server.admin.map.LayoutStatistics;
import dev.offsetd.server.admin.map.Piece;
import dev.offsetd.server.admin.map.Pieces;
import dev.offsetd.server.admin.shell.BuildTitles;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.pins.Pins;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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

    /** Most expanded members; each is a parameter of the URL. */
    private static final int MAX_UNFOLDED = 60;

    private static final int MAX_ENUMERATORS = 2_000;

    private final Builds builds;
    private final BuildTypes types;
    private final Pins pins;
    private final BuildTitles titles;

    TypePages(Builds builds, BuildTypes types, Pins pins, BuildTitles titles) {
        this.builds = builds;
        this.types = types;
        this.pins = pins;
        this.titles = titles;
    }

    /**
     * Parameters of the page.
     *
     * @param variant number of the chosen variant, from 1; 0 if none is chosen
     * @param unfold paths of expanded members
     * @param row bytes of a row; 0 to choose by the size of the type
     * @param from first byte of the map
     */
    private record Parameters(
            BuildId id,
            String name,
            Optional<Language.Family> language,
            int variant,
            Set<String> unfold,
            int row,
            long from) {

        String path(Collection<String> unfolded, int rowBytes, long firstByte) {
            PagePath path = PagePath.ofType(id, name)
                    .with(
                            "lang",
                            language.map(family -> family.name().toLowerCase(Locale.ROOT))
                                    .orElse(null))
                    .with("variant", variant == 0 ? null : variant);
            unfolded.forEach(member -> path.with("unfold", member));
            return path.with("row", rowBytes == 0 ? null : rowBytes)
                    .with("from", firstByte == 0 ? null : firstByte)
                    .toString();
        }
    }

    @GetMapping(PagePath.BUILDS + "/{buildId}/types")
    String type(
            @PathVariable String buildId,
            @RequestParam(defaultValue = "") String name,
            @RequestParam(defaultValue = "") String lang,
            @RequestParam(defaultValue = "") String variant,
            @RequestParam(defaultValue = "") String row,
            @RequestParam(defaultValue = "") String from,
            HttpServletRequest request,
            Model model) {
        BuildId id = BuildIdText.parse(buildId);
        if (name.isBlank()) {
            return SeeOther.to(request, PagePath.ofBuild(id).toString());
        }
        // Spring would split a single value at its commas.
        String[] members = request.getParameterValues("unfold");
        Parameters parameters = new Parameters(
                id,
                name,
                language(lang),
                (int) number(variant, 100_000),
                members == null ? Set.of() : first(List.of(members)),
                row.equals("8") || row.equals("16") ? Integer.parseInt(row) : 0,
                number(from, Long.MAX_VALUE));
        model.addAttribute("page", page(parameters, request));
        titles.addTo(model, Stream.of(id));
        return "admin/builds/type";
    }

    private static Set<String> first(List<String> members) {
        return new LinkedHashSet<>(members.subList(0, Math.min(members.size(), MAX_UNFOLDED)));
    }

    private static Optional<Language.Family> language(String word) {
        for (Language.Family family : Language.Family.values()) {
            if (family.name().equalsIgnoreCase(word)) {
                return Optional.of(family);
            }
        }
        return Optional.empty();
    }

    /** Parses a number; 0 if it is invalid. */
    private static long number(String text, long most) {
        try {
            long number = Long.decode(text.strip());
            return number < 0 || number > most ? 0 : number;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private TypePage page(Parameters parameters, HttpServletRequest request) {
        Item item = Item.ofType(parameters.name());
        Optional<Build> build = builds.find(parameters.id());
        PinOverlay active = pins.overlayOf(parameters.id());
        return build.flatMap(known -> types.read(
                        known, 1, stored -> page(parameters, item, build, active.over(Optional.of(stored)), request)))
                .orElseGet(() -> page(parameters, item, build, active.over(Optional.empty()), request));
    }

    private TypePage page(
            Parameters parameters, Item item, Optional<Build> build, PinnedTypes pinned, HttpServletRequest request) {
        ItemOutcome outcome = ItemResolver.resolve(
                        item, new BuildContents(pinned.index(), Optional.empty()), parameters.language())
                .outcome();
        List<TypePage.DefinitionLink> variants = List.of();
        int total = 0;
        int chosen = 0;
        ItemOutcome shown = outcome;
        if (outcome instanceof ItemOutcome.Ambiguous ambiguous) {
            variants = variants(ambiguous, parameters);
            total = ambiguous.total();
            chosen = parameters.variant() <= variants.size() ? parameters.variant() : 0;
            shown = chosen == 0 ? outcome : ambiguous.variants().get(chosen - 1).outcome();
        }
        boolean mayPin = Caller.of(request).scopes().contains(Scope.ADMIN);
        ByteOrder order = build.flatMap(known -> known.file().or(known::symbolsFile))
                .map(StoredFile::architecture)
                .map(architecture -> architecture.byteOrder())
                .orElse(ByteOrder.LITTLE_ENDIAN);
        ItemOutcome.TypeFound found = shown instanceof ItemOutcome.TypeFound type ? type : null;
        return new TypePage(
                parameters.id().toString(),
                PagePath.ofBuild(parameters.id()).toString(),
                parameters.name(),
                item.text(),
                found == null && variants.isEmpty() ? missing(shown, build) : null,
                variants,
                total,
                chosen,
                found == null ? null : facts(found, pinned),
                found == null ? null : layout(found, parameters, item, order, pinned, mayPin),
                found == null ? List.of() : enumerators(found),
                commands(parameters, item, request),
                mayPin,
                PagePath.ofNewPin(parameters.id(), item.text()).toString());
    }

    private static String missing(ItemOutcome outcome, Optional<Build> build) {
        if (outcome instanceof ItemOutcome.Missed missed) {
            String detail = missed.detail();
            return switch (missed.status()) {
                case TYPE_NOT_FOUND -> "No type of this name in the debug information.";
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

    private static List<TypePage.DefinitionLink> variants(ItemOutcome.Ambiguous ambiguous, Parameters parameters) {
        List<TypePage.DefinitionLink> variants = new ArrayList<>();
        for (ItemOutcome.DifferingAnswer variant : ambiguous.variants()) {
            Definition definition = variant.definition();
            int number = variants.size() + 1;
            variants.add(new TypePage.DefinitionLink(
                    number,
                    new Parameters(
                                    parameters.id(),
                                    parameters.name(),
                                    parameters.language(),
                                    number,
                                    Set.of(),
                                    parameters.row(),
                                    0)
                            .path(Set.of(), parameters.row(), 0),
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
        return bytes == TypeShape.UNKNOWN_SIZE ? "unknown" : Long.toString(bytes);
    }

    private static String sizeInWords(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "size unknown" : bytes + " bytes";
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
            ItemOutcome.TypeFound found,
            Parameters parameters,
            Item item,
            ByteOrder order,
            PinnedTypes pins,
            boolean mayPin) {
        if (!(found.definition().shape().peeled() instanceof AggregateShape shape)) {
            return null;
        }
        List<Piece> pieces = Pieces.of(shape, parameters.unfold(), pins);
        long size = Math.max(0, shape.byteSize());
        int rowBytes = parameters.row() != 0 ? parameters.row() : size > 256 ? 16 : 8;
        Drawing drawing = Drawing.of(pieces, size, rowBytes, parameters.from(), order);
        LayoutStatistics figures = LayoutStatistics.of(pieces, size);
        MemberLines lines = new MemberLines(
                path -> mayPin
                        ? PagePath.ofNewPin(parameters.id(), item.text() + "." + path)
                                .toString()
                        : null,
                path -> parameters.path(toggled(parameters.unfold(), path), parameters.row(), parameters.from()),
                order);
        lines.add(pieces, 0);
        lines.addComputed(shape);
        return new TypePage.LayoutSection(
                drawing,
                lines.actions(),
                figures,
                String.format(Locale.ROOT, "%.1f", figures.paddingPercent()),
                lines.shown(),
                lines.omitted(),
                parameters.from() == 0 ? null : parameters.path(parameters.unfold(), parameters.row(), 0),
                drawing.nextByte() < 0
                        ? null
                        : parameters.path(parameters.unfold(), parameters.row(), drawing.nextByte()),
                rowBytes,
                parameters.path(parameters.unfold(), rowBytes == 8 ? 16 : 8, 0),
                order == ByteOrder.LITTLE_ENDIAN
                        ? "Little-endian: bits are drawn from the lowest to the highest."
                        : "Big-endian: bits are drawn from the highest to the lowest.",
                parameters.path(parameters.unfold(), parameters.row(), parameters.from()));
    }

    /** Returns the set with the path added, or removed if it was there. */
    private static Set<String> toggled(Set<String> paths, String path) {
        Set<String> toggled = new LinkedHashSet<>(paths);
        if (!toggled.remove(path)) {
            toggled.add(path);
        }
        return toggled;
    }

    private static List<TypePage.Command> commands(Parameters parameters, Item item, HttpServletRequest request) {
        String path =
                "/v1/offsets/" + parameters.id() + "?types=" + URLEncoder.encode(item.text(), StandardCharsets.UTF_8)
                        + parameters
                                .language()
                                .map(family -> "&lang=" + family.name().toLowerCase(Locale.ROOT))
                                .orElse("");
        String url = request.getRequestURL().toString();
        String server = url.substring(0, url.length() - request.getRequestURI().length());
        return List.of(
                new TypePage.Command("JSON", "curl '" + server + path + "'"),
                new TypePage.Command("Text like pahole", "curl -H 'Accept: text/plain' '" + server + path + "'"),
                new TypePage.Command("C header", "curl -H 'Accept: text/x-c' '" + server + path + "'"));
    }
}
