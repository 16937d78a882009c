package dev.offsetd.extractor.dwarf.scan;

/** Distinct definitions of one unit, or some of them; and once its last definition is among them, its distinct variables. */
public record MergedRows(DefinitionTable definitions, VariableTable variables) {

    public boolean isEmpty() {
        return definitions.count() == 0 && variables.count() == 0;
    }
}
