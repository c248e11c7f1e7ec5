import { afterEach, expect, test, vi } from "vitest";
import { asTyped, typedCommand } from "../../src/terminal/typed-command.ts";

afterEach(() => vi.unstubAllEnvs());

test.each<[event: string | undefined, of: string | undefined, operator: string, consumer: string]>([
  [undefined, undefined, "cadastre", "cadastre-client"],
  ["cadastre", "cadastre", "npm run --silent cadastre --", "npm run --silent client --"],
  ["start", "cadastre", "npm run --silent cadastre --", "npm run --silent client --"],
  ["start", "another", "cadastre", "cadastre-client"],
  ["npx", undefined, "npx @cadastre/service", "npx @cadastre/client"],
])(
  "started by the script %s of %s, commands are named as they are typed",
  (event, of, operator, consumer) => {
    vi.stubEnv("npm_lifecycle_event", event);
    vi.stubEnv("npm_package_name", of);
    expect([typedCommand("cadastre"), typedCommand("cadastre-client")]).toEqual([operator, consumer]);
    expect(
      asTyped("run `cadastre migrate`, or `A=b cadastre-client pull`; a cadastre of `cadastre.yaml`"),
    ).toBe(`run \`${operator} migrate\`, or \`A=b ${consumer} pull\`; a cadastre of \`cadastre.yaml\``);
  },
);
