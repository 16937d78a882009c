package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.query.answer.FrameStatus;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildProblems;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.FrameState;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.web.ProblemException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Look-ups of functions, lines and symbols of a stored build by address. For one thread. */
public final class FrameLookup {

    private static final long PT_LOAD = 1;

    private final Build build;
    private final StoredFile file;
    private final @Nullable FrameState state;
    private final StoredFrames.@Nullable Lookups frames;
    private final StoredSymbols symbols;
    private final FileOffsets offsets;
    private final SearchBudget budget = new SearchBudget(SymbolAnswers.MAX_STEPS);

    /**
     * @param state null if functions and lines have not been read
     * @param frames null if there are none
     * @param offsets of the program in its file
     */
    FrameLookup(
            Build build,
            StoredFile file,
            @Nullable FrameState state,
            @Nullable StoredFrames frames,
            StoredSymbols symbols,
            FileOffsets offsets) {
        this.build = build;
        this.file = file;
        this.state = state;
        this.frames = frames == null ? null : frames.lookups();
        this.symbols = symbols;
        this.offsets = offsets;
    }

    /**
     * Result for an address.
     *
     * @param frames the innermost first
     * @param symbol preferred symbol at the address; null for none
     * @param functionOffset bytes from that symbol, or else from the start of the code without a gap that the frames belong to; null
     *     if there is neither
     * @param detail why an offset in the file has no address; null if it has one
     */
    public record Located(
            FrameStatus status,
            List<Frame> frames,
            @Nullable SymbolAt symbol,
            @Nullable Long functionOffset,
            @Nullable String detail) {}

    static final class DamagedFramesException extends RuntimeException {

        DamagedFramesException(CorruptBlobException cause) {
            super(cause);
        }
    }

    /** Returns the exception for stored functions and lines that are unreadable: 503 if a later version stored them. */
    static RuntimeException unreadable(@Nullable FrameState state, CorruptBlobException cause) {
        return state instanceof FrameState.Stored stored && stored.isLater()
                ? new ProblemException(BuildProblems.storedByLaterVersion(stored.version(), PartVersions.FRAMES))
                : new DamagedFramesException(cause);
    }

    Build build() {
        return build;
    }

    StoredFile file() {
        return file;
    }

    /** Returns whether an earlier version of the server read symbols, functions or lines, so that they may be out of date. */
    boolean isStale() {
        return AnswerParts.isStale(file) || (state instanceof FrameState.Stored stored && stored.isStale());
    }

    /** Returns why no address has functions and lines; null if they are stored. */
    public @Nullable Failure failure() {
        return state instanceof FrameState.Without(Failure failure) ? failure : null;
    }

    /**
     * Returns addresses in the order of their places, in which look-ups read each stored block and decode each range of code once.
     *
     * @param returnAddress whether the byte before each is looked up, which is part of the call
     */
    List<CodeAddress> inOrder(Collection<CodeAddress> addresses, boolean returnAddress) {
        Map<CodeAddress, Long> places = new TreeMap<>();
        for (CodeAddress address : addresses) {
            places.put(address, place(address, returnAddress).orElse(0));
        }
        return places.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Long::compareUnsigned))
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Looks an address up.
     *
     * @param returnAddress whether the byte before it is looked up, which is part of the call
     * @throws ProblemException if all look-ups together take too long: 413
     */
    public Located at(CodeAddress address, boolean returnAddress) {
        OptionalLong place = place(address, returnAddress);
        return place.isEmpty()
                ? new Located(FrameStatus.withoutAddress(offsets), List.of(), null, null, address.missing(offsets))
                : at(place.getAsLong());
    }

    /** Returns the ELF virtual address that is looked up for an address; empty for a file offset outside of all segments. */
    OptionalLong place(CodeAddress address, boolean returnAddress) {
        return address.in(offsets, returnAddress);
    }

    /** Looks an ELF virtual address up; 413 if all look-ups together take too long. */
    Located at(long address) {
        SymbolAt symbol =
                symbols.at(address, 1, budget).first().stream().findFirst().orElse(null);
        SymbolAnswers.requireWithin(budget);
        Long offset = symbol == null ? null : symbol.offset();
        if (frames == null) {
            Failure failure = failure();
            FrameStatus status = failure == null ? FrameStatus.FAILED : statusOf(failure);
            return new Located(status, List.of(), symbol, offset, null);
        }
        try {
            List<Frame> found = frames.at(address);
            if (symbol == null && !found.isEmpty()) {
                offset = address - frames.startAt(address).orElse(address);
            }
            return new Located(FrameStatus.of(found, symbol), found, symbol, offset, null);
        } catch (CorruptBlobException e) {
            throw unreadable(state, e);
        }
    }

    /** Returns the status of all addresses of a stored build whose functions and lines are not. */
    static FrameStatus statusOf(Failure failure) {
        if (failure.cause() == Cause.NO_DEBUGINFO) {
            return FrameStatus.NO_DEBUGINFO;
        }
        return failure.cause().state() == BuildState.NOT_FOUND ? FrameStatus.SOURCE_GONE : FrameStatus.FAILED;
    }

    /**
     * Returns the address that the image begins at when it is loaded without relocation: that of the first segment, from which
     * samply counts. It is the lowest one, except in kernels of x86 that have their data per processor at 0.
     */
    long imageBase() {
        return symbols.programHeaders().stream()
                .filter(segment -> segment.type() == PT_LOAD)
                .map(ProgramHeader::address)
                .findFirst()
                .orElse(0L);
    }
}
