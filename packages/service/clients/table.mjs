import { readFileSync, writeFileSync } from "node:fs";
import { steps } from "./task.mjs";

const file = new URL("../../../docs/clients.md", import.meta.url);
const [start, end] = ["<!-- made by packages/service/clients/run.mjs -->\n", "<!-- to here -->"];

/** Rows of the table in docs/clients.md, by the name of the client. */
export function tableOf(results) {
  const columns = Object.keys(steps);
  const cells = ({ name, version, license, outcomes }) => [
    `\`${name}\` ${version}`,
    license,
    ...columns.map((step) => (outcomes[step] === undefined ? "–" : outcomes[step] ? "yes" : "**no**")),
  ];
  const line = (row) => `| ${row.join(" | ")} |\n`;
  const head = ["client", "licence", ...columns];
  return [head, head.map(() => "---"), ...results.map(cells)].map(line).join("");
}

export function writeTable(table) {
  const [before, , after] = parts();
  writeFileSync(file, before + start + table + end + after);
}

/** Whether the docs have every row of the table. */
export function hasTable(table) {
  const [, shown] = parts();
  return table.split("\n").every((row) => shown.includes(row));
}

function parts() {
  const text = readFileSync(file, "utf8");
  const [before, rest = ""] = text.split(start);
  const [shown, after = ""] = rest.split(end);
  return [before, shown, after];
}
