package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.answer.FrameStatus;
import dev.offsetd.query.answer.FrameWriter;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.symbols.FrameLookup.DamagedFramesException;
import dev.offsetd.server.answers.symbols.FrameLookup.Located;
import dev.offsetd.server.answers.symbols.SymbolAnswers.SymbolAllowance;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.EarlyContent;
import dev.offsetd.server.builds.EarlyContent.Wanted;
import dev.offsetd.server.builds.FrameState;
import dev.offsetd.server.builds.extraction.FrameReads;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.storage.FrameTables;
import dev.offsetd.server.storage.SymbolTables;
import dev.offsetd.server.web.ProblemException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;

/** Answers queries for functions and lines by address, which are read from the debug file at the first query of a build. */
@Component
public class FrameAnswers {

    private final BuildQueries builds;
    private final FrameReads reads;
    private final FrameTables frames;
    private final SymbolTables symbols;
    private final Identities identities;

    FrameAnswers(
            BuildQueries builds, FrameReads reads, FrameTables frames, SymbolTables symbols, Identities identities) {
        this.builds = builds;
        this.reads = reads;
        this.frames = frames;
        this.symbols = symbols;
        this.identities = identities;
    }

    /**
     * Answers a query.
     *
     * @param request for the symbols of a build
     * @return empty if the build takes longer than the client waits
     * @throws ProblemException if the build has no usable file: 404, 422 or 5xx; if the answer is too large: 413
     */
    Optional<Answer> answer(BuildRequest request, FrameQuery query) {
        return lookUp(
                request,
                new First(query.addresses().readable().values(), query.returnAddress(), query.segments(), false),
                lookup -> rendered(lookup, query));
    }

    /**
     * Addresses that are read before all others if nothing of the build has been read. More than a few are read with the others.
     *
     * @param returnAddress see {@link FrameLookup#at(CodeAddress, boolean)}
     * @param segments of the program, as the client knows them; none if it sent none
     * @param fromImageBase whether they count from {@link FrameLookup#imageBase()}
     */
    public record First(
            Collection<CodeAddress> addresses,
            boolean returnAddress,
            List<FileOffsets.Segment> segments,
            boolean fromImageBase) {

        private static final FileOffsets NO_OFFSETS = FileOffsets.of(List.of(), ValueRule.ADDRESS);

        private boolean areTooMany() {
            return addresses.size() > FrameReads.MAX_EARLY;
        }

        /** Returns the virtual addresses; none if there are too many, or it takes the program to know one. */
        private Set<Long> places() {
            return areTooMany() || fromImageBase || addresses.stream().anyMatch(CodeAddress::inFile)
                    ? Set.of()
                    : addresses.stream()
                            .map(address ->
                                    address.in(NO_OFFSETS, returnAddress).orElseThrow())
                            .collect(Collectors.toSet());
        }
    }

    /**
     * Runs work that looks addresses of a build up, on a thread that may compute. Reads functions and lines first if they are not
     * stored, and waits for that.
     *
     * @return empty if the build takes longer than the client waits
     * @throws ProblemException if the build has no usable file: 404, 422 or 5xx
     */
    public <T> Optional<T> lookUp(BuildRequest request, First first, Function<FrameLookup, T> work) {
        long deadline = BuildQueries.deadline(request);
        Set<Long> places = first.places();
        return builds.answer(
                request,
                new Wanted(RequestedNames.NONE, places),
                early -> lookUp(early, places, work),
                access -> builds.stored(access, request)
                        .flatMap(stored -> lookUp(request, stored, first, deadline, work)));
    }

    /** @return empty if the functions and lines at these addresses have not been read */
    private <T> Optional<T> lookUp(EarlyBuild early, Set<Long> places, Function<FrameLookup, T> work) {
        EarlyContent.Lines lines = early.content().lines(places).orElse(null);
        if (lines == null) {
            return Optional.empty();
        }
        Build build = early.build();
        // The whole table is made as soon as the extraction gives its lease back.
        var _ = reads.request(build.id(), null, Set::of);
        FileOffsets offsets = lines.symbols().fileOffsets();
        return Optional.of(frames.lookingUp(
                lines.frames(),
                lines.symbols(),
                SymbolAllowance.MAX_CHARACTERS,
                () -> work.apply(
                        new FrameLookup(build, early.file(), null, lines.frames(), lines.symbols(), offsets))));
    }

    private <T> Optional<T> lookUp(
            BuildRequest request,
            BuildAccess.Stored stored,
            First first,
            long deadline,
            Function<FrameLookup, T> work) {
        BuildId id = stored.build().id();
        Optional<FrameState> state =
                BuildQueries.waitFor(id, reads.request(id, request.caller(), () -> places(stored, first)), deadline);
        try {
            return state.map(known -> computed(stored, first, known, work));
        } catch (DamagedFramesException damaged) {
            if (state.get() instanceof FrameState.Stored known) {
                reads.discard(id, known.generation());
            }
            return BuildQueries.waitFor(id, reads.request(id, request.caller(), Set::of), deadline)
                    .map(again -> computed(stored, first, again, work));
        }
    }

    /** Returns the addresses to read first; none if there are too many. */
    private Set<Long> places(BuildAccess.Stored stored, First first) {
        if (first.addresses().isEmpty() || first.areTooMany()) {
            return Set.of();
        }
        return computed(
                stored,
                first,
                null,
                lookup -> first.addresses().stream()
                        .flatMapToLong(address -> lookup.place(address, first.returnAddress()).stream())
                        .map(place -> first.fromImageBase() ? lookup.imageBase() + place : place)
                        .boxed()
                        .collect(Collectors.toSet()));
    }

