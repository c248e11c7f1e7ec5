import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../../../../docs/push-onboarding.md", import.meta.url), "utf8");

/** Values of the page's placeholders, which are words in capitals. */
export type Filled = Readonly<Record<string, string | null>>;

/** Returns the policy under a heading of the onboarding page, filled in. Without a key, statements on the key are left out. */
export function policyOf(heading: string, words: Filled): string {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const [, block] = /```json\n([\s\S]*?)```/.exec(section ?? "") ?? [];
  if (block === undefined) throw new Error(`the page has no policy under ${heading}`);
  const filled = block.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (word) => words[word] ?? word);
  const policy = JSON.parse(filled) as { Statement: readonly object[] };
  const named = policy.Statement.filter((one) => !JSON.stringify(one).includes("KMS_KEY_ARN"));
  return JSON.stringify({ ...policy, Statement: named });
}
