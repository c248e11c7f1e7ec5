// Collects the licenses of packages whose code is contained in compiled modules.
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns the folder of the package that holds a file. A package may have files without a name, which tell the format of its modules. */
const packageOf = (place) => (nameIn(place) === undefined ? packageOf(dirname(place)) : place);

const nameIn = (place) => {
  const file = join(place, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).name : undefined;
};

/** Returns titles and license texts of the packages that hold the files, in the order of their titles. */
export function licensesOf(files) {
  const folders = new Set(files.map((id) => packageOf(dirname(realpathSync(id)))));
  return [...folders]
    .map((place) => {
      const { name, version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
      const file = readdirSync(place).find((one) => /^licen[cs]e(?:\.(?:txt|md))?$/i.test(one));
      const text = file === undefined ? "" : readFileSync(join(place, file), "utf8").trim();
      return { title: `${name} ${version} (${license})`, text };
    })
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
}

/** Returns the license texts, each below the titles of the packages that have it. */
export function licenseTexts(packages) {
  const titlesWith = (text) => packages.filter((one) => one.text === text).map(({ title }) => title);
  return [...new Set(packages.map(({ text }) => text))]
    .map((text) => `${titlesWith(text).join(", ")}:\n\n${text || "The package comes without the text."}\n`)
    .join("\n\n");
}
