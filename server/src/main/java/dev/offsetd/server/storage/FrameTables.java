package dev.offsetd.server.storage;

import dev.offsetd.query.store.StoredFrames;
import org.springframework.stereotype.Component;

/** The blobs of functions and lines of all builds. */
@Component
public class FrameTables extends BlobTable<StoredFrames> {

    /** Unpacked blocks that stay in memory for the next queries of a build, as long as there is heap for them: all of a kernel. */
    private static final int KEPT_BLOCKS = 4096;

    FrameTables(Services services) {
        super(services, BuildPart.FRAMES, blob -> new StoredFrames(blob).keeping(KEPT_BLOCKS));
    }
}
