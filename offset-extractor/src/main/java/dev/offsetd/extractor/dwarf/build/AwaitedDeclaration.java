package dev.offsetd.extractor.dwarf.build;

/** Thrown while not all definitions are known, and a shape depends on the one that a declaration stands for. */
final class AwaitedDeclaration extends RuntimeException {

    private static final long serialVersionUID = 1;

    AwaitedDeclaration() {
        super("a declaration is not resolved yet", null, false, false);
    }
}
