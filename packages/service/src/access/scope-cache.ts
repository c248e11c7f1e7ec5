import type { Entitlement, Scope } from "@cadastre/entitlement";

/** A document whose signature has been verified, expired or not. */
export type Verified = {
  readonly document: Entitlement;
  /** Compiles the scope on the first call. @throws {EntitlementError} */
  readonly scope: () => Scope;
};

/** Maximum number of cached documents. */
const capacity = 1024;

/** LRU cache of verified documents. Failures are not cached. */
export class ScopeCache {
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
