package dev.offsetd.extractor.dwarf.unit;

/**
 * Mixing for the 128-bit keys by which equal definitions of many units are found to be one. The keys never leave one
 * extraction; a file made to collide harms its own answers only.
 */
public final class HashMixing {

    /** 2^64 divided by the golden ratio (Knuth, TAOCP 6.4). */
    public static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private HashMixing() {}

    /**
     * Returns a permutation of 64 bits in which every input bit moves every output bit (the finaliser of MurmurHash3).
     */
    public static long mix(long value) {
        long h = value;
        h = (h ^ h >>> 33) * 0xff51_afd7_ed55_8ccdL;
        h = (h ^ h >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return h ^ h >>> 33;
    }
}
