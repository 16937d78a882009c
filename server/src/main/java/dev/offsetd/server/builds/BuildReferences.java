package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import java.util.List;

/** Builds that another package refers to. They are not deleted when too many builds without layouts are known. */
public interface BuildReferences {

    List<BuildId> referencedBuilds();
}
