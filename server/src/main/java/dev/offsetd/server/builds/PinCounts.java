package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import java.util.Collection;
import java.util.Map;

/** Counts of active pins, implemented by the package that owns the pins. */
public interface PinCounts {

    /** Returns the number of active pins of each of these builds that has any. */
    Map<BuildId, Integer> activePins(Collection<BuildId> ids);
}
