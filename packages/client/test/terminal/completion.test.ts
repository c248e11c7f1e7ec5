import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { domainNames } from "@cadastre/manifest";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { createClientProgram } from "../../src/cli/program.ts";
import { emptyFolder } from "../support/folders.ts";
import { runHere } from "../support/program.ts";

/** Ways to ask a shell what it proposes for the last word of a line. */
const shells = {
  bash: (script: string, words: readonly string[]) => {
    const all = ["cadastre-client", ...words];
    const line = all.map((word) => `'${word}'`).join(" ");
    return `${script}
COMP_WORDS=(${line}); COMP_CWORD=${all.length - 1}
$(complete -p cadastre-client | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "\${COMPREPLY[@]}"`;
  },
  fish: (script: string, words: readonly string[]) =>
    `${script}\ncomplete -C 'cadastre-client ${words.join(" ")}' | string replace -r '\\t.*' ''`,
} as const;

type Shell = keyof typeof shells;
const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).status === 0;
const scripts = new Map<Shell | "zsh", string>();
beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const { code, stdout } = await runHere(["completion", shell]);
    expect(code).toBe(0);
    scripts.set(shell, stdout);
  }
});

/** Returns what a shell proposes. */
function proposed(shell: Shell, ...words: readonly string[]): readonly string[] {
  const file = join(emptyFolder(), "script");
  writeFileSync(file, shells[shell](scripts.get(shell) ?? "", words));
  const { stdout, stderr } = spawnSync(shell, [shell === "bash" ? "--norc" : "--no-config", file], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();
}

describe.each(["bash", "fish"] as const)("%s", (shell) => {
  const has = test.runIf(isInstalled(shell));

  has.each<readonly [readonly string[], readonly string[]]>([
    [["subscriptions", "p"], ["pause"]],
    [["pull", "--dom"], ["--domain"]],
    [["pull", "--domain", ""], [...domainNames].sort()],
    [
      ["subscribe", "--mode", "pu"],
      ["pull", "push"],
    ],
    [
      ["completion", ""],
      ["bash", "fish", "zsh"],
    ],
    // A value that is the name of a command leads to none.
    [["subscribe", "--name", "pull", "--mod"], ["--mode"]],
    [["subscriptions", "cancel", "nightly", "--y"], ["--yes"]],
    [["--v"], ["--version"]],
  ])("%j is completed by %j", (words, expected) => {
    expect(proposed(shell, ...words)).toEqual(expected);
  });

  has("has every command and option of the program", () => {
    for (const { path, command } of commandsOf(createClientProgram())) {
      const help = command.createHelp();
      const names = help.visibleCommands(command).map((one) => one.name());
      const options = help.visibleOptions(command).map(({ long }) => long ?? "");
      expect(proposed(shell, ...path, "--")).toEqual(options.toSorted());
      if (names.length > 0) expect(proposed(shell, ...path, "")).toEqual(names.toSorted());
    }
  });
});

const commandsOf = (
  command: Command,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly command: Command }[] => [
  { path, command },
  ...command.commands.flatMap((one) => commandsOf(one, [...path, one.name()])),
];

test.runIf(isInstalled("bash"))(
  "bash completes a value after =, which it takes for a word of its own",
  () => {
    expect(proposed("bash", "pull", "--domain", "=", "li")).toEqual(["listing"]);
    expect(proposed("bash", "pull", "--domain", "=")).toContain("property");
  },
);

test.runIf(isInstalled("bash"))(
  "bash proposes nothing of its own for a file, so that it completes names of files",
  () => {
    for (const words of [
      ["verify", ""],
      ["pull", "--keys", ""],
      ["pull", "--into", "da"],
    ])
      expect(proposed("bash", ...words)).toEqual([]);
  },
);

test.runIf(isInstalled("zsh"))("zsh reads its script", () => {
  const { status, stderr } = spawnSync("zsh", ["-n"], { input: scripts.get("zsh"), encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

test("a shell that is not known is refused, with those that are", async () => {
  const { code, stderr } = await runHere(["completion", "csh"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("Allowed choices are bash, zsh, fish.")]);
});
