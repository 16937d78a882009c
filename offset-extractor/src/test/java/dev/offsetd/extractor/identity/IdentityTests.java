package dev.offsetd.extractor.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.identity.IdentityField.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IdentityTests {

    private static IdentityField stated(Kind kind, String value) {
        return new IdentityField(kind, value, "file name", false);
    }

    private static IdentityField derived(Kind kind, String value) {
        return new IdentityField(kind, value, "DW_AT_comp_dir", true);
    }

    private static Identity of(IdentityField... fields) {
        return new Identity(List.of(fields));
    }

    @Test
    void theTitleHasTheSonameTheVersionAndTheDistribution() {
        Identity ruby = of(
                stated(Kind.PACKAGE, "libruby3.4"),
                stated(Kind.PACKAGE_VERSION, "3.4.5-1"),
                stated(Kind.DISTRIBUTION, "Debian 13"),
                derived(Kind.PROJECT, "ruby"),
                derived(Kind.VERSION, "3.4.5"),
                stated(Kind.SONAME, "libruby.so.3.4"));

        assertThat(ruby.title()).isEqualTo("libruby.so.3.4 3.4.5, Debian 13");
    }

    @Test
    void theTitleOmitsWhatIsUnknown() {
        assertThat(Identity.UNKNOWN.title()).isEmpty();
        assertThat(of(stated(Kind.VERSION, "3.4.5")).title()).isEmpty();
        assertThat(of(derived(Kind.PROJECT, "ruby")).title()).isEqualTo("ruby");
        assertThat(of(stated(Kind.PACKAGE, "bash"), stated(Kind.PACKAGE_VERSION, "5.2-2"))
                        .title())
                .isEqualTo("bash 5.2-2");
        assertThat(of(stated(Kind.KERNEL_RELEASE, "6.12.41")).title()).isEqualTo("Linux 6.12.41");
    }

    @Test
    void statedValuesComeBeforeDerivedOnes() {
        Identity both = of(derived(Kind.VERSION, "3.4"), stated(Kind.VERSION, "3.4.5"));

        assertThat(both.first(Kind.VERSION)).contains("3.4.5");
        assertThat(both.all(Kind.VERSION)).containsExactly("3.4.5", "3.4");
    }

    @Test
    void mergingKeepsThisIdentityFirstAndEachValueOnce() {
        Identity file = of(stated(Kind.FILE_NAME, "a.so"), derived(Kind.VERSION, "1.0"));
        Identity other = of(stated(Kind.FILE_NAME, "b.so"), stated(Kind.FILE_NAME, "a.so"));

        assertThat(file.merge(other).all(Kind.FILE_NAME)).containsExactly("a.so", "b.so");
        assertThat(file.merge(Identity.UNKNOWN)).isEqualTo(file);
    }

    @Test
    void aStatedFieldReplacesADerivedOneOfTheSameValue() {
        IdentityField stated = stated(Kind.VERSION, "1.0");

        assertThat(of(derived(Kind.VERSION, "1.0")).merge(of(stated)).fields()).containsExactly(stated);
    }

    @Test
    void valuesHaveNoCharactersThatHideOrReorderText() {
        IdentityField field = stated(Kind.PACKAGE, " a\u0000b\u202ec\nd\ud800e ");

        assertThat(field.value()).isEqualTo("a b c d e");
        assertThat(of(stated(Kind.PACKAGE, "\u0000\u200b")).fields()).isEmpty();
    }

    @Test
    void valuesAndTheirNumberAreBounded() {
        assertThat(stated(Kind.PACKAGE, "x".repeat(5_000)).value()).hasSize(IdentityField.MAX_CHARS);
        List<IdentityField> many = IntStream.range(0, 5_000)
                .mapToObj(number -> stated(Kind.FILE_NAME, "file" + number))
                .toList();
        assertThat(new Identity(many).fields()).hasSize(Identity.MAX_FIELDS);
    }

    @Test
    void everyKindIsFoundByItsWireName() {
        for (Kind kind : Kind.values()) {
            assertThat(Kind.named(kind.wireName())).contains(kind);
        }
        assertThat(Kind.named("buildId")).isEmpty();
    }
}
