import { readKeyFile } from "@cadastre/client";
import type { Manifest } from "@cadastre/manifest";
import type { Catalog } from "@cadastre/reso";
import { Command, Option } from "commander";
import { endSample } from "../data/notes.ts";
import { dictionary, sourceNamed, sourcesOf } from "../ingest/sources.ts";
import type { Receipt, ReceivedSet } from "../receive/receive-delivery.ts";
import { receiveFolder } from "../receive/receive-folder.ts";
import type { TakenSystems } from "../receive/split-records.ts";
import { sampleWarning, withServiceStore } from "./data.ts";
import { printMessage, printResult } from "./outcome.ts";
import { counted, number } from "./progress.ts";
import { withReasons } from "./reject-reasons.ts";
import { allowShrinkOption, parseRowCount, stagingJsonOption } from "./staging-options.ts";

type Options = {
  readonly systems?: readonly string[];
  readonly keys?: string;
  readonly maxRejects: number;
  readonly allowShrink?: true;
  readonly anew?: true;
  readonly replace?: true;
  readonly json?: true;
};

/** `cadastre receive <folder>` */
export const receiveCommand = (): Command =>
  new Command("receive")
    .description(
      "Ingest and publish what another Cadastre delivers: the deliveries in a folder that `cadastre-client follow` or `pull` has filled, each once, seeds and deltas with their removals.",
    )
    .argument("<folder>", "folder of deliveries, or of one delivery")
    .addOption(
      new Option(
        "--systems <ids>",
        "take only records of these systems, by their ids here, separated by commas (default: all that are known; records of others are refused)",
      ).argParser((text) => text.split(",").map((id) => id.trim())),
    )
    .option(
      "--keys <file>",
      "JWKS to verify the signatures by again; `follow` and `pull` have verified them when they fetched",
    )
    .addOption(
      new Option("--max-rejects <count>", "stop if more records of a delta than this are not taken")
        .argParser(parseRowCount)
        .default(0),
    )
    .addOption(allowShrinkOption())
    .option("--anew", "begin with the last seed of each subscription, whatever was received before")
    .option("--replace", "take systems over that another subscription has brought")
    .addOption(stagingJsonOption())
    .action((path: string, options: Options) =>
      withServiceStore(async (store, folder, { identities: crosswalk }, config) => {
        const keys = options.keys === undefined ? "unsigned" : await readKeyFile(options.keys);
        const taken = takenSystems(store.catalog, options.systems);
        if (await endSample(store)) printMessage(sampleWarning(folder));
        const count = await withReasons(options, () =>
          receiveFolder(path, {
            store,
            crosswalk,
            folder,
            keys,
            taken,
            leavesOut: options.systems !== undefined,
            maxShrink: options.allowShrink ? 100 : config.maxShrink,
            maxRejects: options.maxRejects,
            anew: options.anew === true,
            replaces: options.replace === true,
            onReceived: (manifest, receipt) => tell(manifest, receipt, options),
          }),
        );
        if (count === 0 && !options.json) printMessage(`Nothing new in ${path}.`);
      }),
    );

/** Returns the systems with these ids, or all systems. @throws {IngestError} for an unknown id */
const takenSystems = (catalog: Catalog, ids: readonly string[] | undefined): TakenSystems => {
  const sources = ids?.map((id) => sourceNamed(catalog, id)) ?? sourcesOf(catalog);
  return new Map(
    sources.flatMap(({ name, systemName }) =>
      systemName === null || name === dictionary.name ? [] : [[systemName, name]],
    ),
  );
};

function tell(manifest: Manifest, { sets }: Receipt, { json }: Options): void {
  const { deliveryId, domain, subscriptionId, kind, generation, sequence, window } = manifest;
  if (json) {
    printResult(
      JSON.stringify({
        deliveryId,
        domain,
        subscriptionId,
        kind,
        generation,
        sequence,
        asOf: window.asOf,
        sets,
      }),
    );
    return;
  }
  const place = subscriptionId === null ? kind : `${kind} ${generation}.${sequence}`;
  printMessage(`Received the ${place} of ${domain} as of ${window.asOf}: ${sets.map(setText).join("; ")}.`);
}

function setText({ resource, read, removed, rejected, leftOut }: ReceivedSet): string {
  const parts = [
    `${resource} ${counted(read, "record")}`,
    ...(removed === 0 ? [] : [`${number(removed)} removed`]),
    ...(rejected === 0 ? [] : [`${number(rejected)} rejected`]),
    ...(leftOut === 0 ? [] : [`${number(leftOut)} of other systems left out`]),
  ];
  return parts.join(", ");
}
