import { mkdirSync, writeFileSync } from "node:fs";
import { run } from "./run.mjs";

const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];

/** Installs tarballs and packages by npm in an empty folder, as a user does. */
export async function installIn(folder, packages) {
  mkdirSync(folder);
  writeFileSync(`${folder}/package.json`, JSON.stringify({ private: true }));
  await run("npm", ["install", ...flags, ...packages], folder);
}

/** Returns the packages of the workspace that one of them depends on, and itself. */
function withNeighbours(name, manifests) {
  const { dependencies = {} } = manifests.get(name);
  const neighbours = Object.keys(dependencies).filter((one) => manifests.has(one));
  return new Set([name, ...neighbours.flatMap((one) => [...withNeighbours(one, manifests)])]);
}

/**
 * Requires that npm can install a package beside the newest version of each of its peers; where it names one exact version, beside that.
 * Nothing is downloaded but what the registry says of them.
 *
 * @param manifests name of a package → its manifest
 * @param tarballOf returns the tarball of a package
 * @returns what it was resolved beside
 */
export async function checkPeers(folder, name, manifests, tarballOf) {
  const peers = Object.entries(manifests.get(name).peerDependencies ?? {});
  const wanted = peers.map(([peer, range]) => `${peer}@${/^\d/.test(range) ? range : "latest"}`);
  const tarballs = [...withNeighbours(name, manifests)].map(tarballOf);
  mkdirSync(folder);
  writeFileSync(`${folder}/package.json`, JSON.stringify({ private: true }));
  const printed = await run("npm", ["install", "--dry-run", ...flags, ...tarballs, ...wanted], folder);
  // npm only warns if just one of several versions fits.
  if (printed.includes("ERESOLVE")) throw new Error(`${name} beside ${wanted.join(", ")}:\n${printed}`);
  return wanted;
}
