// A plugin of typedoc: modules have the names by which they are imported, `@cadastre/odata/tree` in place of `odata/src/tree`.
export const load = ({ converter }) =>
  converter.on("resolveBegin", ({ project }) => {
    for (const module of project.children ?? []) module.name = `@cadastre/${module.name.replace("/src", "")}`;
  });
