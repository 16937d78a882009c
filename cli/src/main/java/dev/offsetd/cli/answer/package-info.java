/**
 * Text of answers: tables, rendered from their JSON, and frames. It knows neither files nor servers.
 */
@NullMarked
package dev.offsetd.cli.answer;

import org.jspecify.annotations.NullMarked;
