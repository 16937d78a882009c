package dev.offsetd.cli.prewarm;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.math.BigDecimal;

/**
 * Required share of a type set's required items: {@code @ruby=100%}.
 *
 * @param set with its {@code @}
 * @param percent 0 to 100
 */
public record FailUnder(String set, BigDecimal percent) {

    private static final Pattern TEXT = Pattern.compile("(@[A-Za-z0-9._-]+)=(\\d{1,3}(?:\\.\\d{1,4})?)%?");

    /**
     * Parses {@code @SET=N%}.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static FailUnder parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches() || new BigDecimal(matcher.group(2)).compareTo(BigDecimal.valueOf(100)) > 0) {
            throw new IllegalArgumentException(HostileText.quote(text) + "; expected @SET=N% with N from 0 to 100");
        }
        return new FailUnder(matcher.group(1), new BigDecimal(matcher.group(2)));
    }

    boolean allows(long found, long of) {
        return BigDecimal.valueOf(found)
                        .multiply(BigDecimal.valueOf(100))
                        .compareTo(percent.multiply(BigDecimal.valueOf(of)))
                >= 0;
    }

    @Override
    public String toString() {
        return set + "=" + percent.toPlainString() + "%";
    }
}
