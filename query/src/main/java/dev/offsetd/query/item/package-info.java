/**
 * Items: their grammar, the rules by which a definition answers a name, and the answers.
 * Works on any index of types and symbols; knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.query.item;

import org.jspecify.annotations.NullMarked;
