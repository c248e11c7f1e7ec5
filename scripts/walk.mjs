// Prints the files of our packages that typical requests enter in the running service, by V8's precise coverage:
//
//   npm run compile && node scripts/walk.mjs
//
// This file is the program, and also the probe in each thread of the service. A file is counted if one of its functions runs in each of
// three requests, which follow others that warm the caches.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

const self = fileURLToPath(import.meta.url);
const service = fileURLToPath(new URL("../packages/service/dist/main.js", import.meta.url));

/** Time in which all threads answer the probe of the main thread, in milliseconds. */
const answerTime = 200;

/** Time in which a worker finds an export and builds it, in milliseconds. */
const buildTime = 4000;

/** Records which functions run in this thread. The parent process asks for the record of all threads, which begins anew each time. */
async function probe() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const take = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
      .flatMap(({ url }) => /\/packages\/(\w+\/dist\/.*)\.js$/.exec(url)?.[1] ?? [])
      .map((file) => `${file.replace("/dist/", "/src/")}.ts`);
  };
  const threads = new BroadcastChannel("walk");
  threads.unref();
  if (!isMainThread) {
    threads.onmessage = async () => threads.postMessage(await take());
    return;
  }
  process.on("message", async (message) => {
    const others = [];
    threads.onmessage = ({ data }) => others.push(...data);
    threads.postMessage("take");
    const own = await take();
    if (message === "take") await sleep(answerTime);
    process.send({ own, others });
  });
  // The service ends when it has stopped, although its parent process could still send a message.
  process.channel.unref();
}

/** Starts the service, calls `use` with functions that send a request and that record what runs, and stops the service. */
async function withService(folder, settings, use) {
  const env = {
    ...process.env,
    PORT: "0",
    CADASTRE_DATA: folder,
    CADASTRE_LISTINGS: "200",
    CADASTRE_LOG_LEVEL: "warn",
    ...settings,
  };
  const child = fork(service, {
    execArgv: ["--import", self],
    env,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  try {
    for await (const text of child.stdout.iterator({ destroyOnReturn: false })) if (/Ctrl/.test(text)) break;
    child.stdout.resume();
    const { baseUrl, keys } = JSON.parse(await readFile(join(folder, "demo.json"), "utf8"));
    const { apiKey } = keys.find(({ name }) => name === "national");
    const headers = { "x-api-key": apiKey, "content-type": "application/json" };
    const ask = async (path, body) => {
      const method = body === undefined ? "GET" : "POST";
      const response = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      return JSON.parse(text);
    };
    /** Returns the files in which functions run during `walk`. */
    const record = async (walk) => {
      child.send("reset");
      await once(child, "message");
      await sleep(answerTime / 4);
      await walk();
      child.send("take");
      return (await once(child, "message"))[0];
    };
    await use(ask, record);
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

/** Prints the files that are in all of `records`, and returns them. `known` are files that are only counted. */
function print(name, records, known = []) {
  const always = (list) =>
    records.map(list).reduce((kept, files) => kept.filter((file) => files.includes(file)));
  const own = new Set(always((record) => record.own));
  const all = new Set([...own, ...always((record) => record.others)]);
  const files = [...all].toSorted().filter((file) => !known.includes(file));
  const rest = all.size - files.length;
  console.log(
    `\n${name}: ${files.length} files${rest === 0 ? "" : `, and ${rest} that an idle service enters too`}`,
  );
  for (const file of files) console.log(own.has(file) ? `  ${file}` : `  ${file} (in another thread only)`);
  return files;
}

const times = async (count, run) => {
  const results = [];
  for (let i = 0; i < count; i += 1) results.push(await run(i));
  return results;
};

const created = (ask) =>
  ask("/v1/file-exports", {
    domain: "listing",
    deliveryMode: "pull",
    idempotencyKey: `walk-${Math.random()}`,
  });

async function walkRequests(ask, record) {
  const [{ ListingKey }] = (await ask("/reso/odata/Property?$top=1&$select=ListingKey")).value;
  const text = (i) => encodeURIComponent(`ListPrice gt ${100_000 + i} and City ne 'Bend'`);
  const requests = {
    "GET with $filter": (i) => ask(`/reso/odata/Property?$top=20&$filter=${text(i)}`),
    "GET by key": () => ask(`/reso/odata/Property('${ListingKey}')`),
  };
  for (const [name, request] of Object.entries(requests)) {
    await times(50, request);
    print(name, await times(3, (i) => record(() => request(50 + i))));
  }
  await created(ask);
  print("POST of an export", await times(3, () => record(() => created(ask))));
}

async function walkBuilding(ask, record) {
  const build = async () => {
    const { data } = await created(ask);
    const files = await record(() => sleep(buildTime));
    const { status } = (await ask(`/v1/file-exports/${data.id}`)).data;
    if (status !== "complete") throw new Error(`the export is ${status}`);
    return files;
  };
  await build();
  const idle = print("An idle service", await times(2, () => record(() => sleep(buildTime))));
  print("Building an export", await times(3, build), idle);
}

if (process.argv[1] !== self) await probe();
else {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-walk-"));
  try {
    // The requests are recorded in a service that builds nothing meanwhile.
    await withService(join(folder, "a"), { CADASTRE_WORKER: "false" }, walkRequests);
    await withService(join(folder, "b"), {}, walkBuilding);
  } finally {
    await rm(folder, { recursive: true });
  }
}
