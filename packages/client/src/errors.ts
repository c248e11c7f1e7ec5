import { ManifestError } from "@cadastre/manifest";
import { fileReason } from "./file-reason.ts";

type Details = Readonly<Record<string, string>>;

/** Exit codes of the program, by what the user has to do. */
export const exitCodes = {
  done: 0,
  fault: 1,
  usage: 2,
  refused: 3,
  later: 4,
  untrusted: 5,
  conflict: 6,
  local: 7,
  occupied: 8,
} as const;

/** Meanings of the exit codes, in the words of the help and of `docs/client.md`. */
export const exitCodeMeanings = {
  done: "done, or was done before",
  fault: "a fault of the program",
  usage: "the command line is wrong, or a deletion was not confirmed",
  refused: "the service refuses, and will again",
  later: "run the same command again later: it goes on where it stopped",
  untrusted: "what was served contradicts itself or the contract; nothing of it was loaded",
  conflict: "what was loaded contradicts what is served: stop, ask the operator",
  local: "the disk, the network port or the database fails",
  occupied:
    "a table or file of yours has that name, and was not changed: choose another schema, prefix or folder",
} as const satisfies Record<keyof typeof exitCodes, string>;

type Ending = Exclude<keyof typeof exitCodes, "done">;

type Cause = readonly [ending: Ending, message: (details: Details) => string];

const tell = (d: Details) => (d["code"] === undefined ? "" : ` (\`${d["code"]}\`)`);

/** Tells how many times a fetched part was damaged. A part in a folder is read once, so `times` is absent. */
const timesFetched = (d: Details) =>
  d["times"] === undefined
    ? ""
    : `, fetched ${d["times"]} times: do not trust its source. The parts that were verified are kept`;

/** Remedies for errors of databases, by their codes. */
const targetRemedies: Readonly<Record<string, string>> = {
  SQLITE_FULL: ". Free space there, and run this again",
  "53100": ". Free space there, and run this again",
  SQLITE_NOTADB: ". It is not a database of SQLite: name another file",
};

const fullDisk: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

const diskRemedy = ({ code }: Details): string =>
  fullDisk.has(code) ? "free space there, and run this again" : "mend that, and run this again";

