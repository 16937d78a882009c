/**
 * Checks: whether a consumer of layouts works with a build. A consumer is a compiled BPF program, a type set, or a name map.
 *
 * <p>The rules for a program are libbpf's ({@code relo_core.c}): a relocation searches types of the same kind and the same name up
 * to {@code ___}, and members by name. Candidates with different results are refused. Relocations for existence, and those of
 * types, are 0 without a candidate; the instruction of any other one must not run then. Programs guard such instructions by a
 * relocation for existence.
 */
@NullMarked
package dev.offsetd.query.check;

import org.jspecify.annotations.NullMarked;
