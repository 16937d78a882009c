package dev.offsetd.extractor;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.stream.Collectors;

/**
 * Link to a supplementary file (DWARF 5 §7.3.6), into which dwz moves what several debug files share.
 *
 * @param section that the link is in: {@code .gnu_debugaltlink}, or DWARF 5's {@code .debug_sup}
 * @param name path of the file as the producer wrote it
 * @param checksum build-id or another identifier of the file as hex; empty if there is none
 */
record SupplementaryFile(String section, String name, String checksum) {

    private static final String GNU_LINK = ".gnu_debugaltlink";
    private static final String STANDARD_LINK = ".debug_sup";

    /** Where packages install supplementary files: in a folder beside that of the build-ids, below the system's. */
    private static final String DWZ_FOLDER = ".dwz/";

    private static final String SYSTEM_FOLDER = "/usr/lib/debug/";

    /** Reads the link of a file. */
    static Optional<SupplementaryFile> linkedBy(ElfFile elf, Limits limits) throws ExtractionException {
        if (elf.hasContents(GNU_LINK)) {
            Section link = elf.link(GNU_LINK);
            String name = link.string(0, limits.maxNameBytes());
            ByteCursor in = link.cursor();
            in.skipString();
            return Optional.of(new SupplementaryFile(GNU_LINK, name, hex(in, in.end() - in.offset())));
        }
        if (elf.hasContents(STANDARD_LINK)) {
            StandardSection section = StandardSection.read(elf, limits);
            return section.isSupplementary
                    ? Optional.empty()
                    : Optional.of(new SupplementaryFile(STANDARD_LINK, section.name, section.checksum));
        }
        return Optional.empty();
    }

    /**
     * {@code .debug_sup}, which both files have.
     *
     * @param isSupplementary whether it is that of the supplementary file, which the checksum identifies
     * @param name of the supplementary file, in the file that has the link
     */
    private record StandardSection(boolean isSupplementary, String name, String checksum) {

        static StandardSection read(ElfFile elf, Limits limits) throws ExtractionException {
            Section section = elf.link(STANDARD_LINK);
            ByteCursor in = section.cursor();
            in.skip(2);
            boolean isSupplementary = in.u8() != 0;
            String name = section.string(in.offset(), limits.maxNameBytes());
            in.skipString();
            return new StandardSection(isSupplementary, name, hex(in, in.uleb128()));
        }
    }

    private static String hex(ByteCursor in, long length) throws ExtractionException {
        if (length < 0 || length > BuildId.MAX_BYTES) {
            throw in.malformed(
                    in.offset(),
                    "checksum of " + Long.toUnsignedString(length) + " bytes; expected up to " + BuildId.MAX_BYTES);
        }
        byte[] bytes = new byte[(int) length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) in.u8();
        }
        return HexFormat.of().formatHex(bytes);
    }

    /** Returns the link for callers that fetch the file, or empty if its checksum is not a build-id. */
    Optional<SupplementaryLink> link() {
        try {
            return Optional.of(new SupplementaryLink(name, BuildId.parse(checksum)));
        } catch (IllegalArgumentException notABuildId) {
            return Optional.empty();
        }
    }

    /**
     * Returns the regular files that may be the supplementary file: at the path in the link, beside the linking file,
     * below {@code .dwz/} there and in the folders above, and in the debug folders where packages install it.
     */
    List<Path> candidates(Path linking, LinkedPaths paths, List<Path> debugFolders) {
        SequencedSet<Path> found = new LinkedHashSet<>(paths.candidates(linking, "", name));
        try {
            Path last = Path.of(name).getFileName();
            if (last == null) {
                return List.of();
            }
            Path folder = linking.toAbsolutePath().getParent();
            for (Path above = folder; above != null; above = above.getParent()) {
                addBelow(above, DWZ_FOLDER + belowDwz(), found);
                found.add(above.resolve(DWZ_FOLDER).resolve(last));
            }
            for (Path debugFolder : debugFolders) {
                addBelow(debugFolder, DWZ_FOLDER + belowDwz(), found);
                if (name.startsWith(SYSTEM_FOLDER)) {
                    addBelow(debugFolder, name.substring(SYSTEM_FOLDER.length()), found);
                }
                link().map(SupplementaryLink::buildId)
                        .ifPresent(id -> found.add(debugFolder.resolve(id.debugFilePath())));
            }
        } catch (InvalidPathException e) {
            return List.of();
        }
        return LinkedPaths.regular(found);
    }

    /** Returns the part of the name below {@code .dwz/}: {@code x86_64-linux-gnu/perl.debug}. */
    private String belowDwz() {
        int at = name.lastIndexOf("/" + DWZ_FOLDER);
        return at >= 0
                ? name.substring(at + 1 + DWZ_FOLDER.length())
                : name.substring(name.startsWith(DWZ_FOLDER) ? DWZ_FOLDER.length() : name.lastIndexOf('/') + 1);
    }

    private static void addBelow(Path folder, String relative, SequencedSet<Path> found) {
        Path base = folder.toAbsolutePath().normalize();
        Path file = base.resolve(relative).normalize();
        if (file.startsWith(base)) {
            found.add(file);
        }
    }

    /**
     * Returns whether a file is the supplementary file: it has the build-id in the link, or says of itself that it is the one with
     * the checksum. A link without a checksum matches none: it could name any file.
     */
    boolean isMeant(ElfFile elf, Limits limits) throws ExtractionException {
        if (checksum.isEmpty()) {
            return false;
        }
        if (elf.buildId().filter(id -> id.toString().equals(checksum)).isPresent()) {
            return true;
        }
        if (!section.equals(STANDARD_LINK) || !elf.hasContents(STANDARD_LINK)) {
            return false;
        }
        StandardSection other = StandardSection.read(elf, limits);
        return other.isSupplementary && other.checksum.equals(checksum);
    }

    /**
     * Returns the error for a file whose supplementary file was not found.
     *
     * @param rejected other files in its places, each with what it has instead
     */
    UnsupportedInputException missing(List<String> rejected) {
        return new UnsupportedInputException(
                section,
                0,
                "part of the DWARF is in a supplementary file that was not found; needs " + HostileText.quote(name)
                        + (checksum.isEmpty()
                                ? ""
                                : (section.equals(GNU_LINK) ? " with build-id " : " with checksum ") + checksum)
                        + rejected.stream().map(each -> "; " + each).collect(Collectors.joining()));
    }
}
