package dev.offsetd.server.startup.backup;

/** Thrown when a backup file is damaged or unsuitable. Nothing of it has been restored. */
public final class BackupFileException extends Exception {

    BackupFileException(String message) {
        super(message);
    }

    BackupFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
