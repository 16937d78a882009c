package dev.offsetd.server.answers.symbols;

import dev.offsetd.server.web.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Body of a request of Mozilla's symbolication API, version 5. Calls name a module by its number, because names and debug ids may
 * have megabytes: they are compared once for each module, and not for each call.
 *
 * @param modules of all jobs, each once, in their order
 */
record SymbolicationRequest(List<Module> modules, List<Job> jobs) {

    /** Limit of calls in one request: several chunks of the Firefox Profiler, which aims at 10,000. */
    private static final int MAX_CALLS = 50_000;

    private static final int MAX_MODULES = 1_000;

    private static final int MAX_BODY_BYTES = 4 << 20;

    private static final String EXPECTED =
            "{\"jobs\": [{\"memoryMap\": [[NAME, DEBUG_ID]], \"stacks\": [[[MODULE, OFFSET]]]}]}, or one such job";

    /**
     * A program or library in the memory of a process.
     *
     * @param debugId its debug id as the client sent it; {@value #NO_DEBUG_ID} if it sent null
     */
    record Module(String name, String debugId) implements Comparable<Module> {

        /** The Firefox Profiler writes a missing debug id so when it looks a module up in {@code found_modules}. */
        private static final String NO_DEBUG_ID = "null";

        private static final Comparator<Module> ORDER =
                Comparator.comparing(Module::debugId).thenComparing(Module::name);

        @Override
        public int compareTo(Module other) {
            return ORDER.compare(this, other);
        }

        /** Returns its name in {@code found_modules}. */
        String key() {
            return name + "/" + debugId;
        }
    }

    /**
     * An entry of a stack.
     *
     * @param module number; {@value #NO_MODULE} for code outside of modules
     * @param offset bytes from the start of the module's image
     */
    record Call(int module, long offset) {

        static final int NO_MODULE = -1;
    }

    /** @param modules numbers of those in its memory map, each once, in their order */
    record Job(SortedSet<Integer> modules, List<List<Call>> stacks) {}

    /** @param memoryMap the modules, whose indices the calls have */
    private record SentJob(List<Module> memoryMap, List<List<Call>> stacks) {

        int calls() {
            return stacks.stream().mapToInt(List::size).sum();
        }

        Job numbered(Map<Module, Integer> numbers) {
            List<Integer> ofIndex = memoryMap.stream().map(numbers::get).toList();
            return new Job(
                    new TreeSet<>(ofIndex),
                    stacks.stream()
                            .map(stack -> stack.stream()
                                    .map(call -> call.module() == Call.NO_MODULE
                                            ? call
                                            : new Call(ofIndex.get(call.module()), call.offset()))
                                    .toList())
                            .toList());
        }
    }

    /** Returns the body of a request; 400 if it is not JSON, 413 if it is too large. */
    static JsonNode body(HttpServletRequest request) throws IOException {
        return JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
    }

    /** Parses a body; 400 if it is malformed, 413 if it has too many modules or calls. */
    static SymbolicationRequest of(JsonNode body) {
        List<SentJob> jobs = sentJobs(body);
        SortedMap<Module, Integer> numbers = new TreeMap<>();
        jobs.forEach(job -> job.memoryMap().forEach(module -> numbers.put(module, 0)));
        List<Module> modules = List.copyOf(numbers.keySet());
        int number = 0;
        for (Map.Entry<Module, Integer> module : numbers.entrySet()) {
            module.setValue(number++);
        }
        return new SymbolicationRequest(
                modules, jobs.stream().map(job -> job.numbered(numbers)).toList());
    }

    /** Returns the offsets of all calls by the number of their module. */
    SortedMap<Integer, Set<Long>> offsets() {
        SortedMap<Integer, Set<Long>> offsets = new TreeMap<>();
        for (Job job : jobs) {
            for (List<Call> stack : job.stacks()) {
                for (Call call : stack) {
                    if (call.module() != Call.NO_MODULE) {
                        offsets.computeIfAbsent(call.module(), _ -> new TreeSet<>())
                                .add(call.offset());
                    }
                }
            }
        }
        return offsets;
    }

    private static List<SentJob> sentJobs(JsonNode body) {
        if (!body.isObject()) {
            throw JsonBody.bad("body", body, EXPECTED);
        }
        List<SentJob> jobs = new ArrayList<>();
        if (body.has("jobs")) {
            for (JsonNode job : array(body.path("jobs"), "jobs")) {
                jobs.add(job(job, "jobs[" + jobs.size() + "]."));
            }
        } else {
            jobs.add(job(body, ""));
        }
        int modules = jobs.stream().mapToInt(job -> job.memoryMap().size()).sum();
        int calls = jobs.stream().mapToInt(SentJob::calls).sum();
        if (modules > MAX_MODULES) {
            throw JsonBody.tooLarge(modules + " modules", MAX_MODULES);
        }
        if (calls > MAX_CALLS) {
            throw JsonBody.tooLarge(calls + " calls", MAX_CALLS);
        }
        return jobs;
    }

    private static SentJob job(JsonNode json, String at) {
        List<Module> modules = new ArrayList<>();
        for (JsonNode module : array(json.path("memoryMap"), at + "memoryMap")) {
            if (!module.isArray()
                    || module.size() != 2
                    || !module.get(0).isString()
                    || !(module.get(1).isString() || module.get(1).isNull())) {
                throw JsonBody.bad(at + "memoryMap[" + modules.size() + "]", module, "[NAME, DEBUG_ID]");
            }
            modules.add(new Module(
                    module.get(0).asString(),
                    module.get(1).isNull() ? Module.NO_DEBUG_ID : module.get(1).asString()));
        }
        List<List<Call>> stacks = new ArrayList<>();
        for (JsonNode stack : array(json.path("stacks"), at + "stacks")) {
            String inStack = at + "stacks[" + stacks.size() + ']';
            List<Call> calls = new ArrayList<>();
            for (JsonNode call : array(stack, inStack)) {
                calls.add(call(call, modules.size())
                        .orElseThrow(() -> JsonBody.bad(
                                inStack + '[' + calls.size() + ']',
                                call,
                                "[MODULE, OFFSET], an index from -1 to " + (modules.size() - 1)
                                        + " and a number of at least -1")));
            }
            stacks.add(calls);
        }
        return new SentJob(modules, stacks);
    }

    /** Returns an entry of a stack; empty if it is malformed. */
    private static Optional<Call> call(JsonNode json, int modules) {
        JsonNode module = json.path(0);
        JsonNode offset = json.path(1);
        return json.isArray()
                        && json.size() == 2
                        && module.isIntegralNumber()
                        && module.canConvertToInt()
                        && module.asInt() >= -1
                        && module.asInt() < modules
                        && offset.isIntegralNumber()
                        && offset.canConvertToLong()
                        && offset.asLong() >= -1
                ? Optional.of(new Call(module.asInt(), offset.asLong()))
                : Optional.empty();
    }

    private static JsonNode array(JsonNode json, String place) {
        if (!json.isArray()) {
            throw JsonBody.bad(place, json, EXPECTED);
        }
        return json;
    }
}
