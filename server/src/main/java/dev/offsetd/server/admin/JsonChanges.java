package dev.offsetd.server.admin;

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

/** Differences between two JSON texts, member by member. */
final class JsonChanges {

    /** Most members listed. */
    static final int MOST = 200;

    private JsonChanges() {}

    /**
     * One member.
     *
     * @param path names separated by dots, with indexes of arrays in brackets; empty for a text that is one value
     * @param before its value; null if it was added
     * @param after its value; null if it was removed
     */
    record JsonChange(
            String path, @Nullable String before, @Nullable String after) {

        public String sign() {
            return before == null ? "+" : after == null ? "−" : "≠";
        }

        public String word() {
            return before == null ? "added" : after == null ? "removed" : "changed";
        }
    }

    /**
     * Members that differ between two texts.
     *
     * @param first as many as the page shows
     * @param total number of all of them
     */
    record ChangeList(List<JsonChange> first, int total) {}

    /**
     * Returns the members that differ; all if one text is missing.
     *
     * @param before null if the subject was created
     * @param after null if the subject was deleted
     */
    static ChangeList between(JsonMapper json, @Nullable String before, @Nullable String after) {
        Map<String, String> old = members(json, before);
        Map<String, String> now = members(json, after);
        Set<String> paths = new LinkedHashSet<>(old.keySet());
        paths.addAll(now.keySet());
        List<JsonChange> changes = new ArrayList<>();
        for (String path : paths) {
            if (!Objects.equals(old.get(path), now.get(path))) {
                changes.add(new JsonChange(path, old.get(path), now.get(path)));
            }
        }
        return new ChangeList(List.copyOf(changes.subList(0, Math.min(changes.size(), MOST))), changes.size());
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
