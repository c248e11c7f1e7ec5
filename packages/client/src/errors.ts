import { ManifestError } from "@cadastre/manifest";

type Details = Readonly<Record<string, string>>;

/** Exit codes of the program, by what the user has to do. */
export const exitCodes = {
  done: 0,
  /** An error in the program itself. */
  fault: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The server refuses the request, and would again. */
  refused: 3,
  /** The server is busy or unreachable: the same command continues where this one stopped. */
  later: 4,
  /** The answers contradict each other, their signature or the contract: none of them is loaded. */
  untrusted: 5,
  /** The deliveries already loaded contradict those of the server: stop, and ask the server's operator. */
  conflict: 6,
  /** The disk, or the database that is loaded, fails. */
  local: 7,
  /** A table or file that a load would write belongs to someone else: nothing was fetched or changed. */
  occupied: 8,
} as const;

type Ending = Exclude<keyof typeof exitCodes, "done">;

type Cause = readonly [ending: Ending, message: (details: Details) => string];

const tell = (d: Details) => (d["code"] === undefined ? "" : ` (\`${d["code"]}\`)`);

/** Tells how many times a fetched part was damaged. A part in a folder is read once, so `times` is absent. */
const timesFetched = (d: Details) =>
  d["times"] === undefined
    ? ""
    : `, fetched ${d["times"]} times: do not trust its source. The parts that were verified are kept`;

