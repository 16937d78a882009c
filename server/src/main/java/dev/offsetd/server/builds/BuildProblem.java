package dev.offsetd.server.builds;

import org.jspecify.annotations.Nullable;

/**
 * Why nothing is stored of a build.
 *
 * @param code names the cause for programs
 * @param section section of the debug file, or null if the file is not to blame
 * @param offset bytes from the start of the section, or null if no single place is to blame
 */
public record BuildProblem(
        String code,
        String detail,
        @Nullable String section,
        @Nullable Long offset) {}
