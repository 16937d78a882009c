package dev.offsetd.extractor.testkit;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The rule that {@link Optional} and its kin are return values only: other absent values are null. */
public final class OptionalUse {

    private OptionalUse() {}

    /** Returns the fields that are optional, and the methods and constructors with an optional parameter. */
    public static List<String> otherThanReturned(JavaClasses classes) {
        Stream<String> fields = classes.stream()
                .flatMap(type -> type.getFields().stream())
                .filter(field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC))
                .filter(field -> isOptional(field.getRawType()))
                .map(JavaField::getFullName);
        Stream<String> parameters = classes.stream()
                .flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC))
                .filter(unit -> unit.getRawParameterTypes().stream().anyMatch(OptionalUse::isOptional))
                .map(JavaCodeUnit::getFullName);
        return Stream.concat(fields, parameters).toList();
    }

    private static boolean isOptional(JavaClass type) {
        return Stream.of(Optional.class, OptionalLong.class, OptionalInt.class, OptionalDouble.class)
                .anyMatch(type::isEquivalentTo);
    }
}
