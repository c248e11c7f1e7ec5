import { Command } from "commander";
import { addCustomerCommand } from "./customer/add.ts";
import { changeCustomerCommand } from "./customer/change.ts";
import { listCustomersCommand } from "./customer/list.ts";
import { removeCustomerCommand } from "./customer/remove.ts";
import { showCustomerCommand } from "./customer/show.ts";

/** `cadastre customer …`: what a service and its issuer do for a customer, each in one command. */
export const customerCommand = (): Command =>
  new Command("customer")
    .description("Give customers access, change what they see, and take it away.")
    .addCommand(addCustomerCommand())
    .addCommand(changeCustomerCommand())
    .addCommand(listCustomersCommand())
    .addCommand(showCustomerCommand())
    .addCommand(removeCustomerCommand());
