package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.SymbolAt;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.ParallelTasks;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.symbols.FrameAnswers.First;
import dev.offsetd.server.answers.symbols.FrameLookup.Located;
import dev.offsetd.server.answers.symbols.SymbolicationRequest.Call;
import dev.offsetd.server.answers.symbols.SymbolicationRequest.Job;
import dev.offsetd.server.answers.symbols.SymbolicationRequest.Module;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

/**
 * Mozilla's symbolication API, version 5, as the Firefox Profiler and samply use it. It knows a build by the first 16 bytes of its
 * build-id, so only builds that are stored can be found.
 */
@RestController
class SymbolicationController {

    /** Characters of the names and paths in an answer, which has them again for each call. */
    private static final long MAX_WRITTEN = 4 * FrameAnswers.Allowance.MAX_CHARACTERS;

    private final BuildKeys keys;
    private final FrameAnswers answers;
    private final RateLimits limits;
    private final ComputePool threads;

    SymbolicationController(
            BuildKeys keys,
            FrameAnswers answers,
            RateLimits limits,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.keys = keys;
        this.answers = answers;
        this.limits = limits;
        this.threads = threads;
    }

    /** The Firefox Profiler sends the body as text. */
    @PostMapping("/symbolicate/v5")
    ResponseEntity<SpooledBody> post(HttpServletRequest request) throws IOException {
        JsonNode json = SymbolicationRequest.body(request);
        SymbolicationRequest sent = threads.answer(() -> SymbolicationRequest.of(json));
        SortedMap<Integer, Set<Long>> offsets = threads.answer(sent::offsets);
        Caller caller = Caller.of(request);
        limits.charge(caller, offsets.size() - 1L);
        FrameAnswers.Allowance allowance = new FrameAnswers.Allowance(FrameAnswers.Allowance.MAX_CHARACTERS);
        // The protocol has no way to say that a build takes longer.
        Wait wait = new Wait(Wait.MAX, false).permittedTo(request);
        Map<Integer, Map<Long, Located>> results = new TreeMap<>();
        ParallelTasks.all(
                        offsets.entrySet(),
                        wanted -> Map.entry(
                                wanted.getKey(),
                                find(sent.modules().get(wanted.getKey()), wanted.getValue(), caller, wait, allowance)))
                .forEach(found -> results.put(found.getKey(), found.getValue()));
        SpooledBody body = threads.answer(() -> SpooledBody.of(Representation.JSON, out -> {
            out.writeArrayPropertyStart("results");
            FrameAnswers.Allowance written = new FrameAnswers.Allowance(MAX_WRITTEN);
            sent.jobs().forEach(job -> write(out, sent.modules(), job, results, written));
            out.writeEndArray();
        }));
        return new Answer(Representation.JSON, body, false).response(request);
    }

    /** Returns what is at these offsets; empty if the module is unknown or not unique, or has no functions and lines. */
    private Map<Long, Located> find(
            Module module, Set<Long> offsets, Caller caller, Wait wait, FrameAnswers.Allowance allowance) {
        Optional<BuildId> id = keys.ofDebugId(module.debugId());
        if (id.isEmpty()) {
            return Map.of();
        }
        BuildRequest request = new BuildRequest(id.get(), caller, Part.SYMBOLS, wait, module.name());
        First first = new First(
                offsets.stream().map(offset -> new CodeAddress(offset, false)).toList(), false, List.of(), true);
        try {
            return answers.lookUp(request, first, lookup -> located(lookup, offsets, allowance))
                    .orElse(Map.of());
        } catch (ProblemException e) {
            if (e.problem().status() == HttpStatus.CONTENT_TOO_LARGE) {
                throw e;
            }
            return Map.of();
        }
    }

    /** Returns what is at these offsets; empty without functions, lines and symbols. */
    private static Map<Long, Located> located(FrameLookup lookup, Set<Long> offsets, FrameAnswers.Allowance allowance) {
        long base = lookup.imageBase();
        Map<Long, Located> located = new HashMap<>();
        offsets.forEach(offset -> located.put(offset, allowance.take(lookup.at(base + offset))));
        boolean found = lookup.failure() == null || located.values().stream().anyMatch(each -> each.symbol() != null);
        return found ? located : Map.of();
    }

    /** @param allowance of the answer, which repeats names for each call */
    private static void write(
            JsonGenerator out,
            List<Module> modules,
            Job job,
            Map<Integer, Map<Long, Located>> results,
            FrameAnswers.Allowance allowance) {
        out.writeStartObject();
        out.writeArrayPropertyStart("stacks");
        for (List<Call> stack : job.stacks()) {
            out.writeStartArray();
            for (int i = 0; i < stack.size(); i++) {
                Call call = stack.get(i);
                boolean known = call.module() != Call.NO_MODULE;
                Located located =
                        known ? results.getOrDefault(call.module(), Map.of()).get(call.offset()) : null;
                String name = known ? modules.get(call.module()).name() : "<unknown>";
                allowance.add(name.length());
                out.writeStartObject();
                out.writeNumberProperty("frame", i);
                out.writeStringProperty("module", name);
                out.writeStringProperty("module_offset", "0x" + Long.toHexString(call.offset()));
                if (located != null) {
                    write(out, allowance.take(located));
                }
                out.writeEndObject();
            }
            out.writeEndArray();
        }
        out.writeEndArray();
        out.writeObjectPropertyStart("found_modules");
        for (int module : job.modules()) {
            String key = modules.get(module).key();
            Map<Long, Located> result = results.get(module);
            if (result == null) {
                out.writeNullProperty(key);
            } else {
                out.writeBooleanProperty(key, !result.isEmpty());
            }
        }
        out.writeEndObject();
        out.writeEndObject();
    }

    /** The outermost function is the frame; functions that are inlined into it come beside, the innermost first. */
    private static void write(JsonGenerator out, Located located) {
        SymbolAt symbol = located.symbol();
        List<Frame> frames = located.frames();
        Frame outermost = frames.isEmpty() ? null : frames.getLast();
        String name = outermost == null ? null : outermost.function();
        String function = name == null && symbol != null ? symbol.symbol().name() : name;
        writePlace(out, function, outermost);
        Long offset = located.functionOffset();
        if (function != null && offset != null) {
            // The profiler ignores functions without an offset.
            out.writeStringProperty("function_offset", "0x" + Long.toHexString(offset));
            // The profiler shows so much assembly code of the function.
            if (symbol != null && symbol.symbol().size() != 0) {
                out.writeStringProperty(
                        "function_size", "0x" + Long.toHexString(symbol.symbol().size()));
            }
        }
        if (frames.size() > 1) {
            out.writeArrayPropertyStart("inlines");
            for (Frame inline : frames.subList(0, frames.size() - 1)) {
                out.writeStartObject();
                writePlace(out, inline.function(), inline);
                out.writeEndObject();
            }
            out.writeEndArray();
        }
    }

    private static void writePlace(JsonGenerator out, @Nullable String function, @Nullable Frame frame) {
        if (function != null) {
            out.writeStringProperty("function", function);
        }
        if (frame != null && frame.file() != null) {
            out.writeStringProperty("file", frame.file());
            if (frame.line() > 0) {
                out.writeNumberProperty("line", frame.line());
            }
        }
    }
}
