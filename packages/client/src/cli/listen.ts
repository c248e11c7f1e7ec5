import { readFile, rm, writeFile } from "node:fs/promises";
import { Command, type Command as Commander, InvalidArgumentError, Option } from "commander";
import { ClientError } from "../errors.ts";
import { type Connection, connect } from "../http/connection.ts";
import type { RetryContext } from "../http/request.ts";
import { type ReceivedMessage, type ReceivedRequest, startWebhookReceiver } from "../listen/receiver.ts";
import {
  entityChanged,
  eventTypes,
  type RegisteredReceiver,
  receiversAt,
  registerReceiver,
  removeReceiver,
  requestTestMessage,
} from "../listen/registration.ts";
import { type ConfirmFlags, confirm, yesOption } from "../terminal/confirm.ts";
import { printable, printMessage, printResult } from "../terminal/output.ts";
import { webhookKey } from "../webhook/verify-webhook.ts";
import {
  type ConnectionFlags,
  jsonOption,
  keyOptions,
  parseCount,
  stoppable,
  withKey,
  withPatience,
} from "./options.ts";
import { namingOptions, type RefusedOptions } from "./refused-options.ts";

type Flags = Omit<ConnectionFlags, "url"> &
  ConfirmFlags & {
    readonly url?: string;
    readonly register?: true;
    readonly publicUrl?: string;
    readonly events?: readonly string[];
    readonly test?: true;
    readonly secretEnv: string;
    readonly secretFile?: string;
    readonly secretOut?: string;
    readonly host: string;
    readonly port: number;
    readonly forwardTo?: URL;
    readonly count?: number;
    readonly json?: true;
  };

const refused: RefusedOptions = {
  invalid_webhook_url: [
    "--public-url",
    "a service sends to public https addresses; to this machine only if it was started with CADASTRE_WEBHOOK_LOOPBACK=true",
  ],
  invalid_webhook_events: ["--events", `allowed are ${eventTypes.join(", ")}`],
  entity_events_unavailable: ["--events", "the service does not offer `EntityEvent`: ask its operator"],
  too_many_webhooks: ["--register", "you have as many webhooks as are allowed: delete one first"],
};

/** `cadastre-client listen` */
export const listenCommand = (): Command =>
  withPatience(
    withKey(
      new Command("listen")
        .description(
          "Receive the messages of a webhook on this machine while you develop: verify, print and forward them, until a signal.",
        )
        .option(
          "--forward-to <address>",
          "send verified messages on, unchanged, and answer as this address does",
          readUrl,
        )
        .option("--port <port>", "port to listen on; 0: any free one", parsePort, 8090)
        .option("--host <address>", "address to listen on", "127.0.0.1")
        .option("--register", "register a webhook for this receiver, and delete it at the end")
        .option("--url <origin>", "address of the service, for --register")
        .option(
          "--public-url <address>",
          "https address that leads to this receiver (default: the receiver's own)",
        )
        .option(
          "--events <types>",
          `events to register for: ${eventTypes.join(", ")} (default: all these), or ${entityChanged} alone`,
          parseEvents,
        )
        .option("--test", "ask the service for a test message, after --register")
        .option("--secret-env <name>", "variable that holds the webhook's secret", "CADASTRE_WEBHOOK_SECRET")
        .addOption(
          new Option("--secret-file <file>", "file that holds the webhook's secret").conflicts("register"),
        )
        .option("--secret-out <file>", "write the secret of --register to a new file while listening")
        .option("--count <count>", "end after this many messages", parseCount),
    ),
  )
    .addOption(yesOption())
    .addOption(jsonOption())
    .action((flags: Flags, command: Commander) => {
      for (const option of ["test", "publicUrl", "events", "secretOut"] as const)
        if (flags[option] !== undefined && !flags.register)
          command.error(`error: option '${flagOf(option)}' needs '--register'`);
      if (flags.register && flags.url === undefined)
        command.error("error: option '--register' needs '--url <origin>'");
      return stoppable(flags, (means) => listen(flags, means));
    });

