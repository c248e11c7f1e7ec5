import { writeFile } from "node:fs/promises";
import { entitySet, resoDdVersion } from "@cadastre/reso";
import { Command } from "commander";
import { readConfig } from "../config.ts";
import { systemScope } from "../gates/scopes.ts";
import { type Caption, heatMapOf } from "../heat-map/heat-map.ts";
import { heatMapHtml } from "../heat-map/html.ts";
import { heatMapPng } from "../heat-map/png.ts";
import { withServiceStore } from "./data.ts";
import { CommandRefused, printMessage } from "./outcome.ts";

type Files = { readonly html?: string; readonly png?: string };

/** `cadastre coverage` */
export const coverageCommand = (): Command =>
  new Command("coverage")
    .description("Draw which fields of the served listings have values, by market.")
    .option("--html <file>", "write a page that needs nothing else")
    .option("--png <file>", "write a picture: markets from top to bottom, fields from left to right")
    .action(draw);

const draw = ({ html, png }: Files) =>
  withServiceStore(async (store) => {
    if (html === undefined && png === undefined)
      throw new CommandRefused("name a file to write: --html <file> or --png <file>");
    const { minimumCellSize } = readConfig(process.env);
    const coverage = await store.coverage("Property", minimumCellSize);
    if (coverage === undefined)
      throw new CommandRefused("no listings have been published: `publish Property` does that");
    const map = heatMapOf(coverage, entitySet("Property"), systemScope());
    const caption: Caption = {
      title: `Listings with a value, by field of RESO Data Dictionary ${resoDdVersion} and market`,
      unknown: `fewer than ${minimumCellSize} listings`,
    };
    if (html !== undefined) await write(html, heatMapHtml(map, caption));
    if (png !== undefined) await write(png, heatMapPng(map, caption));
  });

async function write(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${file} cannot be written (${cause.code})`, { cause });
  });
  printMessage(`Wrote ${file}.`);
}