    /** @param state null if nothing has been read */
    private <T> T computed(
            BuildAccess.Stored stored, First first, @Nullable FrameState state, Function<FrameLookup, T> work) {
        Build build = stored.build();
        StoredSymbols table = symbols.open(build.id(), build.generation());
        StoredFrames found = switch (state) {
            case null -> null;
            case FrameState.Without _ -> null;
            case FrameState.Early(StoredFrames early) -> early;
            case FrameState.Stored known -> open(build, known);
        };
        return frames.lookingUp(found, table, SymbolAllowance.MAX_CHARACTERS, () -> {
            FileOffsets offsets =
                    identities.program(build.id(), table, first.segments()).offsets();
            return work.apply(new FrameLookup(build, stored.file(), state, found, table, offsets));
        });
    }

    private StoredFrames open(Build build, FrameState.Stored known) {
        try {
            return frames.open(build.id(), known.generation());
        } catch (CorruptBlobException e) {
            throw FrameLookup.unreadable(known, e);
        }
    }

    private static Answer rendered(FrameLookup lookup, FrameQuery query) {
        Rendering rendering = new Rendering(query);
        SpooledBody body = SpooledBody.of(query.representation(), out -> {
            AnswerParts.writeHead(out, lookup.build().id(), lookup.file(), lookup.isStale());
            rendering.write(out, lookup);
            AnswerParts.writeProvenance(out, lookup.file());
        });
        boolean lasting =
                rendering.complete && !lookup.isStale() && lookup.build().state() == BuildState.EXTRACTED;
        return new Answer(query.representation(), body, lasting);
    }

    /** Returns an answer in which all addresses of a query have one status. */
    static SpooledBody answerOfAll(BuildId id, FrameQuery query, FrameStatus status) {
        return SpooledBody.of(query.representation(), out -> {
            AnswerParts.writeHead(out, id, null);
            out.writeObjectPropertyStart(FrameQuery.ADDRESSES);
            for (String address : query.addresses().readable().keySet()) {
                out.writeName(address);
                FrameWriter.write(out, status, null, null, List.of());
            }
            query.addresses().writeMalformed(out, FrameWriter.FRAMES);
            out.writeEndObject();
            out.writeBooleanProperty("complete", false);
        });
    }

    /**
     * Limit on the length of all names and paths of an answer: a hostile file may have names of a megabyte. Safe for concurrent use.
     */
    static final class Allowance {

        static final long MAX_CHARACTERS = 32L << 20;

        /** Characters of a frame without its names. */
        private static final int FRAME_CHARACTERS = 80;

        private final AtomicLong characters = new AtomicLong();
        private final long most;

        Allowance(long most) {
            this.most = most;
        }

        /** Counts and returns a result; 413 if there are too many characters. */
        Located take(Located located) {
            for (Frame frame : located.frames()) {
                add(length(frame.function()) + length(frame.linkageName()) + length(frame.file()));
            }
            if (located.symbol() != null) {
                add(length(located.symbol().symbol().name()));
            }
            return located;
        }

        /** Counts an object with names of this length; 413 if there are too many characters. */
        void add(int names) {
            if (characters.addAndGet(FRAME_CHARACTERS + names) > most) {
                throw ProblemException.of(
                                HttpStatus.CONTENT_TOO_LARGE,
                                "answer_too_large",
                                "The answer is too large",
                                "the functions and files of these addresses have more than " + most
                                        + " characters; expected fewer addresses")
                        .with("limit", most);
            }
        }

        private static int length(@Nullable String text) {
            return text == null ? 0 : text.length();
        }
    }

    /** Writes one address after the other. */
    private static final class Rendering {

        private final FrameQuery query;
        private final Allowance found = new Allowance(Allowance.MAX_CHARACTERS);
        private final Allowance written = new Allowance(Allowance.MAX_CHARACTERS);
        private boolean complete = true;

        Rendering(FrameQuery query) {
            this.query = query;
        }

        void write(JsonGenerator out, FrameLookup lookup) {
            Failure failure = lookup.failure();
            if (failure != null) {
                out.writeObjectPropertyStart("problem");
                out.writeStringProperty("code", FrameLookup.statusOf(failure).word());
                out.writeStringProperty("detail", failure.detail());
                out.writeEndObject();
            }
            Map<CodeAddress, Located> located = located(lookup);
            out.writeObjectPropertyStart(FrameQuery.ADDRESSES);
            query.addresses().readable().forEach((text, address) -> {
                out.writeName(text);
                write(out, Objects.requireNonNull(located.get(address)));
            });
            query.addresses().writeMalformed(out, FrameWriter.FRAMES);
            complete &= query.addresses().malformed().isEmpty();
            out.writeEndObject();
            out.writeBooleanProperty("complete", complete);
        }

        private Map<CodeAddress, Located> located(FrameLookup lookup) {
            Map<CodeAddress, Located> located = new TreeMap<>();
            for (CodeAddress address :
                    lookup.inOrder(query.addresses().readable().values(), query.returnAddress())) {
                located.put(address, found.take(lookup.at(address, query.returnAddress())));
            }
            return located;
        }

        private void write(JsonGenerator out, Located located) {
            complete &= located.status() == FrameStatus.FOUND;
            // An address may be asked for in several spellings.
            written.take(located);
            FrameWriter.write(out, located.status(), located.detail(), located.symbol(), located.frames());
        }
    }
}
