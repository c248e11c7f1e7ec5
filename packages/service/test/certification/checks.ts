import type { Row } from "@cadastre/odata";
import { expect } from "vitest";
import { type Reply, toCollection } from "../support/ask.ts";
import type { ServedSet } from "./served.ts";

/** What every scenario asks of an answer: its status, its version, and that it is JSON. */
export function checkAnswer(reply: Reply): void {
  expect(reply.status, reply.text.slice(0, 200)).toBe(200);
  expect(reply.headers["odata-version"]).toMatch(/^4\.01?$/);
  expect(reply.headers["content-type"]).toMatch(/^application\/json/);
  JSON.parse(reply.text);
}

/** Also that there are rows, each with the selected fields and nothing else, and a value for each field in some row. */
export function checkRows(reply: Reply, set: ServedSet, selected: readonly string[]): readonly Row[] {
  checkAnswer(reply);
  const rows = toCollection(reply).value;
  expect(rows.length).toBeGreaterThan(0);
  for (const name of selected) expect(set.properties.has(name), `${name} is declared`).toBe(true);
  for (const row of rows) expect(new Set(Object.keys(row))).toEqual(new Set(selected));
  for (const name of selected) {
    const values = rows.map((row) => row[name]);
    expect(
      values.some((value) => value !== null),
      `there is a ${name}`,
    ).toBe(true);
  }
  return rows;
}

/** Text of a literal in a query: quotes doubled. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
