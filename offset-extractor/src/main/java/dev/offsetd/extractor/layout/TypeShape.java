package dev.offsetd.extractor.layout;

import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shape of a type as far as one value of it reaches: members held by value are complete, targets of pointers are only
 * {@linkplain NamedShape named} if they have a name. Therefore the shapes of a type form no cycle.
 */
public sealed interface TypeShape
        permits AggregateShape,
                AliasShape,
                ArrayShape,
                BaseShape,
                DifferingShape,
                EnumShape,
                FunctionShape,
                IncompleteShape,
                NamedShape,
                PointerShape {

    /** {@link #byteSize()} of a type whose size the debug information does not say. */
    long UNKNOWN_SIZE = -1;

    /** Returns the type as C writes it without a name to declare: {@code const VALUE *}, {@code char [16]}. */
    default String spelling() {
        return declarator().text();
    }

    /** Returns the spelling with the place for a name. */
    default Spelling declarator() {
        return Spelling.of(spelling());
    }

    /** Returns the size in bytes, or {@link #UNKNOWN_SIZE}. */
    long byteSize();

    /**
     * Returns the unit that defines this type, or the elements of this array, if its own only declares it; else null.
     */
    default @Nullable String definingUnit() {
        TypeShape shape = this;
        while (true) {
            switch (shape) {
                case AliasShape alias -> {
                    if (alias.resolvedFrom() != null) {
                        return alias.resolvedFrom();
                    }
                    shape = alias.target();
                }
                case ArrayShape array -> shape = array.element();
                default -> {
                    return null;
                }
            }
        }
    }

    /**
     * Returns the order of the bytes of this scalar, or of the elements of this array, if it is not that of the file; else
     * null.
     */
    default @Nullable ByteOrder byteOrder() {
        return switch (innermost()) {
            case BaseShape base -> base.byteOrder();
            case EnumShape enumeration -> enumeration.byteOrder();
            default -> null;
        };
    }

    /** Returns this scalar, or this array of scalars, in a byte order; any other type as it is. */
    default TypeShape inByteOrder(@Nullable ByteOrder order) {
        return switch (this) {
            case AliasShape alias -> alias.withTarget(alias.target().inByteOrder(order));
            case ArrayShape array -> array.withElement(array.element().inByteOrder(order));
            case BaseShape base -> new BaseShape(base.spelling(), base.byteSize(), base.encoding(), order);
            case EnumShape enumeration ->
                new EnumShape(
                        enumeration.name(),
                        enumeration.spelling(),
                        enumeration.byteSize(),
                        enumeration.signed(),
                        enumeration.enumerators(),
                        order);
            default -> this;
        };
    }

    /** Returns why the reader does not know this type, or the elements of this array; null if it does. */
    default @Nullable String unsupported() {
        return innermost() instanceof IncompleteShape incomplete
                        && incomplete.reason() instanceof IncompleteShape.Reason.Unsupported unsupported
                ? unsupported.text()
                : null;
    }

    /**
     * Returns what several definitions have for this scalar, or for the elements of this array, if they differ; else
     * empty.
     */
    default List<DifferingShape.UnitType> differing() {
        return innermost() instanceof DifferingShape differing ? differing.types() : List.of();
    }

    /** Another type in the typedefs and qualifiers of this one. */
    default TypeShape rewrapping(TypeShape inner) {
        return this instanceof AliasShape alias
                ? alias.withTarget(alias.target().rewrapping(inner))
                : inner;
    }

    /** This type with typedefs and qualifiers taken off. */
    default TypeShape peeled() {
        TypeShape shape = this;
        while (shape instanceof AliasShape alias) {
            shape = alias.target();
        }
        return shape;
    }

    /** Returns this type, or that of the elements of this array, without typedefs and qualifiers. */
    default TypeShape innermost() {
        TypeShape shape = peeled();
        while (shape instanceof ArrayShape array) {
            shape = array.element().peeled();
        }
        return shape;
    }
}
