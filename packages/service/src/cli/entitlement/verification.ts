import {
  type Entitlement,
  EntitlementError,
  inspectEntitlement,
  openKeySource,
  verifyEntitlement,
} from "@cadastre/entitlement";

export type VerificationKeys = {
  /** File or URL of the key set. */
  readonly jwks: string;
  /** Expected `iss`. By default that of the document. */
  readonly issuer?: string;
  readonly audience?: string;
  readonly at?: Date;
};

/** Result of a verification. */
export type VerificationResult =
  | { readonly verified: true; readonly kid: string; readonly document: Entitlement }
  | { readonly verified: false; readonly error: EntitlementError };

/** Verifies an entitlement as a service would. Throws if the key set cannot be read. */
export async function verdictOf(
  jws: string,
  { jwks, issuer, audience, at }: VerificationKeys,
): Promise<VerificationResult> {
  const keys = await openKeySource(jwks);
  try {
    const { kid, document } = inspectEntitlement(jws);
    const { iss, aud } = document;
    const now = () => at ?? new Date();
    await verifyEntitlement(jws, { keys, issuer: issuer ?? iss, audience: audience ?? aud, now });
    return { verified: true, kid, document };
  } catch (error) {
    if (error instanceof EntitlementError) return { verified: false, error };
    throw error;
  } finally {
    keys.close();
  }
}

/** Returns the JSON of an error. */
export const refusalJson = ({ code, kind, message }: EntitlementError) => ({
  code,
  outcome: kind === "forbidden" ? "denied" : "unverifiable",
  message,
});
