import type { Entitlement, Scope } from "@cadastre/entitlement";

/** A document whose signature has been verified, expired or not. */
export type Verified = {
  readonly document: Entitlement;
  /** Compiled when it is first asked for. @throws {EntitlementError} */
  readonly scope: () => Scope;
};

/** Documents that are remembered at most. */
const capacity = 1024;

/** What each document proves, of which the least recently used leaves first. What fails is tried again. */
export class VerifiedScopes {
  readonly #verified = new Map<string, Promise<Verified>>();

  get(document: string, verify: () => Promise<Verified>): Promise<Verified> {
    const verified = this.#verified.get(document) ?? this.#first(document, verify);
    this.#verified.delete(document);
    this.#verified.set(document, verified);
    const [oldest] = this.#verified.keys();
    if (this.#verified.size > capacity && oldest !== undefined) this.#verified.delete(oldest);
    return verified;
  }

  #first(document: string, verify: () => Promise<Verified>): Promise<Verified> {
    const verified = verify();
    verified.catch(() => this.#verified.delete(document));
    return verified;
  }
}
