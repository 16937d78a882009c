package dev.offsetd.server.builds;

/**
 * A file whose symbols are stored although its debug information cannot serve.
 *
 * @param file what the symbols were read from
 * @param count how many there are
 */
public record SymbolsOnly(StoredFile file, int count) {

    /**
     * Whether these symbols take the place of others of the same build: who serves a file to everybody comes before whoever
     * uploaded one, nobody replaces another's upload, and else more come before fewer.
     */
    public boolean replaces(SymbolsOnly other) {
        Upload upload = file.upload();
        Upload otherUpload = other.file.upload();
        if (upload == null) {
            return otherUpload != null || count >= other.count;
        }
        boolean readAnew =
                file.sha256().equals(other.file.sha256()) && file.extractorVersion() > other.file.extractorVersion();
        return otherUpload != null && upload.sameUploaderAs(otherUpload) && (count > other.count || readAnew);
    }
}
