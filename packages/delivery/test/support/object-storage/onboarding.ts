import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../../../../docs/push-onboarding.md", import.meta.url), "utf8");

/** What stands for the words in capitals of the page. */
export type Filled = Readonly<Record<string, string | null>>;

/** The policy that the onboarding page has under a heading, filled in; without the statements on a key if none is named. */
export function policyOf(heading: string, words: Filled): string {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const [, block] = /```json\n([\s\S]*?)```/.exec(section ?? "") ?? [];
  if (block === undefined) throw new Error(`the page has no policy under ${heading}`);
  const filled = block.replace(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (word) => words[word] ?? word);
  const policy = JSON.parse(filled) as { Statement: readonly object[] };
  const named = policy.Statement.filter((one) => !JSON.stringify(one).includes("KMS_KEY_ARN"));
  return JSON.stringify({ ...policy, Statement: named });
}
