package dev.offsetd.cli.push;

import dev.offsetd.cli.file.DebugFiles;
import dev.offsetd.extractor.extract.ElfFacts;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Where the debug information of a stripped file can be (GDB manual, "Separate Debug Files"). */
final class DebugInfoPlaces {

    private final OffsetExtractor extractor;

    DebugInfoPlaces(OffsetExtractor extractor) {
        this.extractor = extractor;
    }

    /** Says where it is, or where it would be, of this stripped file. */
    String tell(Path file, ElfFacts elf) {
        List<Path> candidates = candidates(file, elf);
        Optional<Path> found = candidates.stream()
                .filter(candidate -> isDebugFileOf(candidate, elf))
                .findFirst();
        return found.map(place -> "it is stripped; its debug information is in " + HostileText.quote(place.toString())
                        + ": push that file")
                .orElseGet(() -> "it is stripped, and its debug information is not in "
                        + candidates.stream()
                                .map(place -> HostileText.quote(place.toString()))
                                .collect(Collectors.joining(", "))
                        + "; push the file from before it was stripped");
    }

    private List<Path> candidates(Path file, ElfFacts elf) {
        List<Path> candidates = new ArrayList<>();
        Path absolute = file.toAbsolutePath().normalize();
        String name = linkedName(file).orElse(file.getFileName() + ".debug");
        try {
            candidates.add(absolute.resolveSibling(name));
            candidates.add(absolute.resolveSibling(".debug").resolve(name));
            Path folder = absolute.getParent();
            if (folder != null) {
                candidates.add(DebugFiles.SYSTEM_FOLDER
                        .resolve(folder.toString().substring(1))
                        .resolve(name));
            }
        } catch (InvalidPathException notAName) {
            // A link that no file can have leads nowhere.
        }
        elf.buildId().ifPresent(buildId -> {
            String hex = buildId.toString();
            candidates.add(DebugFiles.SYSTEM_FOLDER.resolve(
                    Path.of(".build-id", hex.substring(0, 2), hex.substring(2) + ".debug")));
        });
        return candidates;
    }

    /** The last part of the name that the file's link has. */
    private Optional<String> linkedName(Path file) {
        try {
            return extractor
                    .debugLink(file)
                    .map(name -> name.substring(name.lastIndexOf('/') + 1))
                    .filter(name -> !name.isEmpty());
        } catch (IOException | ExtractionException e) {
            return Optional.empty();
        }
    }

    private boolean isDebugFileOf(Path candidate, ElfFacts elf) {
        if (!Files.isRegularFile(candidate)) {
            return false;
        }
        try {
            ElfFacts found = extractor.inspect(candidate);
            return found.buildId().equals(elf.buildId()) && (found.hasDwarf() || found.hasBtf());
        } catch (IOException | ExtractionException e) {
            return false;
        }
    }
}
