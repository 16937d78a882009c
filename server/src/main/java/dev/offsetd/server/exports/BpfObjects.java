package dev.offsetd.server.exports;

import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.query.check.ProgramCheck;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ContentMeter;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Compiled BPF programs in request bodies. Few are received at a time, because each is in memory while it is read. */
@Component
final class BpfObjects {

    /** Heap for one object: its bytes, and the types and names that are read of it. */
    private static final long BYTES_OF_EACH = 64L << 20;

    private static final int MOST = 16;

    private final Shares shares =
            new Shares("BPF objects", Math.clamp(Runtime.getRuntime().maxMemory() / 2 / BYTES_OF_EACH, 1, MOST));
    private final ComputePool threads;

    BpfObjects(@Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
    }

    private interface Reading<T> {
        T of(byte[] object) throws ExtractionException;
    }

    /**
     * Returns the types that the program in the body of a request relocates.
     *
     * @throws ProblemException if the body is not a BPF program (400), exceeds a limit (413), or others are being received (503)
     */
    Set<NamedShape> relocatedTypes(HttpServletRequest request) throws IOException {
        return read(request, BpfObject::relocatedTypes);
    }

    /**
     * Returns the check of the program in the body of a request.
     *
     * @throws ProblemException as {@link #relocatedTypes}
     */
    ProgramCheck check(HttpServletRequest request) throws IOException {
        ProgramCheck check = read(request, object -> new ProgramCheck(BpfObject.program(object)));
        ContentMeter.add(request, check.items().size(), 0);
        return check;
    }

    private <T> T read(HttpServletRequest request, Reading<T> reading) throws IOException {
        try (InputStream in = request.getInputStream();
                InputStream body = Shares.begun(in);
                Shares.Place _ = shares.take(Caller.of(request))) {
            byte[] object = body.readNBytes(BpfObject.MAX_BYTES + 1);
            return threads.answer(() -> read(object, reading));
        }
    }

    private static <T> T read(byte[] object, Reading<T> reading) {
        try {
            return reading.of(object);
        } catch (LimitExceededException e) {
            throw JsonBody.tooLarge(String.valueOf(e.getMessage()), e.allowed());
        } catch (ExtractionException e) {
            throw ProblemException.badRequest("bad_body", "The body cannot be read", String.valueOf(e.getMessage()));
        }
    }
}
