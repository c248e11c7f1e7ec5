import { readFile } from "node:fs/promises";
import { identitiesOf, isProvisionalId } from "@cadastre/store/property";
import { Command, InvalidArgumentError, Option } from "commander";
import { currentCatalog } from "../data/catalogs.ts";
import { fileReason } from "../file-error.ts";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import { servedProperty } from "../identity/served-property.ts";
import { readCrosswalk } from "../ingest/crosswalk.ts";
import { sourceNamed } from "../ingest/sources.ts";
import { takesEffectText } from "../takes-effect.ts";
import { withServiceRegistry, withServiceStore } from "./data.ts";
import { CommandRefused, printMessage, printResult } from "./outcome.ts";

type Output = { readonly json?: true };

const json = () => new Option("--json", "write the result for machines");

function readPlacekey(text: string): string {
  if (!isCanonicalPlacekey(text)) throw new InvalidArgumentError("It must be a canonical Placekey.");
  return text;
}

function readId(text: string): string {
  if (!isProvisionalId(text) && !isCanonicalPlacekey(text))
    throw new InvalidArgumentError("It must be a canonical Placekey, or prov:<ULID>.");
  return text;
}

/** `cadastre identity …` */
export function identityCommand(): Command {
  const group = new Command("identity").description("Say which listings are of one physical property.");
  group
    .command("resolve")
    .description("Have a property answer as that of a Placekey. The id goes on answering.")
    .argument("<id>", "prov:<ULID>, or a Placekey that another has taken the place of", readId)
    .argument("<placekey>", "the Placekey that it answers as", readPlacekey)
    .addOption(json())
    .action(resolve);
  group
    .command("release")
    .description("Have an id that was resolved stand for a property of its own again.")
    .argument("<id>", "the id", readId)
    .action(release);
  group
    .command("show")
    .description("Show what an id stands for, and the listings that are served of it.")
    .argument("<id>", "a Placekey, or prov:<ULID>", readId)
    .addOption(json())
    .action(show);
  group
    .command("crosswalk")
    .description("Set the Placekeys of listings of a source. They count when the listings are ingested.")
    .argument(
      "<file>",
      "CSV with the columns ListingKey and Placekey; without a Placekey, the source's counts",
    )
    .addOption(
      new Option(
        "--source <source>",
        "where the listings come from: the id of a system",
      ).makeOptionMandatory(),
    )
    .action(crosswalk);
  return group;
}

const takesEffect = takesEffectText("knows");

const resolve = (id: string, placekey: string, output: Output) =>
  withServiceRegistry(async ({ identities }) => {
    const resolution = await identities.resolve(id, placekey, Date.now());
    const resolved = new Date(resolution.resolved).toISOString();
    if (output.json) return printResult(JSON.stringify({ ...resolution, resolved }, null, 2));
    printMessage(`${id} answers as ${placekey}. ${takesEffect}`);
  });

const release = (id: string) =>
  withServiceRegistry(async ({ identities }) => {
    if (!(await identities.release(id))) throw new CommandRefused(`${id} is not resolved to anything`);
    printMessage(`${id} stands for a property of its own. ${takesEffect}`);
  });

const show = (id: string, output: Output) =>
  withServiceStore(async (store, _folder, registry) => {
    const identities = identitiesOf(await registry.identities.resolutions());
    const view = await servedProperty(id, store, identities);
    const { resolved } = identities(view?.id ?? id);
    const shown = { id: view?.id ?? identities(id).id, resolved, attributes: view?.attributes ?? null };
    if (output.json) return printResult(JSON.stringify(shown, null, 2));
    printResult(
      [
        `${id} answers as ${shown.id}`,
        ...resolved.map((one) => `also: ${one}`),
        view === undefined
          ? "No listing of it is served."
          : `listings: ${JSON.stringify(view.attributes["listing_keys"])}`,
      ].join("\n"),
    );
  });

const crosswalk = (file: string, { source }: { readonly source: string }) =>
  withServiceRegistry(async ({ identities, catalogs }) => {
    sourceNamed((await currentCatalog(catalogs)).catalog, source);
    const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
      throw new CommandRefused(`${file} cannot be read: ${fileReason(cause)}`, { cause });
    });
    const entries = readCrosswalk(text);
    await identities.assign(source, entries);
    printMessage(`Read ${entries.length} listings of ${source}. They count when they are ingested again.`);
  });
