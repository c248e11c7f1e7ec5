// pnpm resolves `workspace:` dependencies in parallel and writes them in the order in which it finishes. Sorted, a package that is
// packed or published twice has the same bytes.
const fields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

const sorted = (dependencies) =>
  Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)));

// The entry `./testing` supports the tests of the workspace. It needs development dependencies and is not published.
const published = ([name, value]) => {
  if (name !== "exports") return [name, value];
  const { "./testing": _, ...exports } = value;
  return [name, exports];
};

module.exports = {
  hooks: {
    beforePacking: (manifest) => {
      const others = Object.entries(manifest).filter(([name]) => !fields.includes(name));
      const own = fields.filter((name) => manifest[name] !== undefined);
      return Object.fromEntries([
        ...others.map(published),
        ...own.map((name) => [name, sorted(manifest[name])]),
      ]);
    },
  },
};
