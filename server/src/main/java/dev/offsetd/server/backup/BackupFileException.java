package dev.offsetd.server.backup;

/** What is wrong with a file that is to be restored, and where in it; nothing of it has been written. */
public final class BackupFileException extends Exception {

    BackupFileException(String message) {
        super(message);
    }

    BackupFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
