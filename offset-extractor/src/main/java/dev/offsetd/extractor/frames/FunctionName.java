package dev.offsetd.extractor.frames;

import org.jspecify.annotations.Nullable;

/**
 * Names of a function.
 *
 * @param name with the scopes around it
 * @param linkageName the name that linkers see, or null if it is the same or unknown
 */
public record FunctionName(String name, @Nullable String linkageName) implements Comparable<FunctionName> {

    /** Returns the characters of both names. */
    public int length() {
        return name.length() + (linkageName == null ? 0 : linkageName.length());
    }

    @Override
    public int compareTo(FunctionName other) {
        int order = name.compareTo(other.name);
        if (order != 0 || linkageName == null || other.linkageName == null) {
            return order != 0 ? order : Boolean.compare(linkageName != null, other.linkageName != null);
        }
        return linkageName.compareTo(other.linkageName);
    }
}
