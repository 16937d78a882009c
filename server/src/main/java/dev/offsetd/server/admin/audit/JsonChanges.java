package dev.offsetd.server.admin.audit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What two JSON texts say differently, member by member. */
final class JsonChanges {

    /** Most members that are listed; of a large type set nobody reads more. */
    static final int MOST = 200;

    private JsonChanges() {}

    /**
     * One member.
     *
     * @param path names joined by points, elements of arrays by their number in brackets; empty for a text that is one value
     * @param before its value, or null if it was not there
     * @param after its value, or null if it is gone
     */
    record Change(
            String path, @Nullable String before, @Nullable String after) {

        /** A character for the kind of change. */
        public String sign() {
            return before == null ? "+" : after == null ? "−" : before.equals(after) ? "=" : "≠";
        }

        /** The same in a word. */
        public String word() {
            return before == null ? "new" : after == null ? "gone" : before.equals(after) ? "same" : "changed";
        }
    }

    /**
     * The members of both texts: those that differ, or all where there is only one text.
     *
     * @param before null if there was nothing
     * @param after null if there is nothing any more
     */
    static List<Change> between(JsonMapper json, @Nullable String before, @Nullable String after) {
        Map<String, String> old = members(json, before);
        Map<String, String> now = members(json, after);
        Set<String> paths = new LinkedHashSet<>(old.keySet());
        paths.addAll(now.keySet());
        List<Change> changes = new ArrayList<>();
        for (String path : paths) {
            if (!Objects.equals(old.get(path), now.get(path)) && changes.size() < MOST) {
                changes.add(new Change(path, old.get(path), now.get(path)));
            }
        }
        return List.copyOf(changes);
    }

    private static Map<String, String> members(JsonMapper json, @Nullable String text) {
        Map<String, String> members = new LinkedHashMap<>();
        if (text != null) {
            collect(json.readTree(text), "", members);
        }
        return members;
    }

    private static void collect(JsonNode node, String path, Map<String, String> members) {
        if (node.isObject() && !node.isEmpty()) {
            node.properties()
                    .forEach(member -> collect(
                            member.getValue(),
                            path.isEmpty() ? member.getKey() : path + "." + member.getKey(),
                            members));
        } else if (node.isArray() && !node.isEmpty()) {
            for (int i = 0; i < node.size(); i++) {
                collect(node.get(i), path + "[" + i + "]", members);
            }
        } else {
            members.put(path, node.isString() ? node.stringValue() : node.toString());
        }
    }
}
