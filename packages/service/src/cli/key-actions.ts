import type { ConfirmFlags } from "@cadastre/client/terminal";
import type { ApiKeyRecord } from "@cadastre/store/registry";
import { issueApiKey } from "../access/issue-key.ts";
import { isWellFormed, withoutKeys } from "../access/key-text.ts";
import { recordableId } from "../audit/audit-trail.ts";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { rotatePepper } from "../data/pepper-rotation.ts";
import type { Registry } from "../data/registry.ts";
import { readSecretsOf } from "../data/secrets.ts";
import { takesEffectText } from "../takes-effect.ts";
import { audited, auditOf } from "./audited.ts";
import { confirmDeletion } from "./confirmed.ts";
import { withServiceRegistry } from "./data.ts";
import { formatKeys, keyJson } from "./key-view.ts";
import { printMessage, printResult } from "./outcome.ts";
import { readable } from "./times.ts";

type Output = { readonly json?: true };
/** Milliseconds since 1970. */
type Expiry = { readonly expires?: number };
/** Milliseconds. */
type Overlap = { readonly overlap: number };

const printJson = (value: unknown) => printResult(JSON.stringify(value, null, 2));

export const createKey = (customer: string, { expires, ...output }: Output & Expiry) =>
  withServiceRegistry(async (registry, folder, config) => {
    const { apiKey, added } = await issueAudited(customer, expires ?? null, registry, folder, config);
    if (output.json) return printJson({ ...keyJson(added, added.created), apiKey });
    tell(added);
    printResult(apiKey);
  });

/**
 * Issues an API key, stores its digest and records that in the audit trail of the folder.
 *
 * @param expires milliseconds since 1970; null: never
 */
export async function issueAudited(
  customer: string,
  expires: number | null,
  registry: Registry,
  folder: DataFolder,
  config: Config,
): Promise<{ readonly apiKey: string; readonly added: ApiKeyRecord }> {
  const at = Date.now();
  const { peppers } = await readSecretsOf(folder, registry);
  const { apiKey, kept } = issueApiKey(peppers, expires);
  const action = {
    action: "key.issue",
    object: givenCustomer(customer),
    ...auditOf(folder, config),
  } as const;
  const added = await audited(action, async (know) => {
    const key = await registry.keys.add({ customer, ...kept }, at);
    know({ id: key.id });
    return key;
  });
  return { apiKey, added };
}

export const listKeys = (customer: string | undefined, output: Output) =>
  withServiceRegistry(async ({ keys }) => {
    const at = Date.now();
    const listed = await keys.list(customer);
    if (output.json) return printJson(listed.map((key) => keyJson(key, at)));
    if (listed.length === 0)
      return printMessage(
        customer === undefined ? "No API keys." : withoutKeys(`No API keys of ${customer}.`),
      );
    printResult(formatKeys(listed, at));
  });

export const rotateKey = (id: string, { overlap, expires, ...output }: Output & Expiry & Overlap) =>
  withServiceRegistry(async (registry, folder, config) => {
    const at = Date.now();
    const { peppers } = await readSecretsOf(folder, registry);
    const { apiKey, kept } = issueApiKey(peppers, expires ?? null);
    const action = {
      action: "key.rotate",
      object: { key: recordableId(id) },
      ...auditOf(folder, config),
    } as const;
    const { added, ending } = await audited(action, async (know) => {
      const rotated = await registry.keys.rotate(id, kept, { at, end: at + overlap });
      know({ id: rotated.added.id, customer: rotated.added.customer });
      return rotated;
    });
    if (output.json) return printJson({ ...keyJson(added, at), apiKey, replaces: keyJson(ending, at) });
    tell(added);
    printMessage(`The key ${id} works until ${readable(ending.expires ?? at)}.`);
    printResult(apiKey);
  });

/** Revokes an API key and records that in the audit trail of the folder. */
export function revokeAudited(
  id: string,
  at: number,
  { keys }: Pick<Registry, "keys">,
  folder: DataFolder,
  config: Config,
): Promise<ApiKeyRecord> {
  const action = {
    action: "key.revoke",
    object: { id: recordableId(id) },
    ...auditOf(folder, config),
  } as const;
  return audited(action, async (know) => {
    const key = await keys.revoke(id, at);
    know({ customer: key.customer });
    return key;
  });
}

export const revokeKey = (id: string, { yes, ...output }: Output & ConfirmFlags) =>
  withServiceRegistry(async (registry, folder, config) => {
    await confirmDeletion({ yes }, withoutKeys(`This ends the API key ${id} for good`));
    const at = Date.now();
    const revoked = await revokeAudited(id, at, registry, folder, config);
    if (output.json) return printJson(keyJson(revoked, at));
    const since = revoked.revoked === at ? "" : ` since ${readable(revoked.revoked ?? at)}`;
    printMessage(`The key ${id} of ${revoked.customer} is revoked${since}. ${takesEffectText("refuses it")}`);
  });

export const rotateKeyPepper = (output: Output) =>
  withServiceRegistry(async (registry, folder, config) => {
    const action = { action: "key.rotate_pepper", ...auditOf(folder, config) } as const;
    const { current, forgotten, waiting } = await audited(action, async (know) => {
      const rotated = await rotatePepper(folder, registry, Date.now());
      know({ version: rotated.current });
      return rotated;
    });
    if (output.json) return printJson({ current, forgotten, waiting });
    printMessage(`The pepper of version ${current} is the current one.`);
    for (const { version, keys: count } of waiting)
      printMessage(
        `Live keys under version ${version}: ${count}. Each moves at its next use; until then it goes on working.`,
      );
    if (forgotten.length > 0) printMessage(`Forgotten, for no live key needs them: ${forgotten.join(", ")}.`);
  });

/** Returns the customer that the operator wrote, unless it is an API key in the wrong place. */
const givenCustomer = (text: string) => (isWellFormed(text) ? {} : { customer: text });

/** Prints the id and end of a new key to standard error. Its text goes to standard output. */
function tell({ id, customer, expires }: ApiKeyRecord): void {
  const end = expires === null ? "does not expire" : `works until ${readable(expires)}`;
  printMessage(`The key ${id} of ${customer} ${end}. This is the only time that it is shown:`);
}
