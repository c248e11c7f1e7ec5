import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const folder = mkdtempSync(join(tmpdir(), "cadastre-sbom-"));
afterAll(() => rmSync(folder, { recursive: true }));

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

type Bom = {
  readonly components: readonly {
    readonly "bom-ref": string;
    readonly purl: string;
    readonly scope?: string;
    readonly hashes?: readonly object[];
    readonly licenses?: readonly object[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

describe("npm run sbom", () => {
  const write = (name: string) => {
    const file = join(folder, name);
    execFileSync(process.execPath, ["scripts/sbom.mjs", file]);
    return readFileSync(file, "utf8");
  };
  const text = write("first.json");
  const bom = JSON.parse(text) as Bom;
  const refs = bom.components.map((component) => component["bom-ref"]);

  test("writes the same bytes each time", () => {
    expect(write("second.json")).toBe(text);
  });

  test("fits the JSON Schema of CycloneDX 1.6", () => {
    const { resolve } = createRequire(import.meta.url);
    const schemas = join(resolve("@cyclonedx/cyclonedx-library/package.json"), "../res/schema");
    const schemaOf = (name: string) => readJson(join(schemas, `${name}.SNAPSHOT.schema.json`)) as object;
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    for (const name of ["spdx", "jsf-0.82"])
      ajv.addSchema(schemaOf(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    const fits = ajv.compile(schemaOf("bom-1.6"));
    expect(fits(bom), JSON.stringify(fits.errors)).toBe(true);
    expect(fits({ ...bom, components: [{ type: "library" }] })).toBe(false);
  });

  test("has every package of the workspace and its production dependencies, and no others", () => {
    const names = new Set(refs.map((ref) => ref.slice(0, ref.lastIndexOf("@"))));
    for (const name of readdirSync("packages")) {
      const own = readJson(join("packages", name, "package.json")) as {
        readonly dependencies?: Readonly<Record<string, string>>;
      };
      for (const needed of [`@cadastre/${name}`, ...Object.keys(own.dependencies ?? {})])
        expect(names).toContain(`pkg:npm/${needed.replace("@", "%40")}`);
    }
    // What is compiled into a package is delivered with it.
    for (const own of ["chevrotain", "lodash-es", "re2js"]) expect(names).toContain(`pkg:npm/${own}`);
    for (const tool of ["vitest", "typescript", "%40biomejs/biome"])
      expect(names).not.toContain(`pkg:npm/${tool}`);
  });

  test("names each component once, and what it depends on", () => {
    expect(new Set(refs).size).toBe(refs.length);
    const known = new Set(refs);
    for (const { dependsOn } of bom.dependencies) for (const ref of dependsOn) expect(known).toContain(ref);
    expect(bom.dependencies.map(({ ref }) => ref).toSorted()).toEqual(["cadastre", ...refs].toSorted());
  });

  test("has hash and license of each component that is not of the workspace", () => {
    const foreign = bom.components.filter(({ purl }) => !purl.startsWith("pkg:npm/%40cadastre/"));
    expect(foreign.length).toBeGreaterThan(50);
    for (const { purl, hashes, licenses, scope } of foreign) {
      expect(hashes, purl).toHaveLength(1);
      // A package for one platform may not be installed here.
      if (scope !== "optional") expect(licenses, purl).toHaveLength(1);
    }
  });
});

/** Returns the folders of all installed packages of others. */
function installedPackages(): readonly string[] {
  const store = realpathSync("node_modules/.pnpm");
  return readdirSync(store).flatMap((entry) => {
    const modules = join(store, entry, "node_modules");
    if (!existsSync(modules)) return [];
    const names = readdirSync(modules).flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(modules, name)).map((own) => join(name, own)) : [name],
    );
    return names
      .map((name) => join(modules, name))
      .filter((place) => existsSync(join(place, "package.json")));
  });
}

const installHooks = ["preinstall", "install", "postinstall"];

/** True if installing the package would run a program, `node-gyp` included. */
function runsAtInstall(place: string): boolean {
  const { scripts = {} } = readJson(join(place, "package.json")) as { readonly scripts?: object };
  return installHooks.some((hook) => Object.hasOwn(scripts, hook)) || existsSync(join(place, "binding.gyp"));
}

describe("dependencies with install scripts", () => {
  const heading = "| package | its script | runs here | needed for |\n|---|---|---|---|\n";
  const page = readFileSync("SECURITY.md", "utf8");
  const rows = /^(?:\|.*\n)*/.exec(page.slice(page.indexOf(heading) + heading.length))?.[0] ?? "";
  const listed = [...rows.matchAll(/^\| `([^`]+)` \|.*\| (yes|no) \|/gm)].map(([, name = "", runs]) => ({
    name,
    runs: runs === "yes",
  }));
  const settings = parse(readFileSync("pnpm-workspace.yaml", "utf8")) as {
    readonly onlyBuiltDependencies: readonly string[];
    readonly ignoredBuiltDependencies: readonly string[];
    readonly strictDepBuilds: boolean;
  };
  const namesOf = (runs: boolean) =>
    listed.flatMap((row) => (row.runs === runs ? [row.name] : [])).toSorted();

  test("are those that SECURITY.md lists", () => {
    const found = installedPackages().filter(runsAtInstall);
    const names = found.map((place) => (readJson(join(place, "package.json")) as { name: string }).name);
    expect([...new Set(names)].toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
  });

  test("run only where pnpm's settings allow it, and fail the install where nobody has decided", () => {
    expect(namesOf(true)).toEqual(settings.onlyBuiltDependencies.toSorted());
    expect(namesOf(false)).toEqual(settings.ignoredBuiltDependencies.toSorted());
    expect(settings.strictDepBuilds).toBe(true);
  });
});

test("a package is packed with its dependencies in one order, whatever order pnpm resolves them in", () => {
  const { hooks } = createRequire(import.meta.url)("../.pnpmfile.cjs") as {
    readonly hooks: { readonly beforePacking: (manifest: object) => object };
  };
  const packed = [
    { name: "a", dependencies: { b: "1", a: "1" }, devDependencies: { d: "1", c: "1" } },
    { devDependencies: { c: "1", d: "1" }, name: "a", dependencies: { a: "1", b: "1" } },
  ].map((manifest) => JSON.stringify(hooks.beforePacking(manifest)));
  expect(packed[0]).toBe('{"name":"a","dependencies":{"a":"1","b":"1"},"devDependencies":{"c":"1","d":"1"}}');
  expect(packed[1]).toBe(packed[0]);
});

describe("the threat model", () => {
  const page = readFileSync("docs/security.md", "utf8");
  const rows = /\| promise \| held by \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page)?.[1] ?? "";
  const promises = rows.trimEnd().split("\n");

  test.each(promises)("names tests that exist: %s", (row) => {
    const files = [...row.matchAll(/`([\w./-]+\.(?:test\.ts|ts|mjs)|[\w./-]+\/)`/g)].map(
      ([, file = ""]) => file,
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(existsSync(file), file).toBe(true);
  });

  test("is linked by SECURITY.md, and says of time what docs/entitlement.md says", () => {
    expect(readFileSync("SECURITY.md", "utf8")).toContain("(docs/security.md)");
    for (const other of ["SECURITY.md", "docs/entitlement.md"])
      expect(readFileSync(other, "utf8")).toMatch(/security\.md#time|\(docs\/security\.md#time\)/);
  });
});