/** Errors of the client, by their stable codes. A code that is no longer raised stays here as a comment. */
export const clientErrors = {
  url_invalid: [
    "usage",
    (d) =>
      `an address (\`--url\`, \`--endpoint\`) must be https, or http of this machine, without a path: ${d["reason"]}`,
  ],
  url_unreachable: ["usage", (d) => `${d["origin"]} cannot be reached: ${d["reason"]}: check \`--url\``],
  api_key_invalid: [
    "usage",
    (d) => `${d["place"]} must hold an API key, printable ASCII on one line: ${d["fault"]}`,
  ],
  file_unreadable: [
    "usage",
    (d) => `${d["file"]} cannot be read${d["code"] === undefined ? "" : `: ${fileReason(d)}`}`,
  ],
  keys_invalid: ["usage", (d) => `${d["file"]} is not a JWKS with an Ed25519 key`],
  pin_invalid: ["usage", (d) => `a pin is schema=…, profile=… or entitlement=…, not \`${d["pin"]}\``],
  delivery_id_invalid: ["usage", () => "a delivery id must consist of letters, digits, `-` and `_`"],
  subscription_id_invalid: [
    "usage",
    () => "a subscription id must consist of letters, digits, `-` and `_`; a name is looked up with `--url`",
  ],
  delivery_or_domain: ["usage", () => "name a delivery, or a `--domain` to ask for a new one, and not both"],
  keys_or_unsigned: [
    "usage",
    () => "give `--keys`, or `--unsigned` to accept deliveries without checking signatures",
  ],
  target_invalid: [
    "usage",
    (d) =>
      `a target is a folder, parquet:<folder>, sqlite:<file>, duckdb:<file>, postgres: or postgres://… without a password: ${d["reason"]}`,
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
  schema_missing: [
    "usage",
    (d) =>
      `the delivery has no schema document that describes all of ${d["dataset"]}, and a Parquet dataset has its types from there: load it into a folder or a database`,
  ],
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
  minute_unused: [
    "usage",
    (d) =>
      `\`--minute\` is a time of the day, which deliveries every ${d["cadence"]} do not keep: choose a \`--cadence\` of whole days, such as 1d, or leave \`--minute\` out`,
  ],
  max_bytes_exceeded: [
    "usage",
    (d) =>
      `fetching the delivery takes ${d["bytes"]} bytes or more, and \`--max-bytes\` allows ${d["limit"]}: raise it to load the delivery. The parts that were verified are kept`,
  ],
  resource_invalid: ["usage", () => "a resource is an entity set's name, such as Property"],
  url_or_copy: [
    "usage",
    () => "give `--url`, `--into`, or both: the service and your copies are then compared",
  ],
  copy_missing: [
    "usage",
    (d) =>
      `${d["target"]} does not exist: check \`--into\`. \`cadastre-client follow\` creates a copy, and this command none`,
  ],
  webhook_secret_needed: [
    "usage",
    (d) =>
      `give the webhook's secret, as the service showed it, in ${d["place"]} or with \`--secret-file\`; or register a new webhook with \`--register\``,
  ],
  not_confirmed: [
    "usage",
    (d) => `${d["effect"]}. Nothing was changed: confirm it with \`y\` on a terminal, or give \`--yes\``,
  ],

  unauthorized: [
    "refused",
    (d) =>
      `the server does not know the API key in ${d["place"]}: check that the key is complete, and is one of this server's that was not revoked`,
  ],
  access_removed: [
    "refused",
    () =>
      "the operator has removed your access, and your API key has ended: delete what was delivered to you, as `cadastre-client follow --on-revoke purge` does with its copy",
  ],
  forbidden: ["refused", (d) => `the server does not allow this${tell(d)}: look at /v1/account/resources`],
  not_found: ["refused", (d) => `the server has no such thing for this key${tell(d)}`],
  request_refused: ["refused", (d) => `the server refuses the request with ${d["status"]}${tell(d)}`],
  option_refused: ["refused", (d) => `the server refuses \`${d["option"]}\`${tell(d)}: ${d["allowed"]}`],
  subscription_unknown: [
    "refused",
    (d) =>
      `the server has no subscription \`${d["name"]}\` for this key; ${d["known"]}: \`cadastre-client subscriptions list\` shows their names and ids`,
  ],
  subscription_ambiguous: [
    "refused",
    (d) => `several subscriptions are named \`${d["name"]}\`: give the id of one of them: ${d["ids"]}`,
  ],
  subscription_differs: [
    "refused",
    (d) =>
      `a subscription \`${d["name"]}\` exists, with other settings (${d["members"]}), which cannot be changed: choose another \`--name\`, or cancel it first`,
  ],
  subscription_canceled: [
    "refused",
    (d) =>
      `the subscription is canceled for good${d["data"] === undefined ? "" : `, so no delivery follows; ${d["data"]}`}: create another one with \`cadastre-client subscribe\``,
  ],
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
  server_unreachable: [
    "later",
    (d) => `${d["origin"]} cannot be reached: ${d["reason"]}: check \`--url\`, or run this again later`,
  ],
  wait_too_long: [
    "later",
    (d) => `the server asks for a pause of ${d["minutes"]} minutes: run this again then`,
  ],
  delta_link_expired: [
    "later",
    () =>
      "the service does not have the changes since the copy's last run any more, or what this key sees has changed: run this again, which reads all records",
  ],
  replica_in_use: [
    "later",
    () => "another run has changed the copy meanwhile: run this again when it has ended",
  ],
  delivery_not_ready: ["later", () => "the delivery is not complete yet: run this again later"],
  part_rebuilding: ["later", () => "the server is still rebuilding a damaged part: run this again later"],
  interrupted: ["later", () => "a signal ended the run: run this again to go on"],
  staging_in_use: [
    "later",
    (d) =>
      `${d["holder"]} is working on ${d["place"]}: run this again when it has ended, or name another folder with \`--staging\``,
  ],

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
  pin_differs: [
    "untrusted",
    (d) => `the ${d["pin"]} of the delivery is \`${d["served"]}\`, and \`${d["pinned"]}\` is pinned`,
  ],
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
  document_differs: [
    "untrusted",
    (d) => `${d["file"]} does not have the length and SHA-256 that the manifest states`,
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
  folder_invalid: ["usage", (d) => `${d["folder"]} is not a folder with a delivery: ${d["reason"]}`],
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
      `\`${d["table"]}\` does not hold the subscription's copy, because others have filled, renamed or dropped it: reset the subscription, or load elsewhere`,
  ],
  copy_replaced: [
    "conflict",
    (d) =>
      `\`${d["table"]}\` was filled by delivery ${d["delivery"]} at ${d["at"]}, and no longer holds the copy of subscription ${d["subscription"]}: reset the subscription, follow it into another place, or give \`--replace-copy\` to load it here anew`,
  ],
  copy_purged: [
    "refused",
    (d) =>
      d["receipt"] === undefined
        ? "the entitlement of the subscription was revoked, and nothing of it is loaded here"
        : `the entitlement of the subscription was revoked, and the copy is deleted: \`${d["receipt"]}\` is the receipt`,
  ],
  copy_ended: [
    "conflict",
    () =>
      "another run has ended this copy with `--replace-copy`: to keep one again, follow the subscription into another place",
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
  table_followed: [
    "occupied",
    (d) =>
      `\`${d["table"]}\` holds the copy of subscription ${d["subscription"]}, which \`cadastre-client follow\` keeps, so it was not changed: load into another database or file, choose ${d["options"]}, or give \`--replace-copy\` to end that copy`,
  ],
  table_referenced: [
    "occupied",
    (d) =>
      `\`${d["dependent"]}\` has a foreign key to \`${d["table"]}\`, so a load would change or delete its rows, or fail: drop the key, or choose another name with ${d["options"]}`,
  ],
  acknowledge_conflict: ["conflict", (d) => `the server does not take the acknowledgement${tell(d)}`],

  disk_failed: [
    "local",
    (d) =>
      `${d["place"]} cannot be read or written${d["code"] === undefined ? "" : `: ${fileReason(d)}`}: ${diskRemedy(d)}. What was verified before is kept`,
  ],
  port_unavailable: [
    "local",
    (d) =>
      `${d["address"]} cannot be listened on${tell(d)}: choose another \`--port\`, or 0 for any free one`,
  ],
  copy_damaged: [
    "local",
    () =>
      "files of a delivery of this copy are missing or damaged: run the same `cadastre-client follow` again, which fetches them again",
  ],
  target_failed: [
    "local",
    (d) =>
      `${d["target"]} cannot be opened or loaded${tell(d)}: ${d["reason"]}${targetRemedies[d["code"] ?? ""] ?? ""}`,
  ],
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
  /** Code that the server, the system or the database reported; undefined if there was none. */
  readonly reported: string | undefined;
  /** File at fault; undefined if there is none. */
  readonly file: string | undefined;
  /** Option or argument at fault; undefined if the message alone tells it. */
  readonly target: string | undefined;
  /** Values that would have been accepted; undefined if they are not known. */
  readonly allowed: readonly string[] | undefined;

  constructor(
    code: ClientErrorCode,
    details: Details = {},
    { target, allowed }: { readonly target?: string; readonly allowed?: readonly string[] } = {},
  ) {
    const [ending, message]: Cause = clientErrors[code];
    super(message(details));
    this.code = code;
    this.reported = details["code"];
    this.file = details["file"];
    this.exitCode = exitCodes[ending];
    this.target = target;
    this.allowed = allowed;
  }
}

/** Returns the exit code for an error. An invalid manifest is the server's fault; a broken chain conflicts with what was loaded. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof ClientError) return error.exitCode;
  if (!(error instanceof ManifestError)) return exitCodes.fault;
  return error.code.startsWith("chain_") ? exitCodes.conflict : exitCodes.untrusted;
};
