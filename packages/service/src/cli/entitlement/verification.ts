import {
  type Entitlement,
  EntitlementError,
  inspectEntitlement,
  openKeySource,
  verifyEntitlement,
} from "@cadastre/entitlement";

export type Trust = {
  /** File or address of the key set. */
  readonly jwks: string;
  /** What the document itself says, where it is not given. */
  readonly issuer?: string;
  readonly audience?: string;
  readonly at?: Date;
};

/** What was found of an entitlement. */
export type Verdict =
  | { readonly verified: true; readonly kid: string; readonly document: Entitlement }
  | { readonly verified: false; readonly error: EntitlementError };

/** Verify an entitlement as a service would. A key set that cannot be read is no verdict: it is thrown. */
export async function verdictOf(jws: string, { jwks, issuer, audience, at }: Trust): Promise<Verdict> {
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

/** A refusal as JSON. */
export const refusalJson = ({ code, outcome, message }: EntitlementError) => ({ code, outcome, message });
