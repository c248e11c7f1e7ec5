#!/usr/bin/env node
import { Command } from "commander";
import { createServer } from "./create-server.ts";
import { CreateServerError } from "./errors.ts";
import { completePlan, type PlanQuestion, planQuestions, type ServerPlan } from "./server-plan.ts";

type Options = Partial<Readonly<Record<Exclude<keyof ServerPlan, "folder">, string>>>;

/** Returns the function that asks on the terminal. Undefined if there is none. */
function terminalPrompt(): ((question: PlanQuestion) => Promise<string>) | undefined {
  if (!process.stdin.isTTY) return undefined;
  return async ({ asks, otherwise, fault }) => {
    const { default: input } = await import("@inquirer/input");
    const validate = (answer: string) => {
      const must = fault(answer);
      return must === undefined || `must be ${must}`;
    };
    const defaults = otherwise === undefined ? {} : { default: otherwise };
    return input({ message: asks, ...defaults, validate }, { output: process.stderr });
  };
}

async function create(folder: string | undefined, options: Options): Promise<void> {
  const given = folder === undefined ? options : { ...options, folder };
  const plan = await completePlan(given, terminalPrompt());
  const { dialect, entitySets, omitted, files } = await createServer(plan);
  for (const sentence of omitted) console.error(sentence);
  console.error(`Created ${plan.folder}: ${files.join(", ")}`);
  console.error(`Entity sets: ${entitySets.join(", ")}`);
  console.log(
    [
      "Next:",
      `  cd ${plan.folder}`,
      "  npm install",
      ...(dialect === "postgres" ? ["  cp .env.example .env   # and write the password into it"] : []),
      "  npm start",
    ].join("\n"),
  );
}

const command = new Command("create-server")
  .description(
    "Create an OData server over an existing SQLite file or PostgreSQL database, which is only read. Asks on a terminal what is not given.",
  )
  .argument("[folder]", "folder of the server, which must be empty or not exist")
  .option("--database <file or url>", "SQLite file, or postgres:// URL; its password is written nowhere")
  .option("--framework <name>", `express or fetch; by default ${planQuestions.framework.otherwise}`)
  .option("--namespace <name>", `namespace of the types; by default ${planQuestions.namespace.otherwise}`)
  .action(create);

try {
  await command.parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof CreateServerError) && (error as Error).name !== "ExitPromptError") throw error;
  console.error(`create-server: ${(error as Error).message}`);
  process.exitCode = 1;
}
