import { z } from "zod";
import { anyText, rate, type Setting, trueOrFalse, wholeNumber } from "./setting.ts";

/** Settings of who is let in, and of what is recorded about it. */
export const accessSettings = {
  CADASTRE_KEY_SET: {
    member: "keySet",
    path: "trust.key_set",
    isPath: true,
    ...anyText("the path or the address of a JWKS"),
    absent: "`public-keys.json` of the data folder",
    means: "JWKS that entitlements are verified with: a file, or an `https` address",
  },
  CADASTRE_ISSUER: {
    member: "issuer",
    path: "trust.issuer",
    ...anyText("the `iss` of the entitlements"),
    absent: "the demo's",
    means: "`iss` of the entitlements",
  },
  CADASTRE_AUDIENCE: {
    member: "audience",
    path: "trust.audience",
    ...anyText("the `aud` of the entitlements"),
    absent: "the demo's",
    means: "`aud` of the entitlements: what the issuer calls this service",
  },
  CADASTRE_DEMO_SIGN_IN: {
    member: "demoSignIn",
    path: "demo_sign_in",
    ...trueOrFalse,
    default: "true",
    means:
      "Whether the start of a demo prints an address that signs in to its page once: see [Sign-in of the demo](#sign-in-of-the-demo)",
  },
  CADASTRE_REFUSALS_PER_SECOND: {
    member: "refusalsPerSecond",
    path: "limits.refusals_per_second",
    ...rate,
    default: "10",
    means: "Requests with a wrong key from one address a second; 0 for no limit",
  },
  CADASTRE_MINIMUM_CELL_SIZE: {
    member: "minimumCellSize",
    path: "minimum_cell_size",
    ...wholeNumber(1, 1_000_000),
    default: "10",
    means:
      "Listings that field completeness and market reports count together at least: see [field completeness](../../docs/coverage.md) and [market reports](../../docs/datasets.md#market_report)",
  },
  CADASTRE_AUDIT: {
    member: "audit",
    path: "audit",
    is: z.enum(["file", "stdout"]),
    must: "file or stdout",
    default: "file",
    means:
      "Where the audit trail goes: `file` is `audit.jsonl` of the data folder; with `stdout`, commands write it to standard error: see [Audit trail](#audit-trail)",
  },
  CADASTRE_LOG_LEVEL: {
    member: "logLevel",
    path: "log_level",
    is: z.enum(["debug", "info", "warn", "error", "silent"]),
    must: "debug, info, warn, error or silent",
    default: "info",
    means: "`debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard error",
  },
} as const satisfies Record<string, Setting>;
