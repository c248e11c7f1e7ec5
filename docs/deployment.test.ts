import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { settings } from "../packages/service/src/settings/settings.ts";

const root = "examples/deployment";
const read = (file: string) => readFileSync(join(root, file), "utf8");
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

/** Names that are no settings of the service: the settings file. */
const others = new Set(["CADASTRE_CONFIG"]);

const pages = ["docs/deployment.md", "docs/scaling.md"];

test.each([...files.map((file) => join(root, file)), ...pages])(
  "%s names only settings that exist",
  (file) => {
    const names = readFileSync(file, "utf8").match(/\bCADASTRE_[A-Z_]*[A-Z]\b/g) ?? [];
    for (const name of names)
      expect([name, Object.hasOwn(settings, name) || others.has(name)]).toEqual([name, true]);
  },
);

test.each(files.filter((file) => file.endsWith(".yaml")))("%s is YAML, and its images are pinned", (file) => {
  const text = read(file);
  expect(parse(text, { merge: true })).toEqual(expect.any(Object));
  for (const [, image = ""] of text.matchAll(/^\s*image: (\S+)$/gm))
    expect(image).toMatch(/:(?!latest$)[\w.-]+$/);
});

test("the images of the Dockerfile are pinned, and have the version of pnpm that the workspace has", () => {
  const text = read("Dockerfile");
  const { packageManager } = JSON.parse(readFileSync("package.json", "utf8")) as { packageManager: string };
  for (const [, image = ""] of text.matchAll(/^FROM (\S+)/gm))
    expect(image).toMatch(/^node:\d+\.\d+\.\d+-[\w-]+$/);
  for (const [found] of text.matchAll(/pnpm@[\d.]+/g)) expect(found).toBe(packageManager);
  expect(text).toMatch(/^USER 10001:10001$/m);
});

test("every program that is started is compiled from a source, and every command exists", () => {
  const text = files.map(read).join("\n");
  const programs = new Set(text.match(/\bdist\/[\w/]+\.js/g));
  expect([...programs].toSorted()).toEqual(["dist/cli/main.js", "dist/start.js"]);
  for (const program of programs) {
    const source = program.replace("dist/", "packages/service/src/").replace(/js$/, "ts");
    expect([source, existsSync(source)]).toEqual([source, true]);
  }
  const known = readFileSync("packages/service/src/cli/program.ts", "utf8");
  for (const [, command = ""] of text.matchAll(/\[cadastre, (\w+)\]|"cadastre", "(\w+)"|main\.js (\w+)/g))
    if (command !== "") expect(known).toContain(`  ${command}: async`);
});

test("supervisors wait for longer than a drain takes", () => {
  const figure = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  for (const [file, grace] of [
    ["compose.yaml", /stop_grace_period: (\d+)s/],
    ["kubernetes.yaml", /terminationGracePeriodSeconds: (\d+)/],
  ] as const) {
    const text = read(file);
    const drain =
      figure(text, /CADASTRE_DRAIN_WAIT_SECONDS: "(\d+)"/) + figure(text, /CADASTRE_DRAIN_SECONDS: "(\d+)"/);
    expect(figure(text, grace)).toBeGreaterThan(drain);
  }
});

test("files that compose.yaml mounts are here, or are made by the steps of the README", () => {
  const readme = read("README.md");
  for (const [, file = ""] of read("compose.yaml").matchAll(/\.\/([\w./-]+)/g))
    expect([file, existsSync(join(root, file)) || readme.includes(file)]).toEqual([file, true]);
});

describe("kubernetes.yaml", () => {
  type Pod = {
    readonly securityContext: object;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  type Container = { readonly name: string; readonly securityContext: object };
  type Item = { readonly kind: string; readonly spec?: { readonly template?: { readonly spec: Pod } } };
  const { items } = parse(read("kubernetes.yaml")) as { readonly items: readonly Item[] };

  test("has what a rolling upgrade needs", () => {
    expect(items.map(({ kind }) => kind)).toEqual([
      "ConfigMap",
      "Job",
      "Deployment",
      "Deployment",
      "Service",
      "PodDisruptionBudget",
    ]);
    expect(JSON.stringify(items)).toMatch(/readinessProbe.*\/health\/ready/);
  });

  test("no container runs as root, or may write to its root file system", () => {
    for (const { spec } of items) {
      const pod = spec?.template?.spec;
      if (pod === undefined) continue;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
      for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])])
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
    }
  });
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!hasSystemd)("systemd accepts the units", () => {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-units-"));
  try {
    const units = files.filter((file) => file.endsWith(".service"));
    expect(units).toHaveLength(2);
    const copies = units.map((unit) => {
      const copy = join(folder, unit.replace("systemd/", ""));
      // Node may be installed elsewhere on the machine of the tests.
      writeFileSync(copy, read(unit).replace("/usr/bin/node", process.execPath));
      return copy;
    });
    const { stderr, stdout } = spawnSync("systemd-analyze", ["verify", ...copies], { encoding: "utf8" });
    const said = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("cadastre"));
    expect(said).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
