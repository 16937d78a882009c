/**
 * Questions about the types of a build: the item grammar, the rules that say which definition answers a name, and the
 * answers with their JSON form. It works on any index of types and of symbols and knows neither files
 * nor HTTP.
 */
@NullMarked
package dev.offsetd.extractor.item;

import org.jspecify.annotations.NullMarked;
