package dev.offsetd.extractor.identity.scan;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.identity.GoModule;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Identity that the sections of a file state. A separate debug file has only the notes of its program. */
public final class SectionIdentity {

    private static final String DYNAMIC = ".dynamic";
    private static final String DYNSTR = ".dynstr";
    private static final String MODINFO = ".modinfo";
    private static final String COMMENT = ".comment";

    private static final int DT_NULL = 0;
    private static final int DT_SONAME = 14;

    /** Programs have a string for each compiler that their objects come from. */
    private static final long MAX_COMMENT_BYTES = 1 << 16;

    /** Longest text that is read as a name. */
    private static final int MAX_TEXT_BYTES = 1 << 12;

    private final SectionSource sections;
    private final List<IdentityField> fields = new ArrayList<>();
    private List<GoModule> goModules = List.of();

    private SectionIdentity(SectionSource sections) {
        this.sections = sections;
    }

    /** Returns the identity, without the parts that are malformed. */
    public static Identity read(SectionSource sections, Probes probes) {
        SectionIdentity identity = new SectionIdentity(sections);
        identity.add(identity::soname);
        identity.add(() -> PackageNote.read(sections.note(PackageNote.OWNER, PackageNote.TYPE)));
        identity.add(() -> {
            Identity program = GoBuildInfo.read(sections);
            identity.goModules = program.goModules();
            return program.fields();
        });
        identity.add(identity::kernel);
        identity.add(identity::kernelModule);
        identity.add(probes);
        return new Identity(identity.fields, identity.goModules);
    }

    /**
     * Returns what is known of a file, with the compiler that its section {@code .comment} names if nothing else names one. The
     * section lists the compilers of all linked objects, so the compiler is derived: start-up code is of GCC nearly always, and
     * comes first.
     */
    public static Identity withCompiler(Identity known, SectionSource sections) {
        if (known.first(Kind.COMPILER).isPresent()
                || known.first(Kind.GO_VERSION).isPresent()) {
            return known;
        }
        SectionIdentity identity = new SectionIdentity(sections);
        identity.add(identity::compiler);
        return known.merge(new Identity(identity.fields));
    }

    private List<IdentityField> compiler() throws ExtractionException {
        Section comments = sections.section(COMMENT);
        long end = Math.min(comments.size(), MAX_COMMENT_BYTES);
        Producer compiler = null;
        for (long at = 0; at < end; ) {
            Producer next =
                    Producer.parseComment(comments.string(at, MAX_TEXT_BYTES)).orElse(null);
            if (next != null && (compiler == null || compiler.isGcc() || !next.isGcc())) {
                compiler = next;
            }
            at += comments.stringLength(at, MAX_TEXT_BYTES) + 1;
        }
        return compiler == null
                ? List.of()
                : List.of(
                        new IdentityField(Kind.COMPILER, compiler.compiler(), COMMENT, true),
                        new IdentityField(Kind.COMPILER_VERSION, compiler.version(), COMMENT, true));
    }

    private void add(Probes probes) {
        Map<String, List<VersionProbe>> bySection = new LinkedHashMap<>();
        for (VersionProbe probe : probes.versions()) {
            bySection.computeIfAbsent(probe.section(), _ -> new ArrayList<>()).add(probe);
        }
        bySection.forEach((name, inSection) -> add(() -> ProbeSearch.fields(inSection, sections.section(name))));
        Set<String> sources = fields.stream().map(IdentityField::source).collect(Collectors.toSet());
        Set<String> sets = probes.versions().stream()
                .filter(probe -> sources.contains(probe.source()))
                .map(VersionProbe::set)
                .collect(Collectors.toSet());
        List<VariantToken> tokens = probes.variants().stream()
                .filter(token -> sets.contains(token.set()))
                .toList();
        if (!tokens.isEmpty()) {
            add(() -> VariantSearch.symbols(tokens, sections));
            add(() -> VariantSearch.texts(tokens, sections));
        }
    }

    @FunctionalInterface
    private interface Reading {
        List<IdentityField> run() throws ExtractionException;
    }

    private void add(Reading reading) {
        try {
            fields.addAll(reading.run());
        } catch (ExtractionException malformed) {
            // Layouts do not depend on names, so the file is not refused.
        }
    }

    /** Reads {@code DT_SONAME} (gABI, "Dynamic Section"). */
    private List<IdentityField> soname() throws ExtractionException {
        Section dynamic = sections.section(DYNAMIC);
        int word = sections.addressBytes();
        ByteCursor in = dynamic.cursor();
        while (dynamic.size() - in.offset() >= 2L * word) {
            long tag = in.unsigned(word);
            long value = in.unsigned(word);
            if (tag == DT_SONAME) {
                return stated(Kind.SONAME, sections.section(DYNSTR).string(value, MAX_TEXT_BYTES), DYNAMIC);
            }
            if (tag == DT_NULL) {
                break;
            }
        }
        return List.of();
    }

    /** Reads {@code linux_banner}. Other programs contain such a text too, but not the section of a kernel's start. */
    private List<IdentityField> kernel() throws ExtractionException {
        if (!sections.has(".init.text") || isKernelModule()) {
            return List.of();
        }
        // The last step of a kernel's build numbers its banner. The one without a number may stay in the file, too.
        List<VersionProbe> banners = IntStream.rangeClosed(1, 9)
                .mapToObj(digit -> banner(" ({any}) #" + digit))
                .collect(Collectors.toList());
        banners.add(banner(" ("));
        for (ProbeSearch.Match found : ProbeSearch.run(banners, sections.section(VersionProbe.RODATA))) {
            if (found != null) {
                List<IdentityField> both =
                        new ArrayList<>(stated(Kind.KERNEL_RELEASE, found.version(), VersionProbe.RODATA));
                both.addAll(stated(Kind.KERNEL_BANNER, found.string(), VersionProbe.RODATA));
                return both;
            }
        }
        return List.of();
    }

    private static VersionProbe banner(String afterVersion) {
        return new VersionProbe("", "", VersionProbe.RODATA, "Linux version {version}" + afterVersion, "");
    }

    private boolean isKernelModule() {
        return sections.has(".gnu.linkonce.this_module");
    }

    /** Reads name and kernel release of a kernel module: {@code name=ext4} and {@code vermagic=6.1.0 SMP ...}. */
    private List<IdentityField> kernelModule() throws ExtractionException {
        if (!isKernelModule()) {
            return List.of();
        }
        List<IdentityField> found = new ArrayList<>();
        Section modinfo = sections.section(MODINFO);
        for (long at = 0; at < modinfo.size(); ) {
            String entry = modinfo.string(at, MAX_TEXT_BYTES);
            if (entry.startsWith("name=")) {
                found.add(new IdentityField(Kind.FILE_NAME, entry.substring(5) + ".ko", MODINFO, true));
            } else if (entry.startsWith("vermagic=")) {
                found.addAll(stated(Kind.KERNEL_RELEASE, entry.substring(9).split(" ", 2)[0], MODINFO));
            }
            at += modinfo.stringLength(at, MAX_TEXT_BYTES) + 1;
        }
        return found;
    }

    private static List<IdentityField> stated(Kind kind, String value, String source) {
        return List.of(new IdentityField(kind, value, source, false));
    }
}
