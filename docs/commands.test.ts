import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

describe("npm install in the workspace", () => {
  const preinstall = (agent: string) =>
    spawnSync("node", ["scripts/only-pnpm.mjs"], {
      encoding: "utf8",
      env: { ...process.env, npm_config_user_agent: agent },
    });

  test("is refused, and told what to run instead", () => {
    const { status, stderr } = preinstall("npm/11.19.1 node/v20.20.2 linux x64 workspaces/false");
    expect(status).toBe(1);
    expect(stderr).toContain("npm start    installs what is missing");
  });

  test("is let in from pnpm", () => {
    expect(preinstall("pnpm/10.34.9 npm/? node/v20.20.2 linux x64").status).toBe(0);
  });

  test("gets as far as the message: the root names no version that npm cannot read", () => {
    expect(readFileSync("package.json", "utf8")).not.toMatch(/"(catalog|workspace):/);
  });
});
