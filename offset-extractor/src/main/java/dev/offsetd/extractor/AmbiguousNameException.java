package dev.offsetd.extractor;

import dev.offsetd.extractor.layout.Definition;
import java.util.List;
import java.util.stream.Collectors;

/** A name that several definitions with different layouts have. */
public final class AmbiguousNameException extends RuntimeException {

    private static final long serialVersionUID = 1;

    AmbiguousNameException(String name, List<Definition> definitions) {
        super(name + " has " + definitions.size() + " definitions with different layouts, in "
                + definitions.stream().map(Definition::unit).distinct().limit(3).collect(Collectors.joining(", "))
                + "; name its scope, or choose one from types()");
    }
}
