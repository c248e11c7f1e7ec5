// Writes a software bill of materials (CycloneDX 1.6, JSON) of the production dependencies of all packages, as the lock file has
// them: `npm run sbom` writes sbom.cdx.json, `npm run sbom -- <file>` another file. The same lock file gives the same bytes.
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

const lock = parse(readFileSync(join(root, "pnpm-lock.yaml"), "utf8"));

/** Manifests of the workspace's packages by importer, such as `packages/odata`. */
const workspace = new Map(
  readdirSync(join(root, "packages"))
    .toSorted(byName)
    .map((name) => [`packages/${name}`, readJson(join(root, "packages", name, "package.json"))]),
);

/** Folders of installed packages in pnpm's store, by `name@version`: only they tell the license. */
const installed = new Map();
const store = join(root, "node_modules/.pnpm");
for (const entry of readdirSync(store)) {
  const modules = join(store, entry, "node_modules");
  if (!existsSync(modules)) continue;
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`) : [name],
  );
  for (const name of names) {
    const folder = join(modules, name);
    if (name.startsWith(".") || realpathSync(folder) !== folder) continue;
    const file = join(folder, "package.json");
    if (existsSync(file)) installed.set(`${name}@${readJson(file).version}`, file);
  }
}

/** `@scope/name@1.0.0(peer@2.0.0)` → `@scope/name@1.0.0` */
const withoutPeers = (key) => key.replace(/\(.*$/, "");
const splitKey = (key) => {
  const at = key.lastIndexOf("@");
  return { name: key.slice(0, at), version: key.slice(at + 1) };
};

const purlOf = (name, version) => `pkg:npm/${name.replace(/^@/, "%40")}@${encodeURIComponent(version)}`;

const nameOf = (name) => {
  const [group, own] = name.split("/");
  return own === undefined ? { name: group } : { group, name: own };
};

/** The key of a dependency in the lock file; of a neighbour in the workspace, its importer. */
function keyOf(name, version) {
  if (version.startsWith("link:")) return `packages/${basename(version)}`;
  // An alias: `npm:other@1.0.0`.
  return Object.hasOwn(lock.snapshots, version) ? version : `${name}@${version}`;
}

/** Development dependencies whose code the compiled package contains, by importer. */
const embedded = { "packages/odata": ["chevrotain", "geographiclib-geodesic", "re2js"] };

const dependenciesOf = (key) => {
  if (workspace.has(key)) {
    const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = lock.importers[key];
    const contained = (embedded[key] ?? []).map((name) => [name, devDependencies[name]]);
    return [...Object.entries({ ...dependencies, ...optionalDependencies }), ...contained].map(
      ([name, { version }]) => keyOf(name, version),
    );
  }
  const { dependencies = {}, optionalDependencies = {} } = lock.snapshots[key];
  return Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, version]) =>
    keyOf(name, version),
  );
};

/** By `bom-ref`: the keys that lead to it. Variants of one version by their peers are one component. */
const graph = new Map();
const refOf = (key) => {
  const own = workspace.get(key);
  if (own !== undefined) return purlOf(own.name, own.version);
  const { name, version } = splitKey(withoutPeers(key));
  return purlOf(name, version);
};
const components = new Map();
const seen = new Set();
function visit(key) {
  if (seen.has(key)) return;
  seen.add(key);
  const ref = refOf(key);
  const uses = graph.get(ref) ?? new Set();
  graph.set(ref, uses);
  components.set(ref, key);
  for (const dependency of dependenciesOf(key)) {
    uses.add(refOf(dependency));
    visit(dependency);
  }
}
for (const importer of workspace.keys()) visit(importer);

const licensesOf = (license) => {
  if (typeof license !== "string") return {};
  const isId = /^[\w.+-]+$/.test(license);
  return { licenses: [isId ? { license: { id: license } } : { expression: license }] };
};

function componentOf(ref, key) {
  const own = workspace.get(key);
  if (own !== undefined)
    return {
      type: own.private ? "application" : "library",
      "bom-ref": ref,
      ...nameOf(own.name),
      version: own.version,
      ...licensesOf(own.license),
      purl: ref,
    };
  const id = withoutPeers(key);
  const { name, version } = splitKey(id);
  const { resolution, os, cpu } = lock.packages[id];
  const forOnePlatform = os !== undefined || cpu !== undefined;
  const file = installed.get(id);
  const integrity = /^sha512-(.+)$/.exec(resolution.integrity ?? "")?.[1];
  return {
    type: "library",
    "bom-ref": ref,
    ...nameOf(name),
    version,
    ...(forOnePlatform ? { scope: "optional" } : {}),
    ...(integrity === undefined
      ? {}
      : { hashes: [{ alg: "SHA-512", content: Buffer.from(integrity, "base64").toString("hex") }] }),
    // What is for one platform may not be installed here, and must not make the bytes another platform's.
    ...(forOnePlatform || file === undefined ? {} : licensesOf(readJson(file).license)),
    purl: ref,
  };
}

const project = readJson(join(root, "package.json"));
const about = {
  type: "application",
  "bom-ref": project.name,
  name: project.name,
  ...licensesOf(project.license),
};
const refs = [...components.keys()].toSorted(byName);
const bom = {
  $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: { component: about },
  components: refs.map((ref) => componentOf(ref, components.get(ref))),
  dependencies: [
    { ref: project.name, dependsOn: [...workspace.keys()].map(refOf).toSorted(byName) },
    ...refs.map((ref) => ({ ref, dependsOn: [...graph.get(ref)].toSorted(byName) })),
  ],
};

const file = process.argv[2] ?? join(root, "sbom.cdx.json");
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
console.log(`${file}: ${bom.components.length} components`);
