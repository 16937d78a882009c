package dev.offsetd.query.export;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Layouts as text that is the same for a type and for its BTF: size, places and sizes of the members, recursively. */
public final class ExportedLayouts {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private ExportedLayouts() {}

    /** The BTF of all types of a file. */
    public static byte[] btf(ExtractionReport report) throws IOException {
        return btf(
                ExportedTypes.whole(report.types(), NameStyle.SPELLED),
                report.elf().architecture());
    }

    static byte[] btf(ExportedTypes types, Architecture architecture) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new BtfRenderer(architecture, null).render(types, out);
        return out.toByteArray();
    }

    /** The types of BTF, as our reader reads them from a file. */
    public static TypeCatalogue read(byte[] btf, Architecture architecture) throws IOException, ExtractionException {
        Path file = Files.createTempFile("exported", ".elf");
        try {
            new ElfWriter(architecture.bits(), architecture.byteOrder())
                    .section(".BTF", btf)
                    .writeTo(file);
            return DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types();
        } finally {
            Files.delete(file);
        }
    }

    /** The layouts that an export has, by kind and name. */
    public static Map<String, String> of(ExportedTypes types) {
        Map<String, String> layouts = new TreeMap<>();
        types.forEach((number, definition) -> {
            if (number >= 0 && isExpressible(definition.shape())) {
                layouts.put(kind(definition) + " " + types.nameOf(definition), layout(definition));
            }
        });
        return layouts;
    }

    /** BTF does not tell a class from a struct. */
    private static TypeKind kind(Definition definition) {
        return definition.kind() == TypeKind.CLASS ? TypeKind.STRUCT : definition.kind();
    }

    /** The layouts of BTF that was read, by kind and name. */
    public static Map<String, String> of(TypeCatalogue read) {
        Map<String, String> layouts = new TreeMap<>();
        for (Definition definition : read.definitions()) {
            if (!definition.name().isEmpty()
                    && definition.kind() != TypeKind.BASE
                    && isExpressible(definition.shape())) {
                layouts.put(definition.kind() + " " + definition.name(), layout(definition));
            }
        }
        return layouts;
    }

    /** Returns whether BTF tells a type from a declaration: an enumeration has enumerators of at most 64 bits. */
    private static boolean isExpressible(TypeShape shape) {
        return switch (shape) {
            case IncompleteShape _ -> false;
            case EnumShape enumeration ->
                enumeration.byteSize() <= Long.BYTES
                        && !enumeration.enumerators().isEmpty();
            default -> true;
        };
    }

    private static String layout(Definition definition) {
        return switch (definition.shape()) {
            case EnumShape enumeration -> enumeration.byteSize() + " " + enumeration.enumerators();
            case AliasShape alias -> layout(alias.target());
            default -> layout(definition.shape());
        };
    }

    private static String layout(TypeShape type) {
        TypeShape shape = type.peeled();
        return switch (shape) {
            case AggregateShape aggregate ->
                (aggregate.kind() == TypeKind.UNION ? "union " : "struct ")
                        + aggregate.byteSize()
                        + aggregate.members().stream()
                                .filter(ExportedLayouts::isExpressible)
                                .map(ExportedLayouts::layout)
                                .collect(Collectors.joining("; ", " {", "}"));
            case ArrayShape array -> array(array);
            default -> isOfC(shape) ? "scalar " + shape.byteSize() : "[" + shape.byteSize() + "] scalar 1";
        };
    }

    private static String layout(Member member) {
        String place = name(member) + "@" + member.location();
        return member.bitSize() == 0
                ? place + ":" + Member.NOT_A_BIT_FIELD + " [0] scalar 1"
                : place + ":" + member.bitSize() + " " + layout(member.type());
    }

    /** Returns whether BTF has a scalar like this one; it stands for others as bytes. */
    private static boolean isOfC(TypeShape scalar) {
        long bytes = scalar.byteSize();
        return scalar instanceof PointerShape
                ? bytes <= Long.BYTES
                : (bytes <= 2 * Long.BYTES && Long.bitCount(bytes) == 1) || bytes == 12;
    }

    static boolean isExpressible(Member member) {
        TypeShape type = member.type().peeled();
        boolean sized = type.byteSize() != TypeShape.UNKNOWN_SIZE
                || (type instanceof ArrayShape array && BtfRenderer.isOfC(array));
        return member.location() instanceof MemberLocation.Fixed && sized && member.bitSize() <= 0xff;
    }

    private static String array(ArrayShape array) {
        TypeShape element = array;
        StringBuilder counts = new StringBuilder();
        while (element.peeled() instanceof ArrayShape inner) {
            if (!BtfRenderer.isOfC(inner)) {
                return counts + "[" + inner.byteSize() + "] scalar 1";
            }
            inner.counts()
                    .forEach(count ->
                            counts.append('[').append(Math.max(count, 0)).append(']'));
            element = inner.element();
        }
        return counts + " " + layout(element);
    }

    private static String name(Member member) {
        return switch (member.role()) {
            case BASE_CLASS -> "-";
            case DISCRIMINANT -> "__discriminant";
            case FIELD, EMBEDDED -> member.name() == null ? "-" : member.name();
        };
    }
}
