package dev.offsetd.server.answers.symbols;

import dev.offsetd.server.web.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Body of a request of Mozilla's symbolication API, version 5. */
final class SymbolicationRequest {

    /** Limit of calls in one request: several chunks of the Firefox Profiler, which aims at 10,000. */
    private static final int MAX_CALLS = 50_000;

    private static final int MAX_MODULES = 1_000;

    private static final int MAX_BODY_BYTES = 4 << 20;

    private static final String EXPECTED =
            "{\"jobs\": [{\"memoryMap\": [[NAME, DEBUG_ID]], \"stacks\": [[[MODULE, OFFSET]]]}]}, or one such job";

    private SymbolicationRequest() {}

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
     * @param module index; -1 for code outside of modules
     * @param offset bytes from the start of the module's image
     */
    record Call(int module, long offset) {}

    record Job(List<Module> modules, List<List<Call>> stacks) {

        List<Call> calls() {
            return stacks.stream().flatMap(List::stream).toList();
        }
    }

    /** Parses the body of a request; 400 if it is malformed, 413 if it is too large. */
    static List<Job> jobs(HttpServletRequest request) throws IOException {
        JsonNode body = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        if (!body.isObject()) {
            throw JsonBody.bad("body", body, EXPECTED);
        }
        List<Job> jobs = new ArrayList<>();
        if (body.has("jobs")) {
            for (JsonNode job : array(body.path("jobs"), "jobs")) {
                jobs.add(job(job, "jobs[" + jobs.size() + "]."));
            }
        } else {
            jobs.add(job(body, ""));
        }
        int modules = jobs.stream().mapToInt(job -> job.modules().size()).sum();
        int calls = jobs.stream().mapToInt(job -> job.calls().size()).sum();
        if (modules > MAX_MODULES) {
            throw JsonBody.tooLarge(modules + " modules", MAX_MODULES);
        }
        if (calls > MAX_CALLS) {
            throw JsonBody.tooLarge(calls + " calls", MAX_CALLS);
        }
        return jobs;
    }

    private static Job job(JsonNode json, String at) {
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
        return new Job(modules, stacks);
    }

    /** Returns an entry of a stack; empty if it is malformed. */
    private static Optional<Call> call(JsonNode json, int modules) {
        JsonNode module = json.path(0);
        JsonNode offset = json.path(1);
        return json.isArray()
                        && json.size() == 2
                        && module.canConvertToExactIntegral()
                        && module.canConvertToInt()
                        && module.asInt() >= -1
                        && module.asInt() < modules
                        && offset.canConvertToExactIntegral()
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