/** Errors of the client, by their stable codes. A code that is no longer raised stays here as a comment. */
export const clientErrors = {
  url_invalid: [
    "usage",
    (d) => `the address must be https, or http of this machine, without a path: ${d["reason"]}`,
  ],
  api_key_invalid: ["usage", (d) => `${d["place"]} must hold an API key: printable ASCII on one line`],
  file_unreadable: ["usage", (d) => `${d["file"]} cannot be read${tell(d)}`],
  keys_invalid: ["usage", (d) => `${d["file"]} is not a JWKS with an Ed25519 key`],
  pin_invalid: ["usage", (d) => `a pin is schema=…, profile=… or entitlement=…, not \`${d["pin"]}\``],
  delivery_id_invalid: ["usage", () => "a delivery id must consist of letters, digits, `-` and `_`"],
  subscription_id_invalid: ["usage", () => "a subscription id must consist of letters, digits, `-` and `_`"],
  delivery_or_domain: ["usage", () => "name a delivery, or a `--domain` to ask for a new one, and not both"],
  keys_or_unsigned: [
    "usage",
    () => "give `--keys`, or `--unsigned` to accept deliveries without checking signatures",
  ],
  target_invalid: [
    "usage",
    () => "a target is a folder, sqlite:<file>, duckdb:<file>, postgres: or postgres://… without a password",
  ],
  table_place_invalid: [
    "usage",
    (d) =>
      `\`--${d["option"]}\` must be letters, digits and \`_\`, and not begin with a digit. A schema has at most 63 characters and is not one of the database system; a prefix has at most 32, and does not begin with \`sqlite_\` in SQLite`,
  ],
  table_place_unsupported: [
    "usage",
    (d) =>
      `${d["target"]} does not take \`--${d["option"]}\`: use \`--prefix\` with SQLite, and \`--prefix\` or \`--schema\` with PostgreSQL and DuckDB`,
  ],
  staging_is_target: [
    "usage",
    (d) =>
      `${d["folder"]} holds loaded deliveries, so parts cannot be staged in it: name another folder with \`--staging\``,
  ],
  target_lacks_driver: ["usage", (d) => `install \`${d["package"]}\` to load this target`],
  format_not_loadable: ["usage", (d) => `${d["format"]} can be loaded into ${d["targets"]} alone`],
  dataset_not_loadable: [
    "untrusted",
    (d) => `a dataset named \`${d["dataset"]}\` would be loaded into that table, and no domain has one`,
  ],
  // kind_not_loadable: a delta into a database
  seed_not_loaded: [
    "usage",
    () => "a delta changes what its seed has, and nothing of the subscription was loaded here",
  ],
  bucket_invalid: ["usage", () => "a bucket's prefix is s3://<bucket> or s3://<bucket>/<prefix>"],
  url_or_bucket: [
    "usage",
    () => "give `--url`, `--from-bucket`, or both: the bucket is then read, and the service told",
  ],
  aws_sdk_missing: ["usage", () => "install `@aws-sdk/client-s3` to read a bucket"],
  webhook_secret_invalid: [
    "usage",
    () => "a webhook's secret is `whsec_` and Base64, as the service gave it",
  ],
  max_bytes_exceeded: [
    "usage",
    (d) =>
      `fetching the delivery takes ${d["bytes"]} bytes or more, and \`--max-bytes\` allows ${d["limit"]}: raise it to load the delivery. The parts that were verified are kept`,
  ],
  resource_invalid: ["usage", () => "a resource is an entity set's name, such as Property"],

  unauthorized: ["refused", () => "the server does not know the API key"],
  forbidden: ["refused", (d) => `the server does not allow this${tell(d)}: look at /v1/account/resources`],
  not_found: ["refused", (d) => `the server has no such thing for this key${tell(d)}`],
  request_refused: ["refused", (d) => `the server refuses the request with ${d["status"]}${tell(d)}`],
  entitlement_changed: [
    "refused",
    (d) => `the delivery is of an entitlement that has changed since${tell(d)}: ask for a new one`,
  ],
  entitlement_expired: [
    "refused",
    () =>
      "the account's entitlement has expired: ask the server's operator to renew it. /v1/account/resources shows its state",
  ],
  delivered_to_bucket: [
    "refused",
    () =>
      "the delivery can only be read from the bucket that it is pushed to: run `cadastre-client follow` with `--from-bucket s3://…`",
  ],
  part_lost: [
    "refused",
    () => "the server has lost a part of the delivery and cannot rebuild it: ask for a new delivery",
  ],
  delivery_missed: [
    "refused",
    () => "the delivery after the last one that was loaded is no longer available: reset the subscription",
  ],
  bucket_refused: ["refused", (d) => `the bucket cannot be read${tell(d)}`],
  delivery_expired: ["refused", () => "the delivery has expired: ask for a new one"],
  delivery_failed: [
    "refused",
    (d) => `the delivery ended as \`${d["status"]}\`${tell(d)}: ask for a new one`,
  ],

  server_busy: [
    "later",
    (d) => `the server could not answer, ${d["tries"]} times (${d["reason"]}): run this again later`,
  ],
  wait_too_long: [
    "later",
    (d) => `the server asks for a pause of ${d["minutes"]} minutes: run this again then`,
  ],
  delivery_not_ready: ["later", () => "the delivery is not complete yet: run this again later"],
  part_rebuilding: ["later", () => "the server is still rebuilding a damaged part: run this again later"],
  interrupted: ["later", () => "interrupted: run this again to go on"],

  redirect_refused: ["untrusted", () => "the server redirects, which no part of the contract does"],
  answer_malformed: [
    "untrusted",
    (d) => `the server's answer to ${d["request"]} does not have the form of the contract`,
  ],
  answer_too_long: [
    "untrusted",
    (d) => `the server's answer to ${d["request"]} is too long, or has too many values or levels of nesting`,
  ],
  grant_malformed: [
    "untrusted",
    () => "a part grant must have `kind`, `url` and `bearer_token`, and no more",
  ],
  grant_kind: ["untrusted", () => "a part grant must be `logical`: others send the bytes by another way"],
  grant_url: ["untrusted", () => "a part grant's address is not exactly /v1/file-downloads/redeem"],
  next_link_foreign: ["untrusted", () => "a next link leads to another origin, or is not a link"],
  manifest_hash_differs: ["untrusted", () => "the manifest is not the one of the hash that comes with it"],
  manifest_foreign: ["untrusted", () => "the manifest is that of another delivery"],
  manifest_changed: [
    "untrusted",
    () => "the manifest is another than the one that was fetched before for this delivery",
  ],
  signature_missing: ["untrusted", () => "the manifest is not signed"],
  pin_differs: ["untrusted", (d) => `the ${d["pin"]} of the delivery is not the pinned one`],
  part_encoded: [
    "untrusted",
    (d) => `part ${d["part"]} came in a content encoding, where its own bytes were asked for`,
  ],
  part_length_differs: [
    "untrusted",
    (d) => `part ${d["part"]} does not have the length that the manifest states${timesFetched(d)}`,
  ],
  part_hash_differs: [
    "untrusted",
    (d) => `part ${d["part"]} does not have the SHA-256 that the manifest states${timesFetched(d)}`,
  ],
  part_content_differs: [
    "untrusted",
    (d) => `part ${d["part"]}, decompressed, does not have the length and SHA-256 that the manifest states`,
  ],
  part_count_differs: [
    "untrusted",
    (d) => `part ${d["part"]} has ${d["rows"]} records, which is not the number that the manifest states`,
  ],
  removal_contradicted: [
    "untrusted",
    (d) => `a record of ${d["dataset"]} is removed by the delivery that has it`,
  ],
  part_malformed: ["untrusted", (d) => `record ${d["row"]} of part ${d["part"]} cannot be read`],
  webhook_not_authentic: [
    "untrusted",
    () => "the request is not signed with the webhook's secret: answer it with 401, and do nothing",
  ],
  webhook_too_old: [
    "untrusted",
    () => "the request was signed more than five minutes from now: compare the clock, and do nothing",
  ],
  webhook_malformed: ["untrusted", () => "the request is signed, but it is not a webhook message"],
  file_missing: ["untrusted", (d) => `${d["file"]} is missing`],
  file_unexpected: ["untrusted", (d) => `${d["file"]} is not in the manifest`],

  ledger_conflict: [
    "conflict",
    () =>
      "another manifest was loaded under this generation and sequence: stop, and ask the server's operator",
  ],
  table_foreign: [
    "conflict",
    (d) =>
      `\`${d["table"]}\` does not hold what the delta changes: reset the subscription, or load elsewhere`,
  ],
  copy_differs: [
    "conflict",
    (d) =>
      `\`${d["table"]}\` lacks a record that is removed: others have changed it, so reset the subscription`,
  ],
  table_occupied: [
    "occupied",
    (d) =>
      `\`${d["table"]}\` exists (${d["kind"]}) and was not created by this program, so it was not changed: choose another name with ${d["options"]}, or rename it`,
  ],
  file_occupied: [
    "occupied",
    (d) =>
      `${d["file"]} exists and was not created by this program, so it was not changed: choose another folder, or move it away`,
  ],
  table_referenced: [
    "occupied",
    (d) =>
      `a load would also change or delete rows of \`${d["dependent"]}\`, by its foreign key to \`${d["table"]}\`: drop the key, or choose another name with ${d["options"]}`,
  ],
  acknowledge_conflict: ["conflict", (d) => `the server does not take the acknowledgement${tell(d)}`],

  disk_failed: [
    "local",
    (d) => `${d["place"]} cannot be written${tell(d)}: what was verified before is kept`,
  ],
  target_failed: ["local", (d) => `the target cannot be loaded${tell(d)}: ${d["reason"]}`],
  column_name: ["local", (d) => `\`${d["column"]}\` of ${d["table"]} cannot be the name of a column`],
  column_type: [
    "local",
    (d) => `the column \`${d["column"]}\` of ${d["table"]} cannot hold ${d["kind"]}: alter or drop it`,
  ],
  state_malformed: [
    "local",
    (d) => `${d["file"]} is not what this program writes: move it away to begin anew`,
  ],
} as const satisfies Record<string, Cause>;

export type ClientErrorCode = keyof typeof clientErrors;

/** An error of the client. It contains no key and no token, and of the server's answer only the error code. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  readonly exitCode: number;

  constructor(code: ClientErrorCode, details: Details = {}) {
    const [ending, message]: Cause = clientErrors[code];
    super(message(details));
    this.code = code;
    this.exitCode = exitCodes[ending];
  }
}

/** Returns the exit code for an error. An invalid manifest is the server's fault; a broken chain conflicts with what was loaded. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof ClientError) return error.exitCode;
  if (!(error instanceof ManifestError)) return exitCodes.fault;
  return error.code.startsWith("chain_") ? exitCodes.conflict : exitCodes.untrusted;
};
