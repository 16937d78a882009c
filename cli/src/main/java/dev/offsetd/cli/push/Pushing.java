package dev.offsetd.cli.push;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.push.FileSender.Form;
import dev.offsetd.cli.push.PushResult.Status;
import dev.offsetd.cli.push.UploadClient.UploadResult;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ElfIdentity;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.BuildFinder;
import dev.offsetd.packages.SearchResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Uploads debug information that no source has. */
public final class Pushing {

    /** How long to wait for a busy server, per file. */
    private static final Duration MAX_WAIT = Duration.ofMinutes(15);

    private final DebugFileFinder files;
    private final Console console;
    private final BearerToken token;

    public Pushing(Console console, BearerToken token) {
        this.files = DebugFileFinder.ofSystem(console);
        this.console = console;
        this.token = token;
    }

    /**
     * Files that are sent, and how.
     *
     * @param whole whether to send whole files instead of the sections that the server reads
     * @param executables whether to send stripped executables, too, for their keys and symbols
     * @param notes file with the build-id of a kernel, under which its raw BTF is sent; null for files that have one
     * @param asJson whether to print one JSON document instead of the table
     */
    record Options(
            boolean whole, boolean executables, @Nullable Path notes, boolean asJson) {}

    /**
     * Sends what the server does not have.
     *
     * @param paths files, and folders, packages, archives and images with files
     */
    int run(URI server, List<Path> paths, Options options) throws CommandFailure, IOException {
        try (PushInputs inputs = new PushInputs(files, console, options.executables())) {
            inputs.addAll(paths);
            if (inputs.candidates().isEmpty()) {
                return ExitCode.NOTHING_TO_SEND;
            }
            List<PushResult> results = new ArrayList<>();
            PushReport report = new PushReport(results, inputs, files.options());
            try (ServerCalls calls = new ServerCalls(server, token, console, MAX_WAIT)) {
                FileSender sender = new FileSender(console, files.options(), calls);
                if (options.notes() == null) {
                    pushAll(inputs.candidates(), sender, options, results);
                } else {
                    results.add(pushClaimed(inputs.candidates(), options.notes(), sender));
                }
            } catch (CommandFailure e) {
                if (options.notes() == null) {
                    report.print(console, options.asJson());
                }
                throw e;
            }
            report.print(console, options.asJson());
            return report.isComplete() ? ExitCode.OK : ExitCode.NOT_ALL;
        }
    }

    /** Sends the raw BTF of a kernel under the build-id in the kernel's notes. */
    private PushResult pushClaimed(List<Candidate> candidates, Path notes, FileSender sender)
            throws CommandFailure, IOException {
        if (candidates.size() != 1) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--notes is given with " + candidates.size() + " files; expected one");
        }
        Candidate candidate = candidates.getFirst();
        if (!candidate.elf().isRawBtf()) {
            BuildId own = candidate.elf().buildId();
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--notes is for BTF without ELF, such as /sys/kernel/btf/vmlinux; "
                            + HostileText.quote(candidate.place())
                            + (own == null ? " is an ELF file" : " says itself that its build-id is " + own));
        }
        Optional<BuildId> claimed = files.read(
                notes,
                () -> ElfIdentity.buildIdOfNotes(
                        Files.readAllBytes(notes),
                        candidate.elf().architecture().byteOrder()));
        if (claimed.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.BAD_FILE,
                    HostileText.quote(notes.toString()) + ": no NT_GNU_BUILD_ID note; expected /sys/kernel/notes");
        }
        return sender.sendWhole(candidate, claimed.get());
    }

    /**
     * Sends the executables and libraries in these paths, so that the server knows their keys, names and symbols.
     *
     * @param names patterns for file names, one of which must match; empty for any name
     * @return those that are refused
     */
    public List<SearchResult.UnreadableFile> sendExecutables(URI server, List<Path> paths, List<PathMatcher> names)
            throws CommandFailure, IOException {
        try (PushInputs inputs = new PushInputs(files, console, true);
                ServerCalls calls = new ServerCalls(server, token, console, MAX_WAIT)) {
            inputs.addAll(paths);
            FileSender sender = new FileSender(console, files.options(), calls);
            int sent = 0;
            List<SearchResult.UnreadableFile> refused = new ArrayList<>();
            for (Candidate candidate : inputs.candidates()) {
                if (candidate.isLinked()
                        && (names.isEmpty()
                                || names.stream().anyMatch(name -> BuildFinder.matches(name, candidate.fileName())))) {
                    PushResult result = sender.send(candidate, Form.EXECUTABLE);
                    if (result.isRefused()) {
                        String reason = result.end().detail();
                        console.say(HostileText.quote(candidate.place()) + " is not sent: " + reason);
                        refused.add(new SearchResult.UnreadableFile(candidate.place(), reason));
                    } else {
                        sent++;
                    }
                }
            }
            console.clearProgress();
            console.say("executables sent: " + sent);
            return refused;
        }
    }

    /** @param results receives those until a failure of the server ends the run */
    private void pushAll(List<Candidate> candidates, FileSender sender, Options options, List<PushResult> results)
            throws CommandFailure {
        Set<BuildId> withDebugInfo = new HashSet<>();
        for (Candidate candidate : candidates) {
            if (candidate.hasDebugInfo() && candidate.elf().buildId() != null) {
                withDebugInfo.add(candidate.elf().buildId());
            }
        }
        for (Candidate candidate : candidates) {
            PushResult unsendable = unsendable(candidate, withDebugInfo, options.executables());
            results.add(unsendable != null ? unsendable : sender.send(candidate, form(candidate, options)));
        }
    }

    /** Returns why a file is not sent; null if it can be. */
    private @Nullable PushResult unsendable(Candidate candidate, Set<BuildId> withDebugInfo, boolean executables) {
        ElfFacts elf = candidate.elf();
        if (elf.isRawBtf()) {
            return PushResult.refused(
                    candidate, "no_build_id", "BTF without ELF has no build-id; --notes names the notes of its kernel");
        }
        if (elf.buildId() == null && !candidate.isLinked()) {
            return PushResult.refused(
                    candidate, "no_build_id", "it has no build-id; the linker writes one with --build-id");
        }
        if (candidate.hasDebugInfo() || (executables && candidate.isLinked())) {
            return null;
        }
        return elf.buildId() != null && withDebugInfo.contains(elf.buildId())
                ? PushResult.unsent(
                        candidate,
                        new UploadResult(Status.NOT_NEEDED, "stripped", "its debug information is in another file"))
                : PushResult.refused(candidate, "stripped", new DebugFileHint(files).describe(candidate.file(), elf));
    }

    private static Form form(Candidate candidate, Options options) {
        if (!candidate.hasDebugInfo()) {
            return Form.EXECUTABLE;
        }
        return options.whole() ? Form.WHOLE : Form.SLIM;
    }
}
