package dev.offsetd.extractor.input;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Reasons of failed reads and writes. The messages of the JDK's exceptions are often just the path. */
public final class IoReason {

    private IoReason() {}

    /** Returns the reason without the path. */
    public static String of(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "no such file or folder";
            case AccessDeniedException _ -> "permission denied";
            case FileAlreadyExistsException _ -> "the file exists";
            case NotDirectoryException _ -> "not a folder";
            case DirectoryNotEmptyException _ -> "the folder is not empty";
            case FileSystemException failure ->
                failure.getReason() == null ? "the system does not say why" : lower(failure.getReason());
            case CharacterCodingException _ -> "not UTF-8";
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
    }

    /** Returns the path of a file system's failure and the reason, or just the reason. */
    public static String withPath(IOException e) {
        return e instanceof FileSystemException failure && failure.getFile() != null
                ? failure.getFile() + ": " + of(e)
                : of(e);
    }

    private static String lower(String reason) {
        return Character.toLowerCase(reason.charAt(0)) + reason.substring(1);
    }
}
