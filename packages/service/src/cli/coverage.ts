import { writeFile } from "node:fs/promises";
import { withElapsed } from "@cadastre/client/terminal";
import { Command, InvalidArgumentError, Option } from "commander";
import { readConfig } from "../config.ts";
import { fileReason } from "../file-error.ts";
import { type Caption, heatMapOf } from "../heat-map/heat-map.ts";
import { heatMapHtml } from "../heat-map/html.ts";
import { heatMapSvg } from "../heat-map/svg.ts";
import { systemScope } from "../identity/system-scope.ts";
import { withServiceStore } from "./data.ts";
import { CommandRefused, printMessage } from "./outcome.ts";

type Files = { readonly html?: string; readonly svg?: string };

/** `cadastre coverage`: draws for each field and market, a system in a state, the share of the published listings that have a value. */
export const coverageCommand = (): Command =>
  new Command("coverage")
    .description("Draw which fields of the served listings have values, by market.")
    .option("--html <file>", "write a page that needs nothing else")
    .option("--svg <file>", "write an SVG image: markets from top to bottom, fields from left to right")
    .addOption(new Option("--png <file>").hideHelp().argParser(refusePng))
    .action(draw);

function refusePng(): never {
  throw new InvalidArgumentError("The image is an SVG: use --svg <file>.");
}

const draw = ({ html, svg }: Files) =>
  withServiceStore(async (store) => {
    if (html === undefined && svg === undefined)
      throw new CommandRefused("name a file to write: --html <file> or --svg <file>");
    const { minimumCellSize } = readConfig(process.env);
    const coverage = await withElapsed("counting", () => store.coverage("Property", minimumCellSize));
    if (coverage === undefined)
      throw new CommandRefused("no listings have been published: `publish Property` does that");
    const map = heatMapOf(
      coverage,
      store.catalog,
      store.catalog.entitySet("Property"),
      systemScope(store.catalog),
    );
    const caption: Caption = {
      title: `Listings with a value, by field of RESO Data Dictionary ${store.catalog.dictionary.version} and market`,
      unknown: `fewer than ${minimumCellSize} listings`,
    };
    if (html !== undefined) await write(html, heatMapHtml(map, caption));
    if (svg !== undefined) await write(svg, heatMapSvg(map, caption));
  });

async function write(file: string, content: string): Promise<void> {
  await writeFile(file, content).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${file} cannot be written: ${fileReason(cause)}`, { cause });
  });
  printMessage(`Wrote ${file}.`);
}
