package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import java.util.Collection;
import java.util.List;

/** Builds that another package refers to. They are not deleted when too many builds without layouts are known. */
public interface BuildReferences {

    List<BuildId> referencedBuilds();

    /** Returns those of the builds that it refers to. */
    List<BuildId> referencedAmong(Collection<BuildId> ids);
}
