import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
    expect(stderr).toContain("npm start        installs what is missing");
  });

  test("is let in from pnpm", () => {
    expect(preinstall("pnpm/10.34.9 npm/? node/v20.20.2 linux x64").status).toBe(0);
  });

  test("gets as far as the message: the root names no version that npm cannot read", () => {
    expect(readFileSync("package.json", "utf8")).not.toMatch(/"(catalog|workspace):/);
  });
});

describe("before the workspace is installed", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };

  test.each(["cadastre", "client"])("`npm run %s` says how to install it", (name) => {
    const clone = mkdtempSync(join(tmpdir(), "cadastre-clone-"));
    try {
      cpSync("scripts", join(clone, "scripts"), { recursive: true });
      const { status, stderr } = spawnSync(scripts[name] ?? "", {
        cwd: clone,
        shell: true,
        encoding: "utf8",
      });
      expect([status, stderr]).toEqual([
        1,
        "The workspace is not installed: run `npm run setup` first, or `npm start`, which installs and serves.\n",
      ]);
    } finally {
      rmSync(clone, { recursive: true });
    }
  });

  test("`npm run setup` installs as `npm start` does", () => {
    const start = readFileSync("scripts/start.mjs", "utf8");
    const steps = [...start.matchAll(/^await import\("\.\/(.*)"\);$/gm)].map(
      ([, step]) => `node scripts/${step}`,
    );
    expect(scripts["setup"]).toBe(steps.join(" && "));
    expect(scripts["start"]).toBe("node scripts/start.mjs");
  });
});
