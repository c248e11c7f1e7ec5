import axe from "axe-core";
import type { Page } from "playwright-core";

type Violation = { readonly id: string; readonly nodes: readonly string[] };

/** Runs axe beside the page, so that its policy stays in force. */
export async function violationsOf(page: Page): Promise<readonly Violation[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html, any }) => html.slice(0, 160) + " " + (any[0]?.message ?? "")) })))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as readonly Violation[];
}
