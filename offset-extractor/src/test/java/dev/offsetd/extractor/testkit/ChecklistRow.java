package dev.offsetd.extractor.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The risks of the reliability checklist that a test, or every test of a class, covers. The report that is made of these
 * names each risk with its tests; a risk without a test that ran fails the build.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ChecklistRow {

    /** Numbers of rows, from 1. */
    int[] value();
}
