package dev.offsetd.packages;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Architecture;
import java.util.List;

/**
 * A build found in one or more files: a program and its debug file are one build.
 *
 * @param architecture of the first file
 * @param name file name, preferably not of a debug file
 * @param places the first paths, as in {@link EntryPath}; untrusted text from archives
 */
public record FoundBuild(BuildId buildId, Architecture architecture, String name, List<String> places) {

    public FoundBuild {
        places = List.copyOf(places);
    }
}
