type Details = Readonly<Record<string, string>>;

/**
 * Reasons to refuse a manifest, its signature or its position in a chain. The key is the public, stable error code. A code that is no
 * longer raised stays here as a comment and is never reused.
 */
export const manifestErrors = {
  canonical_number: (d) => `the number at \`${d["path"]}\` is not an integer from 0 to 2^53 - 1`,
  canonical_text: (d) => `the text at \`${d["path"]}\` has a control character or half of a surrogate pair`,
  canonical_member: (d) => `the member \`${d["path"]}\` is not named by a letter and then letters and digits`,
  canonical_value: (d) => `the value at \`${d["path"]}\` cannot be written as JSON`,
  canonical_depth: (d) => `the value at \`${d["path"]}\` is nested too deeply`,
  manifest_too_large: () =>
    "the manifest exceeds the limits of a manifest: 64 MiB, 64 levels of nesting, 800,000 arrays and objects, 10,000 members of an object, 3,000,000 values",
  manifest_not_json: () => "the manifest is not JSON in UTF-8",
  manifest_not_canonical: () => "the manifest's bytes are not in canonical form (RFC 8785)",
  manifest_schema_version: () => "the manifest is not of schema version 2",
  manifest_invalid: (d) => `\`${d["path"]}\` of the manifest does not fit its schema`,
  dataset_repeated: (d) => `\`${d["path"]}\` names a dataset for the second time`,
  dataset_unknown: (d) => `\`${d["path"]}\` names a dataset that the manifest does not list`,
  part_number_repeated: (d) => `\`${d["path"]}\` is the number of another part`,
  part_name_repeated: (d) => `\`${d["path"]}\` is the name of another part, but for letter case at most`,
  part_name_reserved: (d) => `\`${d["path"]}\` is a name that no part may have`,
  document_name: (d) => `\`${d["path"]}\` is a name that no document may have, or that of another file`,
  document_differs: (d) => `\`${d["path"]}\` is not a hash that the manifest states elsewhere`,
  part_numbers_differ: (d) => `\`${d["path"]}\` are not the numbers of the dataset's parts, in their order`,
  part_format: (d) => `\`${d["path"]}\` is not what the profile's format and compression make it`,
  part_bytes_differ: (d) => `\`${d["path"]}\` of an unencoded part differs from that of its bytes`,
  part_content: (d) => `\`${d["path"]}\` counts what the part does not hold`,
  removal_without_delta: (d) => `\`${d["path"]}\` holds removals, and only a delta has any`,
  count_differs: (d) => `\`${d["path"]}\` is not the sum of its parts`,
  no_change_differs: (d) => `\`${d["path"]}\` must be true of a delta without parts, and of nothing else`,
  position_invalid: (d) => `\`${d["path"]}\` does not go with the kind of the delivery`,
  window_invalid: (d) => `\`${d["path"]}\` does not go with the kind of the delivery`,
  expiry_invalid: (d) => `\`${d["path"]}\` is not after the time of creation`,
  signature_malformed: () => "the signature is not a flattened JWS without its payload",
  signature_header: (d) => `the signature's header has a wrong \`${d["member"]}\``,
  signature_unknown_key: () => "the signature is made with a key that the key set does not have",
  signature_invalid: () => "the signature does not verify",
  key_set_malformed: (d) => `\`${d["path"]}\` of the key set does not fit a JWKS of public keys`,
  key_set_private_key: (d) => `\`${d["path"]}\` of the key set is secret: publish public keys alone`,
  chain_foreign: (d) => `\`${d["path"]}\` is not that of the delivery before: it is another chain`,
  chain_rollback: () => "the delivery is not after the one before",
  chain_gap: () => "a delivery is missing between this one and the one before",
  chain_fork: () =>
    "the delivery follows another manifest than the one before, or has its number and another hash",
  chain_window: () => "the delivery's window does not begin where the one before ended",
  chain_pin: (d) => `\`${d["path"]}\` has changed within a generation`,
} satisfies Record<string, (details: Details) => string>;

export type ManifestErrorCode = keyof typeof manifestErrors;

/** An invalid manifest, signature or chain. `path` is a JSON Pointer (RFC 6901) to the invalid member, if there is one. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  readonly code: ManifestErrorCode;
  readonly path: string | undefined;

  constructor(code: ManifestErrorCode, details: Details = {}) {
    const message: (details: Details) => string = manifestErrors[code];
    super(message(details));
    this.code = code;
    this.path = details["path"];
  }
}
