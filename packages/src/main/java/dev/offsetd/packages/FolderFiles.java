package dev.offsetd.packages;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The regular files of a folder and its subfolders in order of their paths. Symbolic links are not followed.
 *
 * @param unreadable subfolders whose files are unknown
 */
public record FolderFiles(List<Path> files, List<UnreadableFolder> unreadable) {

    public FolderFiles {
        files = List.copyOf(files);
        unreadable = List.copyOf(unreadable);
    }

    /** A subfolder that cannot be listed. */
    public record UnreadableFolder(Path path, IOException failure) {}

    /**
     * Lists the files of a folder. {@link Files#walk} would end at the first subfolder that cannot be read.
     *
     * @throws IOException if the folder itself cannot be read
     */
    public static FolderFiles of(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        List<UnreadableFolder> unreadable = new ArrayList<>();
        Deque<Path> waiting = new ArrayDeque<>(children(folder));
        while (!waiting.isEmpty()) {
            Path next = waiting.pop();
            if (Files.isRegularFile(next, LinkOption.NOFOLLOW_LINKS)) {
                files.add(next);
            } else if (Files.isDirectory(next, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    // Reversed, so that the stack pops them in order of their names.
                    children(next).reversed().forEach(waiting::push);
                } catch (IOException e) {
                    unreadable.add(new UnreadableFolder(next, e));
                }
            }
        }
        return new FolderFiles(files, unreadable);
    }

    private static List<Path> children(Path folder) throws IOException {
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(children::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        children.sort(null);
        return children;
    }
}
