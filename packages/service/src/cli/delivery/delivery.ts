import { yesOption } from "@cadastre/client/terminal";
import { deliveryStates } from "@cadastre/delivery";
import { Command } from "commander";
import { checkStoredDelivery } from "./check-delivery.ts";
import { cancelDelivery, retryDelivery } from "./delivery-actions.ts";
import { listDeliveries, showDelivery } from "./delivery-text.ts";
import { machineOption, withListOptions } from "./list-options.ts";

const idArgument = ["<delivery>", "id of the delivery, as `delivery list` shows it"] as const;

/** `cadastre delivery` */
export const deliveryCommand = (): Command =>
  new Command("delivery")
    .description("See the deliveries of all customers, why one is late or has failed, and mend it.")
    .addCommand(
      withListOptions(
        new Command("list").description("List deliveries, the last created first."),
        deliveryStates,
      )
        .option("--subscription <subscription>", "those of this subscription alone")
        .action(listDeliveries),
    )
    .addCommand(
      new Command("show")
        .description("Show a delivery, why it is late or has failed, and the command that mends it.")
        .argument(...idArgument)
        .addOption(machineOption())
        .action(showDelivery),
    )
    .addCommand(
      new Command("cancel")
        .description("Cancel a delivery that is not complete.")
        .argument(...idArgument)
        .addOption(yesOption())
        .addOption(machineOption())
        .action(cancelDelivery),
    )
    .addCommand(
      new Command("retry")
        .description(
          "Try a delivery again at once: one that waits for its next attempt, or an export that has failed.",
        )
        .argument(...idArgument)
        .addOption(machineOption())
        .action(retryDelivery),
    )
    .addCommand(
      new Command("check")
        .description(
          "Read the manifest and all parts of a delivery, and compare them with their hashes. A worker rebuilds what is damaged.",
        )
        .argument(...idArgument)
        .addOption(machineOption())
        .action(checkStoredDelivery),
    );
