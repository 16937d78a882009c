/**
 * Types of a build in formats that other tools read. {@link dev.offsetd.query.export.ExportedTypes} selects: the whole build
 * or what some items need, with one layout for each name. An {@link dev.offsetd.query.export.ExportRenderer} writes the
 * selected types to a stream and reports what it leaves out. A new format is one more renderer: it goes through the types
 * with {@link dev.offsetd.query.export.ExportedTypes#forEach} as often as it needs, and asks {@link
 * dev.offsetd.query.export.ExportedTypes#reference} what a name inside a type refers to. Knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.query.export;

import org.jspecify.annotations.NullMarked;
