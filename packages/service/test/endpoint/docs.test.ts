import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { z } from "zod";
import { destinationEndpoints } from "../../src/delivery/destinations.ts";
import { documentEndpoints } from "../../src/delivery/documents.ts";
import { redeem } from "../../src/delivery/downloads.ts";
import { deliveryEndpoints } from "../../src/delivery/endpoints.ts";
import { exportEndpoints } from "../../src/delivery/exports.ts";
import { subscriptionEndpoints } from "../../src/delivery/subscriptions.ts";
import { webhookEndpoints } from "../../src/delivery/webhooks.ts";
import { commonErrors, type Endpoint } from "../../src/endpoint/endpoint.ts";
import { publicErrors, statuses } from "../../src/errors.ts";
import { v1Endpoints } from "../../src/v1/endpoints.ts";

const code = (text: string) => `\`${text}\``;

/** Names of parameters or members; those that may be left out end with a question mark. */
const namesOf = ({ shape }: z.ZodObject): readonly string[] =>
  Object.entries(shape as Readonly<Record<string, z.ZodType>>).map(([name, schema]) =>
    schema.safeParse(undefined).success ? `${name}?` : name,
  );

const takenBy = ({ query, body, headers }: Endpoint<never>): string =>
  [
    ...namesOf(query).map(
      (name) => code(`?${name}`.replace(/\?$/, "")) + (name.endsWith("?") ? " (optional)" : ""),
    ),
    ...Object.keys(headers).map(code),
    ...(body === undefined ? [] : [code(`{${namesOf(body).join(", ")}}`)]),
  ].join(", ");

const errorsOf = (codes: Endpoint<never>["errors"]): string =>
  codes.map((one) => `[${code(one)}](errors.md#${one}) ${statuses[publicErrors[one].kind]}`).join(", ");

const requestOf = ({ method, path }: Endpoint<never>) => code(`${method.toUpperCase()} ${path}`);

const short = {
  heading: "| Request | Status | Answer |\n|---|--:|---|\n",
  rowOf: (one: Endpoint<never>) => `| ${requestOf(one)} | ${one.status} | ${one.summary} |\n`,
};

const long = {
  heading: "| Request | Takes | Status | Answer | Channel | Errors |\n|---|---|--:|---|---|---|\n",
  rowOf: (one: Endpoint<never>) =>
    `| ${requestOf(one)} | ${takenBy(one)} | ${one.status} | ${one.summary} | ${one.channel === null ? "any" : code(one.channel)} | ${errorsOf(one.errors)} |\n`,
};

type Table = { readonly of: typeof short; readonly endpoints: readonly Endpoint<never>[] };

/** The tables of each page, in their order. */
const pages: readonly (readonly [page: string, tables: readonly Table[]])[] = [
  [
    "docs/endpoints.md",
    [
      v1Endpoints,
      [...exportEndpoints, redeem, ...documentEndpoints],
      subscriptionEndpoints,
      destinationEndpoints,
      webhookEndpoints,
    ].map((endpoints) => ({ of: long, endpoints: endpoints as readonly Endpoint<never>[] })),
  ],
  ["docs/subscriptions.md", [{ of: short, endpoints: subscriptionEndpoints }]],
  ["docs/push-onboarding.md", [{ of: short, endpoints: destinationEndpoints }]],
  ["docs/webhooks.md", [{ of: short, endpoints: webhookEndpoints }]],
  [
    "packages/service/README.md",
    [
      { of: short, endpoints: v1Endpoints as readonly Endpoint<never>[] },
      {
        of: short,
        endpoints: [...exportEndpoints, redeem, ...documentEndpoints] as readonly Endpoint<never>[],
      },
    ],
  ],
];

test.each(pages)("%s has the tables of the endpoints", async (page, tables) => {
  const file = fileURLToPath(new URL(`../../../../${page}`, import.meta.url));
  const pieces = readFileSync(file, "utf8").split(
    /\| Request \| (?:Takes \| )?Status \| Answer \|.*\n(?:\|.*\n)*/,
  );
  expect(pieces).toHaveLength(tables.length + 1);
  const written = tables.map(({ of, endpoints }) => of.heading + endpoints.map(of.rowOf).join(""));
  const text = pieces.map((piece, i) => piece + (written[i] ?? "")).join("");
  await expect(text).toMatchFileSnapshot(file);
});

test("the page of endpoints lists the errors of all of them", () => {
  const page = readFileSync(new URL("../../../../docs/endpoints.md", import.meta.url), "utf8");
  for (const one of commonErrors) expect(page).toContain(`[\`${one}\`](errors.md#${one})`);
});

test("a path and a method belong to one endpoint", () => {
  const all = [...v1Endpoints, ...deliveryEndpoints].map(({ method, path }) => `${method} ${path}`);
  expect(all).toEqual([...new Set(all)]);
});
