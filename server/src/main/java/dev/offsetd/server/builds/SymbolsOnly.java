package dev.offsetd.server.builds;

/** A file of which only the symbols are usable and stored. */
public record SymbolsOnly(StoredFile file, int count) {

    /**
     * Returns whether these symbols replace others of the same build. A source outranks an upload, only the uploader replaces an
     * upload, and otherwise more symbols replace fewer.
     */
    public boolean replaces(SymbolsOnly other) {
        Upload upload = file.upload();
        Upload otherUpload = other.file.upload();
        if (upload == null) {
            return otherUpload != null || count >= other.count;
        }
        boolean readAnew = file.sha256().equals(other.file.sha256())
                && file.versions().symbols() > other.file.versions().symbols();
        return otherUpload != null
                && upload.sameUploaderAs(otherUpload.token(), otherUpload.label())
                && (count > other.count || readAnew);
    }
}
