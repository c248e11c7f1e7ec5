import type { ApiKeyRecord } from "@cadastre/store/registry";
import { issueApiKey } from "../access/issue-key.ts";
import { rotatePepper } from "../data/pepper-rotation.ts";
import { readSecretsOf } from "../data/secrets.ts";
import { runningService } from "../takes-effect.ts";
import { withServiceRegistry } from "./data.ts";
import { keyJson, keyTable } from "./key-view.ts";
import { print, say } from "./outcome.ts";
import { readable } from "./times.ts";

type Output = { readonly json?: true };
/** Milliseconds since 1970. */
type Expiry = { readonly expires?: number };
/** Milliseconds. */
type Overlap = { readonly overlap: number };

const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

export const createKey = (customer: string, { expires, ...output }: Output & Expiry) =>
  withServiceRegistry(async (registry, folder) => {
    const at = Date.now();
    const { peppers } = await readSecretsOf(folder, registry);
    const { apiKey, kept } = issueApiKey(peppers, expires ?? null);
    const added = await registry.keys.add({ customer, ...kept }, at);
    if (output.json) return printJson({ ...keyJson(added, at), apiKey });
    tell(added);
    print(apiKey);
  });

export const listKeys = (customer: string | undefined, output: Output) =>
  withServiceRegistry(async ({ keys }) => {
    const at = Date.now();
    const listed = await keys.list(customer);
    if (output.json) return printJson(listed.map((key) => keyJson(key, at)));
    if (listed.length === 0)
      return say(customer === undefined ? "No API keys." : `No API keys of ${customer}.`);
    print(keyTable(listed, at));
  });

export const rotateKey = (id: string, { overlap, expires, ...output }: Output & Expiry & Overlap) =>
  withServiceRegistry(async (registry, folder) => {
    const at = Date.now();
    const { peppers } = await readSecretsOf(folder, registry);
    const { apiKey, kept } = issueApiKey(peppers, expires ?? null);
    const { added, ending } = await registry.keys.rotate(id, kept, { at, end: at + overlap });
    if (output.json) return printJson({ ...keyJson(added, at), apiKey, replaces: keyJson(ending, at) });
    tell(added);
    say(`The key ${id} works until ${readable(ending.expires ?? at)}.`);
    print(apiKey);
  });

export const revokeKey = (id: string, output: Output) =>
  withServiceRegistry(async ({ keys }) => {
    const at = Date.now();
    const revoked = await keys.revoke(id, at);
    if (output.json) return printJson(keyJson(revoked, at));
    const since = revoked.revoked === at ? "" : ` since ${readable(revoked.revoked ?? at)}`;
    say(`The key ${id} of ${revoked.customer} is revoked${since}. ${runningService("refuses it")}`);
  });

export const rotateKeyPepper = (output: Output) =>
  withServiceRegistry(async (registry, folder) => {
    const { current, forgotten, waiting } = await rotatePepper(folder, registry, Date.now());
    if (output.json) return printJson({ current, forgotten, waiting });
    say(`The pepper of version ${current} is the current one.`);
    for (const { version, keys: count } of waiting)
      say(
        `Live keys under version ${version}: ${count}. Each moves at its next use; until then it goes on working.`,
      );
    if (forgotten.length > 0) say(`Forgotten, for no live key needs them: ${forgotten.join(", ")}.`);
  });

/** What its owner must know of a new key, but for its text. */
function tell({ id, customer, expires }: ApiKeyRecord): void {
  const end = expires === null ? "does not expire" : `works until ${readable(expires)}`;
  say(`The key ${id} of ${customer} ${end}. This is the only time that it is shown:`);
}
