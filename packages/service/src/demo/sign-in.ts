import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { isLoopback } from "../http/request-head.ts";
import type { DemoKey } from "./demo-file.ts";

/** Wrong codes that are refused before the right one is void too. */
const mostAttempts = 5;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The sign-in of the demo's page: a code, printed at the start of the service, that is exchanged for the demo keys once. */
export class DemoSignIn {
  /** Random text of 22 characters, which may stand in the fragment of an address. */
  readonly code = randomBytes(16).toString("base64url");
  readonly #digest = digest(this.code);
  readonly #keys: readonly DemoKey[];
  #attempts = mostAttempts;

  constructor(keys: readonly DemoKey[]) {
    this.#keys = keys;
  }

  /**
   * Returns the demo keys for the code.
   *
   * @throws {Refused} `invalid_sign_in_code` if the code is wrong, was used, or is void after too many wrong ones
   */
  redeem(code: string): readonly DemoKey[] {
    // Digests have one length, as the comparison in constant time needs.
    if (this.#attempts === 0 || !timingSafeEqual(digest(code), this.#digest)) {
      this.#attempts = Math.max(0, this.#attempts - 1);
      throw new Refused("invalid_sign_in_code");
    }
    this.#attempts = 0;
    return this.#keys;
  }
}

/** Settings that decide if a sign-in is offered. */
export type SignInSettings = Pick<
  Config,
  "demoSignIn" | "explorer" | "host" | "baseUrl" | "trustProxy" | "processes"
>;

/** True if only this machine can reach the service, and nothing stands between: a proxy could make requests of others look like its own. */
export const offersSignIn = ({
  demoSignIn,
  explorer,
  host,
  baseUrl,
  trustProxy,
  processes,
}: SignInSettings): boolean =>
  demoSignIn &&
  explorer &&
  isLoopback(host) &&
  baseUrl === undefined &&
  trustProxy === undefined &&
  // The code could be used once in each process.
  processes === 1;
