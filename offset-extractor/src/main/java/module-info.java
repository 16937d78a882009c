/** ELF, DWARF and BTF in, layouts and symbols out. */
module dev.offsetd.extractor {
    exports dev.offsetd.extractor;
    exports dev.offsetd.extractor.bpf;
    exports dev.offsetd.extractor.builds;
    exports dev.offsetd.extractor.frames;
    exports dev.offsetd.extractor.identity;
    exports dev.offsetd.extractor.layout;
    exports dev.offsetd.extractor.symbols;
    exports dev.offsetd.extractor.input;
    exports dev.offsetd.extractor.training;

    requires static transitive org.jspecify;
    requires com.github.luben.zstd_jni;
    requires org.tukaani.xz;
    requires re2j;
}
