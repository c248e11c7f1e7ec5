import { resourceRules } from "@cadastre/entitlement";
import { expect, test } from "vitest";

test("a change of what restricts a resource shows", async () => {
  await expect(`${JSON.stringify(resourceRules, null, 2)}\n`).toMatchFileSnapshot("golden/rules.json");
});
