import { type ConfirmFlags, relativeTime, withElapsed, yesOption } from "@cadastre/client/terminal";
import { recordNames } from "@cadastre/reso";
import type { Build } from "@cadastre/store";
import { Argument, Command, Option } from "commander";
import { gateResultsOf } from "../gates/activation.ts";
import { excessiveLosses } from "../gates/shrink.ts";
import { takesEffectText } from "../takes-effect.ts";
import { confirmDeletion } from "./confirmed.ts";
import { withServiceStore } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";
import { allowShrinkOption } from "./staging-options.ts";
import { table } from "./table.ts";

type Output = { readonly json?: true };
type RollbackOptions = Output & ConfirmFlags & { readonly to?: string; readonly allowShrink?: boolean };

const json = () => new Option("--json", "write the result for machines");
const resource = () => new Argument("<resource>").choices(recordNames);

/** Returns the JSON of a build. */
export const buildJson = (build: Build) => ({
  ...build,
  published: new Date(build.published).toISOString(),
});

/** `cadastre builds <resource>` */
export const buildsCommand = (): Command =>
  new Command("builds")
    .description("List the builds of a set, the one that is served first.")
    .addArgument(resource())
    .addOption(json())
    .action((name: string, output: Output) =>
      withServiceStore(async ({ builds }) => {
        const listed = await builds.list(name);
        if (output.json) return printResult(JSON.stringify(listed.map(buildJson), null, 2));
        if (listed.length === 0) return printMessage(`No builds of ${name}.`);
        printResult(table(["BUILD", "PUBLISHED", "RECORDS", "SHA-256", "GATES"], listed.map(rowOf)));
      }),
    );

function rowOf(build: Build): readonly string[] {
  const gates = gateResultsOf(build);
  const passed = gates.filter((gate) => gate.passed).length;
  const { id, published, records, sha256 } = build;
  return [
    id,
    relativeTime(published, Date.now()),
    String(records),
    `${sha256.slice(0, 12)}…`,
    `${passed} of ${gates.length} passed`,
  ];
}

/** `cadastre rollback <resource>` */
export const rollbackCommand = (): Command =>
  new Command("rollback")
    .description("Serve an earlier build again. What is staged of the set is forgotten.")
    .addArgument(resource())
    .option("--to <build>", "id of the build; by default the one before")
    .addOption(allowShrinkOption())
    .addOption(yesOption())
    .addOption(json())
    .action((name: string, { to, allowShrink = false, yes, ...output }: RollbackOptions) =>
      withServiceStore(async ({ builds }, _folder, _registry, { maxShrink }) => {
        const earlier = to ?? (await builds.current(name))?.previous;
        if (earlier === null || earlier === undefined)
          throw new CommandRefused(`${name} has no build before the one that is served`);
        await confirmDeletion(
          { yes },
          `This serves the build ${earlier} of ${name} again, and forgets what is staged of ${name}`,
        );
        const build = await withElapsed(`rolling ${name} back`, () =>
          builds.rollback(name, earlier, (changes) => {
            const losses = excessiveLosses(changes, maxShrink);
            if (losses.length > 0 && !allowShrink)
              throw new CommandRefused(
                [...losses, "To remove these records, roll back with --allow-shrink"].join("\n"),
              );
          }),
        );
        if (output.json) return printResult(JSON.stringify(buildJson(build), null, 2));
        printMessage(
          `${name} serves what the build ${earlier} held, as the build ${build.id}. ${takesEffectText("knows")}`,
        );
      }),
    );