const flagOf = (option: string): string =>
  `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function listen(flags: Flags, means: RetryContext): Promise<void> {
  const { host, port, forwardTo, count = Number.POSITIVE_INFINITY } = flags;
  const connection = flags.register ? await connectionOf(flags, means) : undefined;
  const given = connection === undefined ? await readSecret(flags) : undefined;
  const secret = deferred<string>();
  const ended = deferred<void>();
  let messages = 0;
  const onRequest = (received: ReceivedRequest) => {
    show(received, flags);
    if ("message" in received && ++messages >= count) ended.resolve();
  };
  means.signal?.addEventListener("abort", () => ended.resolve(), { once: true });
  const receiver = await startWebhookReceiver({ host, port, forwardTo, secret: secret.promise, onRequest });
  let registered: RegisteredReceiver | undefined;
  let secretFile: string | undefined;
  try {
    registered = connection && (await register(connection, flags.publicUrl ?? receiver.url, flags));
    if (registered !== undefined && flags.secretOut !== undefined)
      secretFile = await writeSecret(flags.secretOut, registered.secret);
    secret.resolve(registered?.secret ?? given ?? "");
    printMessage(`Listening on ${receiver.url}. Stop with Ctrl-C.`);
    if (connection !== undefined && registered !== undefined && flags.test)
      await requestTestMessage(connection, registered.id);
    await ended.promise;
  } finally {
    await receiver.close();
    if (secretFile !== undefined) await rm(secretFile, { force: true });
    if (connection !== undefined && registered !== undefined) await unregister(connection, registered.id);
  }
}

/** A promise that is resolved from outside. */
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const connectionOf = async (flags: Flags, means: RetryContext): Promise<Connection> =>
  connect({ url: flags.url ?? "", ...(await keyOptions(flags)), ...means });

async function register(connection: Connection, url: string, flags: Flags): Promise<RegisteredReceiver> {
  const leftovers = await receiversAt(connection, url);
  for (const id of leftovers) await offerRemoval(connection, id, url, flags);
  const registered = await namingOptions(refused, () =>
    registerReceiver(connection, { url, events: flags.events }),
  );
  printMessage(`Registered the webhook ${registered.id} for ${url}.`);
  return registered;
}

/** Asks whether to delete a webhook that an earlier run has left behind: its messages come here, signed with a secret that is lost. */
async function offerRemoval(connection: Connection, id: string, url: string, { yes }: Flags): Promise<void> {
  if (yes || (await confirm(`The webhook ${id} leads to ${url} too, with another secret. Delete it?`))) {
    await removeReceiver(connection, id);
    printMessage(`Deleted the webhook ${id}.`);
  } else
    printMessage(
      `The webhook ${id} leads to ${url} too, and its messages are refused: give \`--yes\` to delete it.`,
    );
}

/** Deletes the webhook, also after a signal, which aborts the other requests of the connection. */
async function unregister(connection: Connection, id: string): Promise<void> {
  const retryPolicy = { ...connection.retryPolicy, tries: 2 };
  await removeReceiver({ ...connection, retryPolicy, signal: undefined }, id);
  printMessage(`Deleted the webhook ${id}.`);
}

/** Writes the secret to a new file for its owner alone, and returns its path. @throws {ClientError} `file_occupied` */
async function writeSecret(file: string, secret: string): Promise<string> {
  await writeFile(file, `${secret}\n`, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST"
      ? new ClientError("file_occupied", { file })
      : new ClientError("disk_failed", { place: file, code: error.code ?? "" });
  });
  return file;
}

/** Reads the webhook's secret. @throws {ClientError} `webhook_secret_needed`, `webhook_secret_invalid`; the error never quotes it */
async function readSecret({ secretEnv, secretFile }: Flags): Promise<string> {
  const text =
    secretFile === undefined
      ? process.env[secretEnv]
      : await readFile(secretFile, "utf8").catch((error: NodeJS.ErrnoException) => {
          throw new ClientError("file_unreadable", { file: secretFile, code: error.code ?? "" });
        });
  const secret = text?.trim() ?? "";
  if (secret === "")
    throw new ClientError("webhook_secret_needed", { place: secretFile ?? `the variable ${secretEnv}` });
  webhookKey(secret);
  return secret;
}

function show(received: ReceivedRequest, { json, forwardTo }: Flags): void {
  if ("refused" in received) printMessage(`Refused a request with ${received.status}: ${received.refused}.`);
  else if (json) {
    const { message, isRepeated, status } = received;
    printResult(JSON.stringify({ ...message, isRepeated, status }));
  } else printResult(messageText(received, forwardTo !== undefined));
}

function messageText({ message, isRepeated, status }: ReceivedMessage, isForwarded: boolean): string {
  const notes = [...(isRepeated ? ["sent again"] : []), ...(isForwarded ? [`forwarded: ${status}`] : [])];
  const note = notes.length === 0 ? "" : `  (${notes.join(", ")})`;
  return linesOf(message)
    .map((line) => printable(`${line}${note}`))
    .join("\n");
}

/** Returns a line for each entity event, or the line of another message. */
function linesOf(message: ReceivedMessage["message"]): readonly string[] {
  const { id } = message;
  if ("type" in message)
    return [`${message.timestamp}  ${message.type}  ${id}  ${JSON.stringify(message.data)}`];
  if (message.events.length === 0) return [`${entityChanged}  ${id}  no events: a test`];
  return message.events.map(
    (event) =>
      `${event.EntityEventSequence}  ${event.ResourceName}  ${JSON.stringify(event.ResourceRecordKey)}  ${id}`,
  );
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new InvalidArgumentError("It must be an http or https address without a user.");
  return url;
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError("It must be a port from 0 to 65535.");
  return Number(text);
}

function parseEvents(text: string): readonly string[] {
  const named = text.split(",").map((one) => one.trim());
  if (named.length === 1 && named[0] === entityChanged) return named;
  if (!named.every((one) => eventTypes.some((known) => known === one)))
    throw new InvalidArgumentError(
      `Allowed are ${eventTypes.join(", ")}, separated by commas, or ${entityChanged} alone.`,
    );
  return named;
}
