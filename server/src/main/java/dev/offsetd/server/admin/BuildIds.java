package dev.offsetd.server.admin;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Lists of build-ids in form fields. */
public final class BuildIds {

    private static final Pattern BETWEEN_IDS = Pattern.compile("[\\s,;]+");

    private BuildIds() {}

    /**
     * Parses build-ids separated by white space, commas or semicolons. Repeated ones count once.
     *
     * @throws IllegalArgumentException if a word is not a build-id or there are too many; the message is for the user
     */
    public static List<BuildId> parse(String text, int most) {
        Set<BuildId> ids = new LinkedHashSet<>();
        for (String word : BETWEEN_IDS.split(text, -1)) {
            if (word.isEmpty()) {
                continue;
            }
            try {
                ids.add(BuildId.parseKey(word));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        HostileText.quote(word) + " is not a build-id: " + e.getMessage(), e);
            }
        }
        if (ids.size() > most) {
            throw new IllegalArgumentException(ids.size() + " builds; expected at most " + most);
        }
        return List.copyOf(ids);
    }
}
