import { Command } from "commander";
import { partsRoot, writeMarker } from "../delivery/parts-place.ts";
import { withServiceRegistry } from "./data.ts";
import { CommandRefused, printMessage } from "./outcome.ts";

/** `cadastre parts …` */
export function partsCommand(): Command {
  const group = new Command("parts").description("Look after the folder of the parts of deliveries.");
  group
    .command("adopt")
    .description(
      "Make a folder this registry's folder of parts, such as an empty one after the disk was lost. A worker rebuilds the parts.",
    )
    .action(() =>
      withServiceRegistry(async ({ guards }, folder, config) => {
        if (config.partsBucket !== undefined)
          throw new CommandRefused(
            "The parts are in a bucket: unset CADASTRE_PARTS_BUCKET to keep them in a folder.",
          );
        const root = partsRoot(config, folder);
        await writeMarker(root, await guards.id());
        printMessage(`${root} is the folder of this registry's parts. Start the service again.`);
      }),
    );
  return group;
}
