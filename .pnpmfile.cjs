// pnpm resolves `workspace:` dependencies in parallel and writes them in the order in which it finishes. Sorted, a package that is
// packed or published twice has the same bytes.
const fields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

const sorted = (dependencies) =>
  Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)));

module.exports = {
  hooks: {
    beforePacking: (manifest) => {
      const others = Object.entries(manifest).filter(([name]) => !fields.includes(name));
      const own = fields.filter((name) => manifest[name] !== undefined);
      return Object.fromEntries([...others, ...own.map((name) => [name, sorted(manifest[name])])]);
    },
  },
};
