package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Adds to an export what its types hold by value, and the typedefs that they point to. Not thread-safe. */
final class ExportClosure {

    private final ExportedTypes types;
    private final Set<TypeShape> visited = Collections.newSetFromMap(new IdentityHashMap<>());

    ExportClosure(ExportedTypes types) {
        this.types = types;
    }

    /** Adds a type. */
    void add(Definition definition) {
        if (types.add(definition)) {
            inside(definition.shape());
        }
    }

    /** Visits what a type is made of; the type itself has its decision. */
    private void inside(TypeShape shape) {
        if (!visited.add(shape)) {
            return;
        }
        switch (shape) {
            case AggregateShape aggregate -> {
                for (Member member : aggregate.members()) {
                    value(member.type());
                }
            }
            case AliasShape alias -> value(alias.target());
            case ArrayShape array -> value(array.element());
            case DifferingShape differing -> value(differing.types().getFirst().type());
            case FunctionShape function -> {
                target(function.result());
                function.parameters().forEach(this::target);
            }
            case PointerShape pointer -> target(pointer.target());
            case BaseShape _, EnumShape _, IncompleteShape _, NamedShape _ -> {}
        }
    }

    /** Adds what a value of this type holds. */
    void value(TypeShape shape) {
        if (!types.has(shape)) {
            types.find(shape).ifPresent(this::add);
        }
        if (types.reference(shape) == ExportedTypes.INLINE || types.reference(shape) == ExportedTypes.FORWARD) {
            inside(shape);
        }
    }

    private void target(TypeShape shape) {
        switch (shape) {
            case NamedShape named -> {
                if (named.kind() == TypeKind.TYPEDEF && !types.has(named)) {
                    types.find(named).ifPresent(this::typedef);
                }
            }
            case AliasShape alias when alias.kind() != AliasKind.TYPEDEF -> target(alias.target());
            case ArrayShape array -> target(array.element());
            default -> inside(shape);
        }
    }

    private void typedef(Definition typedef) {
        if (!(typedef.shape().innermost() instanceof AggregateShape aggregate)) {
            add(typedef);
        } else if (aggregate.name() != null) {
            // Its target is declared, unless something else holds it by value.
            types.add(typedef);
        }
    }
}
