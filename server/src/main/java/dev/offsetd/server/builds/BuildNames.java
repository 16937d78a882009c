package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** Identities and titles of builds, implemented by the package that owns the identities. */
public interface BuildNames {

    /** Returns the identity of a build, or empty if none is stored. */
    Optional<Identity> find(BuildId id);

    Map<BuildId, String> titles(Collection<BuildId> ids);
}
