/** Meaning of an error for the host: `forbidden`, access is known to be forbidden (403); `unavailable`, it cannot be decided (503). */
export type EntitlementErrorKind = "forbidden" | "unavailable";

type Details = Readonly<Record<string, string>>;

type Cause = {
  readonly kind: EntitlementErrorKind;
  /** Error code that a client may see. It reveals less than the cause. */
  readonly publicCode: string;
  readonly message: (details: Details) => string;
};

const unavailable = (message: Cause["message"]) =>
  ({ kind: "unavailable", publicCode: "service_unavailable", message }) as const satisfies Cause;
const forbidden = <Code extends string>(publicCode: Code, message: Cause["message"]) =>
  ({ kind: "forbidden", publicCode, message }) as const satisfies Cause;

/** Returns the name that was expected, as the end of a sentence. The name in the document is not told. */
const trustedName = ({ trusted }: Details): string => (trusted === undefined ? "" : ` than \`${trusted}\``);

/**
 * Errors of entitlements, by cause. The code is stable, and meant for logs and tests. A code that is no longer raised stays here as a
 * comment and is never reused.
 */
export const entitlementErrors = {
  entitlement_malformed: unavailable(() => "the entitlement is not a compact JWS"),
  entitlement_header: unavailable((d) => `the entitlement's header has a wrong \`${d["member"]}\``),
  entitlement_unknown_key: unavailable(() => "the entitlement is signed with an unknown key"),
  entitlement_signature: unavailable(() => "the entitlement's signature does not verify"),
  entitlement_not_canonical: unavailable(() => "the entitlement's payload is not canonical JSON"),
  entitlement_issuer: unavailable((d) => `the entitlement is from another issuer${trustedName(d)}`),
  entitlement_audience: unavailable((d) => `the entitlement is for another audience${trustedName(d)}`),
  entitlement_invalid: unavailable((d) => `\`${d["path"]}\` of the entitlement does not fit its schema`),
  entitlement_unknown_member: unavailable((d) => `\`${d["path"]}\` of the entitlement has an unknown member`),
  entitlement_empty_list: unavailable((d) => `\`${d["path"]}\` of the entitlement is empty`),
  entitlement_duplicate: unavailable((d) => `\`${d["path"]}\` of the entitlement names a value twice`),
  entitlement_unknown_value: unavailable((d) => `\`${d["path"]}\` of the entitlement has an unknown value`),
  entitlement_unknown_dataset: unavailable(
    (d) => `\`${d["path"]}\` of the entitlement is an unknown dataset`,
  ),
  entitlement_unknown_resource: unavailable((d) => `a grant names the unknown resource \`${d["resource"]}\``),
  entitlement_unknown_field: unavailable(
    (d) => `a grant of \`${d["resource"]}\` names the unknown field \`${d["field"]}\``,
  ),
  entitlement_unknown_policy: unavailable(
    (d) => `\`${d["resource"]}\` has no \`${d["policy"]}\` that could be granted`,
  ),
  entitlement_mask_unknown_field: unavailable((d) => `a mask of \`${d["resource"]}\` names an unknown field`),
  entitlement_mask_ungranted_field: unavailable(
    (d) => `a mask of \`${d["resource"]}\` names the field \`${d["field"]}\`, which its grant leaves out`,
  ),
  entitlement_mask_required_field: unavailable(
    (d) => `\`${d["field"]}\` of \`${d["resource"]}\` cannot be masked: it tells records apart`,
  ),
  entitlement_mask_misfit: unavailable(
    (d) => `the mask of \`${d["field"]}\` of \`${d["resource"]}\` does not fit its type`,
  ),
  key_set_location: unavailable(
    () => "the key set must be a file, an https address, or an http address of this machine",
  ),
  key_set_unreadable: unavailable((d) => `the key set cannot be read: ${d["reason"]}`),
  key_set_malformed: unavailable(
    (d) => `\`${d["path"]}\` of the key set does not fit a JWKS whose keys have a \`kid\``,
  ),
  key_set_duplicate: unavailable((d) => `\`${d["path"]}\` of the key set has the \`kid\` of another key`),
  key_set_private_key: unavailable(
    (d) => `\`${d["path"]}\` of the key set is secret: publish public keys alone, and replace this one`,
  ),
  key_set_foreign_key: unavailable(
    (d) => `\`${d["path"]}\` of the key set is not an Ed25519 key for signatures`,
  ),
  key_set_stale: unavailable(() => "the key set could not be read for too long"),
  entitlement_expired: forbidden("entitlement_changed", () => "the entitlement has expired"),
  entitlement_superseded: forbidden(
    "entitlement_changed",
    () => "a newer version of the entitlement was seen",
  ),
  entitlement_removed: forbidden("entitlement_changed", () => "the entitlement was removed by the operator"),
  entitlement_not_yet_valid: forbidden("entitlement_changed", () => "the entitlement is not valid yet"),
  channel_not_entitled: forbidden(
    "channel_not_entitled",
    (d) => `the channel \`${d["channel"]}\` is not granted`,
  ),
  capability_required: forbidden(
    "capability_required",
    (d) => `the capability \`${d["capability"]}\` is required`,
  ),
} satisfies Record<string, Cause>;

export type EntitlementErrorCode = keyof typeof entitlementErrors;

/** The error code that a client may see for an {@link EntitlementError}. */
export type EntitlementPublicCode = (typeof entitlementErrors)[EntitlementErrorCode]["publicCode"];

/** An error that grants nothing. It contains no key and no signature, and of the document only names in its grants. */
export class EntitlementError extends Error {
  override readonly name = "EntitlementError";
  readonly code: EntitlementErrorCode;
  readonly kind: EntitlementErrorKind;
  readonly publicCode: EntitlementPublicCode;
  readonly details: Details;

  constructor(code: EntitlementErrorCode, details: Details = {}) {
    const { message, kind, publicCode } = entitlementErrors[code];
    super(message(details));
    this.code = code;
    this.kind = kind;
    this.publicCode = publicCode;
    this.details = details;
  }
}
