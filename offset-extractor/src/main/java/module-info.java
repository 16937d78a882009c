/** ELF, DWARF and BTF in, layouts out. */
module dev.offsetd.extractor {
    exports dev.offsetd.extractor.layout;
    exports dev.offsetd.extractor.input;
    exports dev.offsetd.extractor.item;
    exports dev.offsetd.extractor.catalogue;
    exports dev.offsetd.extractor.extract;
    exports dev.offsetd.extractor.resolve;
    exports dev.offsetd.extractor.diff;
    exports dev.offsetd.extractor.text;

    requires static transitive org.jspecify;
    requires com.github.luben.zstd_jni;
    requires transitive tools.jackson.core;
}
