/** ELF, DWARF and BTF in, layouts and symbols out. */
module dev.offsetd.extractor {
    exports dev.offsetd.extractor.layout;
    exports dev.offsetd.extractor.input;
    exports dev.offsetd.extractor.item;
    exports dev.offsetd.extractor.blob;
    exports dev.offsetd.extractor.catalogue;
    exports dev.offsetd.extractor.extract;
    exports dev.offsetd.extractor.pin;
    exports dev.offsetd.extractor.resolve;
    exports dev.offsetd.extractor.diff;
    exports dev.offsetd.extractor.text;
    exports dev.offsetd.extractor.symbol;
    exports dev.offsetd.extractor.typeset;

    requires static transitive org.jspecify;
    requires com.github.luben.zstd_jni;
    requires org.tukaani.xz;
    requires transitive tools.jackson.core;
}
