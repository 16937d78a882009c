/**
 * Answers as tables for people, drawn from their JSON form, whoever made it. It knows neither files nor servers.
 */
@NullMarked
package dev.offsetd.cli.answer;

import org.jspecify.annotations.NullMarked;
