package dev.offsetd.cli.push;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.file.Places;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.DebugLink;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Hint to the debug file of a stripped file (GDB manual, "Separate Debug Files"). */
final class DebugFileHint {

    private final DebugFileFinder files;

    DebugFileHint(DebugFileFinder files) {
        this.files = files;
    }

    /** Describes where the debug file is, or would be. */
    String describe(Path file, ElfFacts elf) {
        List<Path> candidates = candidates(file, elf);
        Optional<Path> found = candidates.stream()
                .filter(candidate -> isDebugFileOf(candidate, elf))
                .findFirst();
        if (found.isPresent()) {
            return "it is stripped; its debug information is in "
                    + HostileText.quote(found.get().toString()) + ": push that file";
        }
        if (elf.describesTypes()) {
            return "it is stripped, but describes types itself; --executables sends the program";
        }
        return files.isUnstripped(file)
                ? DebugFileFinder.WITHOUT_G
                : "it is stripped, and there is no debug information in " + Places.text(candidates)
                        + "; push the unstripped file, compiled with -g";
    }

    private List<Path> candidates(Path file, ElfFacts elf) {
        String name = linkedName(file).orElse(file.getFileName() + ".debug");
        List<Path> candidates = new ArrayList<>();
        if (elf.buildId() != null) {
            candidates.add(DebugFileFinder.SYSTEM_FOLDER.resolve(elf.buildId().debugFilePath()));
        }
        candidates.addAll(files.places(file, name));
        return candidates;
    }

    private Optional<String> linkedName(Path file) {
        try {
            return DebugInfo.read(file, files.options(), DebugInfo::debugLink)
                    .map(DebugLink::fileName)
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
            ElfFacts found = DebugInfo.read(candidate, files.options(), DebugInfo::facts);
            return Objects.equals(found.buildId(), elf.buildId()) && (found.hasDwarf() || found.hasBtf());
        } catch (IOException | ExtractionException e) {
            return false;
        }
    }
}
