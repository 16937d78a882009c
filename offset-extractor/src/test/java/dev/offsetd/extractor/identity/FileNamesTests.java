package dev.offsetd.extractor.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.identity.IdentityField.Kind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileNamesTests {

    private static @Nullable String first(Identity identity, Kind kind) {
        return identity.first(kind).orElse(null);
    }

    @ParameterizedTest
    @CsvSource({
        "libruby3.1-dbgsym_3.1.2-7+deb12u1_amd64.deb, libruby3.1, 3.1.2-7+deb12u1, 3.1.2, Debian 12",
        "pool/main/p/php8.2/php8.2-cli_8.2.36-1~deb12u1_amd64.deb, php8.2-cli, 8.2.36-1~deb12u1, 8.2.36, Debian 12",
        "libc6-dbg_2.36-9_arm64.deb, libc6, 2.36-9, 2.36,",
        "libpq5_1%3a15.3-0+deb12u1_amd64.deb, libpq5, 15.3-0+deb12u1, 15.3, Debian 12",
        "erlang-base_25.2.3+dfsg-1+deb12u4_amd64.deb, erlang-base, 25.2.3+dfsg-1+deb12u4, 25.2.3, Debian 12",
        "curl_8.5.0-2~bpo12+1_amd64.deb, curl, 8.5.0-2~bpo12+1, 8.5.0, Debian 12",
        "libssl3-dbgsym_3.0.2-0ubuntu1.18_amd64.ddeb, libssl3, 3.0.2-0ubuntu1.18, 3.0.2, Ubuntu",
        "python3.10_3.10.12-1~22.04.3_amd64.deb, python3.10, 3.10.12-1~22.04.3, 3.10.12, Ubuntu 22.04",
        "nginx_1.18.0-0ubuntu0.20.04.1_amd64.deb, nginx, 1.18.0-0ubuntu0.20.04.1, 1.18.0, Ubuntu 20.04",
        "glibc-2.39-2.fc40.x86_64.rpm, glibc, 2.39-2.fc40, 2.39, Fedora 40",
        "glibc-debuginfo-2.34-60.el9_2.7.aarch64.rpm, glibc, 2.34-60.el9_2.7, 2.34, RHEL 9",
        "kernel-debuginfo-common-x86_64-4.18.0-477.el8.x86_64.rpm, kernel, 4.18.0-477.el8, 4.18.0, RHEL 8",
        "bash-5.2.15-1.amzn2023.0.2.x86_64.rpm, bash, 5.2.15-1.amzn2023.0.2, 5.2.15, Amazon Linux 2023",
        "zstd-1.5.5-lp155.1.2.x86_64.rpm, zstd, 1.5.5-lp155.1.2, 1.5.5, openSUSE Leap 15.5",
        "ruby-debug-3.0.6-1-x86_64.pkg.tar.zst, ruby, 3.0.6-1, 3.0.6, Arch Linux",
        "musl-dbg-1.2.4-r2.apk, musl, 1.2.4-r2, 1.2.4, Alpine Linux"
    })
    void packagesAreNamedAsTheirFormatNamesThem(
            String name, String packageName, String packageVersion, String version, String distribution) {
        Identity identity = FileNames.ofArchive(name, "archive name");

        assertThat(first(identity, Kind.PACKAGE)).isEqualTo(packageName);
        assertThat(first(identity, Kind.PACKAGE_VERSION)).isEqualTo(packageVersion);
        assertThat(first(identity, Kind.VERSION)).isEqualTo(version);
        assertThat(first(identity, Kind.DISTRIBUTION)).isEqualTo(distribution);
        assertThat(identity.fields())
                .filteredOn(IdentityField::derived)
                .extracting(IdentityField::kind)
                .containsOnly(
                        distribution == null
                                ? new Kind[] {Kind.VERSION}
                                : new Kind[] {Kind.VERSION, Kind.DISTRIBUTION});
    }

    @Test
    void otherArchivesSayNothing() {
        assertThat(FileNames.ofArchive("image.tar", "archive name")).isEqualTo(Identity.UNKNOWN);
        assertThat(FileNames.ofArchive("", "archive name")).isEqualTo(Identity.UNKNOWN);
        assertThat(FileNames.ofArchive("a-".repeat(10_000) + "1.rpm", "archive name"))
                .isEqualTo(Identity.UNKNOWN);
    }

    @Test
    void pathInArchivesNamesTheFileAndItsPackage() {
        Identity inPackage = FileNames.ofPath(
                "image.tar!pool/libruby3.4_3.4.5-1_amd64.deb!./usr/lib/libruby-3.4.so.3.4.5", "prewarm path");
        assertThat(inPackage.all(Kind.FILE_NAME)).containsExactly("libruby-3.4.so.3.4.5");
        assertThat(inPackage.all(Kind.PACKAGE)).containsExactly("libruby3.4");
        assertThat(inPackage.all(Kind.PACKAGE_VERSION)).containsExactly("3.4.5-1");
        assertThat(inPackage.fields()).extracting(IdentityField::source).containsOnly("prewarm path");
        assertThat(FileNames.ofPath("/srv/app_1.0_amd64.deb", "prewarm path").all(Kind.PACKAGE))
                .isEmpty();
        assertThat(FileNames.ofPath("!", "prewarm path")).isEqualTo(Identity.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource({
        "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2, libruby-3.1.so.3.1.2",
        "libruby.so.3.4.5.debug, libruby.so.3.4.5",
        "/usr/lib/debug/usr/lib64/libc.so.6-2.39-2.fc40.x86_64.debug, libc.so.6",
        "C:\\builds\\vmlinux, vmlinux",
        "/usr/lib/debug/.build-id/ab/5fd64287a4a6a83f8d4e1ec7ff9f0b2c2b4e77.debug,",
        "8f7e08b5cd1f0cb1a25d1ab44ef46e9c4c5b1f3a,",
        "debuginfo,",
        "/var/cache/x/executable,"
    })
    void filesAreNamedUnlessTheNameIsABuildId(String path, String name) {
        assertThat(first(FileNames.ofFile(path, "file name"), Kind.FILE_NAME)).isEqualTo(name);
    }
}
