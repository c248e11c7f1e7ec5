import { withElapsed } from "@cadastre/client/terminal";
import { type RecordName, recordNames } from "@cadastre/reso";
import { Argument, Command, Option } from "commander";
import { isActive } from "../gates/activation.ts";
import type { GateResult } from "../gates/gate.ts";
import { allPassed, type GatedPublication, publishGated, tryGatesOnly } from "../gates/publication.ts";
import { excessiveIn, shrink } from "../gates/shrink.ts";
import { takesEffectText } from "../takes-effect.ts";
import { buildJson } from "./builds.ts";
import { withServiceStore } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { allowShrinkOption } from "./staging-options.ts";
import { table } from "./table.ts";

type Output = { readonly json?: true };
type PublishOptions = Output & { readonly allowShrink?: boolean };

const json = () => new Option("--json", "write the result for machines");

/** `cadastre gates <resource>`: rehearses a publication, runs its gates and publishes nothing. Fails if a gate fails. */
export const gatesCommand = (): Command =>
  new Command("gates")
    .description("Try the gates of a set on what would be published now. Nothing is published.")
    .addArgument(new Argument("<resource>").choices(recordNames))
    .addOption(json())
    .action((resource: RecordName, output: Output) =>
      withServiceStore(async (store, _folder, { identities: crosswalk }, { maxShrink }) => {
        const publication = await withElapsed("trying the gates", () =>
          tryGatesOnly(store, resource, { crosswalk, maxShrink }),
        );
        show(publication, output);
        requirePassed(publication);
        if (!isActive(await store.builds.current(resource)))
          printMessage(`${resource} is not active: \`cadastre publish ${resource}\` activates it.`);
      }),
    );

/** `cadastre publish [resource…]`: publishes the staged changes of the resources, by default of those that have a build. */
export const publishCommand = (): Command =>
  new Command("publish")
    .description("Serve what is staged, if every gate is passed; else what is served stays.")
    .addArgument(new Argument("[resources...]").choices(recordNames))
    .addOption(allowShrinkOption())
    .addOption(json())
    .action((given: readonly string[], { allowShrink = false, ...output }: PublishOptions) =>
      withServiceStore(async (store, _folder, { identities: crosswalk }, { maxShrink }) => {
        const resources = given.length > 0 ? given : await publishedOf(store.builds.current);
        if (resources.length === 0)
          throw new CommandRefused("nothing was published before: name the resources to publish");
        const policy = { crosswalk, maxShrink, allowShrink };
        const publication = await withElapsed(`publishing ${resources.join(", ")}`, () =>
          publishGated(store, resources, policy),
        );
        show(publication, output);
        requirePassed(publication);
        for (const { resource, id, records } of publication.builds)
          printMessage(
            `${resource} serves the build ${id}, of ${records} records. ${takesEffectText("knows")}`,
          );
      }),
    );

/** Returns the resources that have a build. */
async function publishedOf(current: (resource: string) => Promise<unknown>): Promise<readonly string[]> {
  const published: string[] = [];
  for (const resource of recordNames) if ((await current(resource)) !== undefined) published.push(resource);
  return published;
}

const show = (publication: GatedPublication, output: Output): void =>
  printResult(output.json ? publicationJson(publication) : resultTable(publication));

const publicationJson = ({ results, builds }: GatedPublication): string =>
  JSON.stringify({ builds: builds.map(buildJson), gates: Object.fromEntries(results) }, null, 2);

const resultTable = ({ results }: GatedPublication): string =>
  table(
    ["SET", "GATE", "STATE", "EVIDENCE"],
    [...results].flatMap(([resource, found]) => found.map((result) => rowOf(resource, result))),
  );

const rowOf = (resource: string, { gate, passed, evidence }: GateResult): readonly string[] => [
  resource,
  gate,
  passed ? "passed" : "failed",
  evidenceText(gate === shrink.name ? withoutSentences(evidence) : evidence),
];

/** Replaces the messages about removals by their number. They are printed below the table, see {@link lossesIn}. */
const withoutSentences = (evidence: GateResult["evidence"]): GateResult["evidence"] =>
  typeof evidence === "object" &&
  evidence !== null &&
  "excessive" in evidence &&
  Array.isArray(evidence["excessive"])
    ? { ...evidence, excessive: evidence["excessive"].length }
    : evidence;

const evidenceText = (evidence: GateResult["evidence"]): string =>
  typeof evidence === "object" && evidence !== null
    ? Object.entries(evidence)
        .map(
          ([name, value]) =>
            `${name}=${typeof value === "string" ? value.slice(0, 16) : JSON.stringify(value)}`,
        )
        .join(" ")
    : JSON.stringify(evidence);

/** @throws {CommandRefused} names the sets that have not passed */
function requirePassed({ results }: GatedPublication): void {
  const failed = [...results].filter(([, found]) => !allPassed(found)).map(([resource]) => resource);
  if (failed.length === 0) return;
  const words = [
    `${failed.join(", ")}: a gate is not passed, and what was served before is served on`,
    ...lossesIn(results),
  ];
  throw new CommandRefused(words.join("\n"));
}

/** Returns messages about the removals that the gate `shrink` refuses, and the command that allows them. */
function lossesIn(results: GatedPublication["results"]): readonly string[] {
  const losses = [...results].flatMap(([, found]) => found.flatMap(excessiveIn));
  if (losses.length === 0) return [];
  const command = `cadastre publish ${[...results.keys()].join(" ")} --allow-shrink`;
  return [...new Set(losses), `What is staged stays staged. To remove these records: \`${command}\``];
}
