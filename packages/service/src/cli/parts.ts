import { Command } from "commander";
import { adoptPlace } from "../delivery/parts-place.ts";
import { withServiceRegistry } from "./data.ts";
import { printMessage } from "./outcome.ts";

/** `cadastre parts …` */
export function partsCommand(): Command {
  const group = new Command("parts").description("Look after the place of the parts of deliveries.");
  group
    .command("adopt")
    .description(
      "Make a folder or a bucket the place of this registry's parts, such as an empty one after the disk was lost. A worker rebuilds the parts.",
    )
    .action(() =>
      withServiceRegistry(async (registry, folder, config) => {
        const place = await adoptPlace(config, folder, registry);
        printMessage(`${place} is the place of this registry's parts. Start the service again.`);
      }),
    );
  return group;
}
