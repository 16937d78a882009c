package dev.offsetd.server.builds.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityOrderTests {

    @ParameterizedTest
    @CsvSource({
        "3.4.9, 3.4.10",
        "3.4, 3.4.1",
        "9, 10",
        "2.41-12, 2.41-13",
        "1.0~rc1, 1.0",
        "1.0rc2, 1.0",
        "1.0-rc.1, 1.0",
        "1.0rc1, 1.0rc2",
        "1.0beta1, 1.0rc1",
        "v1.9.0, 1.10.0",
        "6.12.43+deb13-amd64, 6.12.48+deb13-amd64",
        "1.09, 1.10"
    })
    void lowerVersionSortsFirst(String lower, String higher) {
        assertThat(IdentityOrder.versionOrder(lower)).isLessThan(IdentityOrder.versionOrder(higher));
    }

    @ParameterizedTest
    @CsvSource({
        "SONAME, libruby.so.3.4, libruby",
        "SONAME, libruby-3.4.so.3.4, libruby",
        "SONAME, libc.so.6, libc",
        "SONAME, libstdc++.so.6, libstdc++",
        "SONAME, libssl3.so, libssl",
        "FILE_NAME, /usr/bin/python3.13, python",
        "FILE_NAME, vmlinux-6.12.43+deb13-amd64, vmlinux",
        "FILE_NAME, boot/vmlinuz, vmlinux",
        "GO_MODULE, github.com/example/tool, github.com/example/tool",
        "PROJECT, ruby, ruby"
    })
    void familyIsTheNameWithoutItsVersion(IdentityField.Kind kind, String name, String family) {
        assertThat(IdentityOrder.family(new Identity(List.of(new IdentityField(kind, name, "x", false)))))
                .contains(family);
    }

    @ParameterizedTest
    @CsvSource({
        "3.4.5, 3.4.10, true",
        "3.4.5, 3.4, true",
        "3.4.5, 3.4.0rc1, true",
        "2.1.0-beta3, 2.1.1737090214, true",
        "2.36-9+deb12u10, 2.36-9+deb12u7, true",
        "3.4.5, 3.40.5, false",
        "3.4.5, 3.5.4, false",
        "3.4.5, 13.4.5, false",
        "trunk, 3.4.5, true"
    })
    void seriesIsWhatTheVersionsWithTheSameTwoNumbersBeginWith(String version, String other, boolean same) {
        assertThat(IdentityOrder.versionOrder(other).startsWith(IdentityOrder.series(version)))
                .isEqualTo(same);
    }

    @ParameterizedTest
    @CsvSource({"libruby3.3, package:libruby", "libdemo1, package:libdemo", "libc6, package:libc", "perl, package:perl"
    })
    void packageIsAFamilyOfItsOwnIfNothingElseIsKnown(String name, String family) {
        IdentityField ofPackage = new IdentityField(IdentityField.Kind.PACKAGE, name, "x", false);
        assertThat(IdentityOrder.family(new Identity(List.of(ofPackage)))).contains(family);
        assertThat(IdentityOrder.family(new Identity(
                        List.of(ofPackage, new IdentityField(IdentityField.Kind.SONAME, "libx.so.1", "x", false)))))
                .contains("libx");
    }

    @ParameterizedTest
    @CsvSource({
        "/build/ruby3.3-tqbGpM/ruby3.3-3.3.8, /build/reproducible-path/ruby3.4-3.4.1, true",
        "/build/perl-mZbGqd/perl-5.36.0/ext/B, /build/reproducible-path/perl-5.40.1/ext/B, true",
        "/build/perl-mZbGqd/perl-5.36.0/ext/B, /build/perl-mZbGqd/perl-5.36.0, false",
        "./elf, ./csu, false"
    })
    void placeInTheSourcesIsTheSameInAllVersions(String one, String other, boolean same) {
        assertThat(IdentityOrder.withoutNumbers(one).equals(IdentityOrder.withoutNumbers(other)))
                .isEqualTo(same);
    }

    @Test
    void nothingKnownHasNoFamilyAndNoVersion() {
        assertThat(IdentityOrder.family(Identity.UNKNOWN)).isEmpty();
        assertThat(IdentityOrder.versionOrder(Identity.UNKNOWN)).isEmpty();
    }
}
