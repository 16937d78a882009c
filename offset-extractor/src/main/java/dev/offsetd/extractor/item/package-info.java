/**
 * Questions about the types of a build: the item grammar, the rules that say which definition answers a name, and the
 * answers with their JSON form. It works on any {@link dev.offsetd.extractor.layout.TypeIndex} and knows neither files
 * nor HTTP.
 */
@NullMarked
package dev.offsetd.extractor.item;

import org.jspecify.annotations.NullMarked;
