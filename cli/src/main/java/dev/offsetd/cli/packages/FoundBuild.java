package dev.offsetd.cli.packages;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import java.util.List;

/**
 * A build that was found, once or in several places: a program and its debug file are one.
 *
 * @param architecture of the file that was found first
 * @param name the last part of the name of a file that has it, no debug file's if there is another
 * @param places the first of the places where it was found: the path, and behind each {@code !} the name inside the archive
 *     before it; text from archives, which may hold anything
 */
public record FoundBuild(BuildId buildId, Architecture architecture, String name, List<String> places) {

    public FoundBuild {
        places = List.copyOf(places);
    }
}
