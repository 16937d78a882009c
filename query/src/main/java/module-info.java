/** Items, answers and stored catalogues over the layouts and symbols of builds. */
module dev.offsetd.query {
    exports dev.offsetd.query.answer;
    exports dev.offsetd.query.bundle;
    exports dev.offsetd.query.check;
    exports dev.offsetd.query.consensus;
    exports dev.offsetd.query.diff;
    exports dev.offsetd.query.export;
    exports dev.offsetd.query.gooffsets;
    exports dev.offsetd.query.item;
    exports dev.offsetd.query.overlay;
    exports dev.offsetd.query.resolve;
    exports dev.offsetd.query.store;
    exports dev.offsetd.query.symbol;
    exports dev.offsetd.query.typeset;

    requires transitive dev.offsetd.extractor;
    requires static transitive org.jspecify;
    requires com.github.luben.zstd_jni;
    requires re2j;
    requires java.xml;
    requires transitive tools.jackson.core;
}
