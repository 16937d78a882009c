package dev.offsetd.packages.repositories;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bouncycastle.openpgp.api.OpenPGPApi;
import org.bouncycastle.openpgp.api.OpenPGPKey;
import org.bouncycastle.openpgp.api.OpenPGPSignature.OpenPGPDocumentSignature;
import org.bouncycastle.openpgp.api.bc.BcOpenPGPApi;

/** A key that signs the indexes of a test. */
public final class Signer {

    private static final OpenPGPApi OPENPGP = new BcOpenPGPApi();

    private final OpenPGPKey key;

    public Signer() throws Exception {
        this.key = OPENPGP.generateKey(4).signOnlyKey().addUserId("Test archive").build();
    }

    /** Returns the certificate in ASCII armour. */
    public String keyring() throws Exception {
        return key.toCertificate().toAsciiArmoredString();
    }

    /** Returns a detached signature. */
    public String signature(byte[] content) throws Exception {
        List<OpenPGPDocumentSignature> made =
                OPENPGP.createDetachedSignature().addSigningKey(key).sign(new ByteArrayInputStream(content));
        return made.getFirst().toAsciiArmoredString();
    }

    /** Returns a message with a cleartext signature. */
    public String inline(String text) throws Exception {
        String signed = String.join("\r\n", text.lines().map(String::stripTrailing).toList());
        String signature = signature(signed.getBytes(StandardCharsets.UTF_8)).strip();
        return "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n" + text.stripTrailing() + "\n" + signature + "\n";
    }
}
