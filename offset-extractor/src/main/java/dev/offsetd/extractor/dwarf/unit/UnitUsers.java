package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.layout.Language;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The partial units that other units import or refer to, by the address of their first byte. Thread-safe. */
final class UnitUsers {

    /** For each unit, the language among its users that ranks first. */
    private final Map<Long, Language> languages = new ConcurrentHashMap<>();

    /** Units of the supplementary file that are used and were not returned yet. */
    private final Queue<Long> newlyUsed = new ConcurrentLinkedQueue<>();

    private final int supplementaryFile;

    UnitUsers(int supplementaryFile) {
        this.supplementaryFile = supplementaryFile;
    }

    /** Notes that a unit of this language uses a unit. */
    void add(long used, Language language) {
        Language first = languages.putIfAbsent(used, language);
        if (first == null) {
            if (isSupplementary(used)) {
                newlyUsed.add(used);
            }
        } else if (language.compareTo(first) < 0) {
            languages.merge(used, language, (known, next) -> known.compareTo(next) <= 0 ? known : next);
        }
    }

    /** Returns the language among the users of a unit that ranks first. */
    Language language(long used) {
        return languages.getOrDefault(used, Languages.UNKNOWN);
    }

    private boolean isSupplementary(long used) {
        return DieAddress.file(used) == supplementaryFile;
    }

    /** Returns the units of the supplementary file that are used so far. */
    List<Long> supplementary() {
        newlyUsed.clear();
        return languages.keySet().stream().filter(this::isSupplementary).toList();
    }

    /** Returns the units of the supplementary file first used since the last call of this method, or of {@link #supplementary}. */
    List<Long> newSupplementary() {
        List<Long> found = new ArrayList<>();
        for (Long start = newlyUsed.poll(); start != null; start = newlyUsed.poll()) {
            found.add(start);
        }
        return found;
    }
}
