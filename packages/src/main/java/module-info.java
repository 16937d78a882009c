/** Packages, archives and images in, ELF files and their build-ids out. */
module dev.offsetd.packages {
    exports dev.offsetd.packages;
    exports dev.offsetd.packages.repositories;

    requires transitive dev.offsetd.extractor;
    requires static transitive org.jspecify;
    requires com.github.luben.zstd_jni;
    requires java.xml;
    requires org.apache.commons.compress;
    requires org.bouncycastle.pg;
    requires org.bouncycastle.provider;
    requires org.tukaani.xz;
    requires re2j;
    requires tools.jackson.databind;
}
