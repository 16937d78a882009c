/**
 * Text tables of answers, rendered from their JSON. It knows neither files nor servers.
 */
@NullMarked
package dev.offsetd.cli.answer;

import org.jspecify.annotations.NullMarked;
