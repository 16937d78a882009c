package dev.offsetd.query.export;

import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.corpus.Comparison;
import dev.offsetd.extractor.corpus.CorpusFile;
import dev.offsetd.extractor.corpus.Oracle;
import dev.offsetd.extractor.corpus.ReadDefinition;
import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.Bpftool;
import dev.offsetd.extractor.testkit.Pahole;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The BTF that is exported of a file: the reader, bpftool and pahole must find the layouts in it that the DWARF has. */
public final class ExportedBtf {

    private ExportedBtf() {}

    /** Exports the types of a file and compares what is read of them. */
    public static List<SecondOpinion.Result> compare(CorpusFile file, ExtractionReport report)
            throws IOException, ExtractionException {
        ExportedTypes types = ExportedTypes.whole(report.types(), NameStyle.SPELLED);
        Architecture architecture = report.elf().architecture();
        Path btf = Files.createTempFile("exported", ".btf");
        try {
            Omissions omissions;
            try (OutputStream out = Files.newOutputStream(btf)) {
                omissions = new BtfRenderer(architecture, null).render(types, out);
            }
            System.out.printf(
                    "%s: BTF of %,d bytes, %d left out%n",
                    file.path().getFileName(), Files.size(btf), omissions.count());
            TypeCatalogue read = ExportedLayouts.read(Files.readAllBytes(btf), architecture);
            return List.of(
                    reader(ExportedLayouts.of(types), ExportedLayouts.of(read), omissions),
                    bpftool(btf, architecture, read),
                    SecondOpinion.compare("BTF, pahole", members(types, architecture), pahole(btf), String::equals));
        } finally {
            Files.delete(btf);
        }
    }

    /** Compares layouts by kind and name. One that only one side has is a difference, unless the renderer says so. */
    private static SecondOpinion.Result reader(
            Map<String, String> dwarf, Map<String, String> btf, Omissions omissions) {
        Map<String, String> ours = new TreeMap<>(dwarf);
        Map<String, String> theirs = new TreeMap<>(btf);
        dwarf.keySet().forEach(name -> theirs.putIfAbsent(name, "none"));
        btf.keySet().forEach(name -> ours.putIfAbsent(name, "none"));
        for (Omissions.Omission omission : omissions.listed()) {
            String name = omission.name();
            int space = Math.max(name.indexOf(' '), 0);
            theirs.remove(name.substring(0, space).toUpperCase(Locale.ROOT) + name.substring(space), "none");
        }
        return SecondOpinion.compare("BTF, reader", ours, theirs, String::equals);
    }

    /** Compares what bpftool prints of the BTF with what the reader reads of it, record by record. */
    private static SecondOpinion.Result bpftool(Path btf, Architecture architecture, TypeCatalogue read)
            throws IOException {
        Comparison comparison =
                new Comparison(Bpftool.definitions(Oracle.bpftool(), btf, architecture.bits() / Byte.SIZE)
                        .iterator());
        for (Definition definition : read.definitions()) {
            boolean printed = definition.shape() instanceof AggregateShape || definition.shape() instanceof EnumShape;
            if (printed && definition.kind().isTag() && !definition.name().isEmpty()) {
                comparison.add(ReadDefinition.comparable(definition));
            }
        }
        Comparison.Result result = comparison.finish();
        return new SecondOpinion.Result(
                "BTF, bpftool",
                Math.toIntExact(result.definitions()),
                result.differences().stream()
                        .map(Comparison.Difference::toString)
                        .toList());
    }

    /** Returns the places and sizes of the members of structs and unions as pahole prints them. */
    private static Map<String, String> members(ExportedTypes types, Architecture architecture) {
        Map<String, String> layouts = new TreeMap<>();
        types.forEach((number, definition) -> {
            if (number >= 0
                    && definition.shape() instanceof AggregateShape aggregate
                    && isShown(aggregate, architecture)) {
                boolean union = aggregate.kind() == TypeKind.UNION;
                layouts.put(
                        (union ? "union " : "struct ") + types.nameOf(definition),
                        (union ? 0 : aggregate.byteSize())
                                + aggregate.members().stream()
                                        .filter(ExportedLayouts::isExpressible)
                                        .map(ExportedBtf::place)
                                        .collect(Collectors.joining()));
            }
        });
        return layouts;
    }

    /** pahole counts the bits of a bit-field from the other end on big-endian machines. */
    private static boolean isShown(AggregateShape shape, Architecture architecture) {
        return !shape.members().isEmpty()
                && (architecture.byteOrder() == ByteOrder.LITTLE_ENDIAN
                        || shape.members().stream().noneMatch(Member::isBitField));
    }

    private static String place(Member member) {
        long bitOffset = ((MemberLocation.Fixed) member.location()).bitOffset();
        TypeShape type = member.type();
        // pahole prints 0 for the byte of an empty class.
        boolean empty = member.bitSize() == 0
                || (type.byteSize() == 1
                        && type.peeled() instanceof AggregateShape aggregate
                        && aggregate.members().isEmpty());
        return " " + bitOffset + "+" + (empty ? 0 : Math.max(type.byteSize(), 0));
    }

    private static Map<String, String> pahole(Path btf) throws IOException {
        Map<String, String> layouts = new TreeMap<>();
        Pahole.layouts(btf)
                .forEach((name, layout) -> layouts.put(
                        name,
                        layout.size()
                                + layout.members().stream()
                                        .map(member -> " " + member.bitOffset() + "+" + member.size())
                                        .collect(Collectors.joining())));
        return layouts;
    }
}
