import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { pageSize, unknownField } from "./task.mjs";

export const name = "@openui5/sap.ui.core";

const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const sources = fileURLToPath(new URL("node_modules/@openui5/sap.ui.core/src", import.meta.url));
const types = { ".js": "text/javascript", ".json": "application/json", ".css": "text/css" };
const page = `<!doctype html><script src="/sap-ui-core.js" id="sap-ui-bootstrap"
  data-sap-ui-async="true" data-sap-ui-compat-version="edge"></script>`;

/** An origin of its own, so that the browser asks the service across origins. */
async function servePage() {
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://page");
    const file = sources + pathname.replace("/resources/", "/");
    if (pathname === "/") response.setHeader("content-type", "text/html").end(page);
    else if (!existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end();
    else {
      response.setHeader("content-type", types[extname(file)] ?? "text/plain");
      createReadStream(file).pipe(response);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${server.address().port}/` };
}

/** ODataModel v4 in a browser: multipart batches, across origins. */
export async function connect({ root, headers }, { city, price, key, pictured }) {
  const executablePath = browsers.find(existsSync);
  if (executablePath === undefined) return "no Chromium on this machine";
  const { server, origin } = await servePage();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const tab = await browser.newPage();
  await tab.goto(origin);
  await tab.waitForFunction("window.sap?.ui?.require !== undefined && window.sap.ui.getCore !== undefined");
  await tab.evaluate(openModel, { serviceUrl: `${root}/`, headers });
  const ask = (options) => tab.evaluate(readList, options);
  const descending = true;
  return {
    metadata: () => tab.evaluate(countProperties),
    filter: async () =>
      (
        await ask({
          filters: [
            ["City", "EQ", city],
            ["ListPrice", "GT", price],
          ],
          length: 1000,
        })
      ).sort(),
    sort: () => ask({ sorters: [["ListPrice", descending], ["ListingKey"]], length: 5 }),
    pages: async () => {
      const keys = [];
      for (let more = [undefined]; more.length > 0; keys.push(...more.filter(Boolean))) {
        more = await ask({ start: keys.length, length: pageSize });
      }
      return keys.sort();
    },
    count: () => tab.evaluate(countRows, ["StandardStatus", "EQ", "Active"]),
    entity: () => tab.evaluate(readEntity, key),
    expand: async () => (await tab.evaluate(readMedia, pictured)).sort(),
    error: () => tab.evaluate(statusOf, `${unknownField} eq 1`),
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

/* Below is what runs in the page: each function stands alone. */

function openModel({ serviceUrl, headers }) {
  return new Promise((resolve, reject) => {
    const names = ["sap/ui/model/odata/v4/ODataModel", "sap/ui/model/Filter", "sap/ui/model/Sorter"];
    window.sap.ui.require(
      names,
      (ODataModel, Filter, Sorter) => {
        const model = new ODataModel({ serviceUrl, httpHeaders: headers, operationMode: "Server" });
        Object.assign(window, { model, Filter, Sorter });
        resolve();
      },
      reject,
    );
  });
}

async function readList({ filters = [], sorters = [], start = 0, length }) {
  const { model, Filter, Sorter } = window;
  const binding = model.bindList(
    "/Property",
    undefined,
    sorters.map((sorter) => new Sorter(...sorter)),
    filters.map((filter) => new Filter(...filter)),
    { $select: "ListingKey" },
  );
  const contexts = await binding.requestContexts(start, length);
  return contexts.map((context) => context.getProperty("ListingKey"));
}

async function countProperties() {
  const type = await window.model.getMetaModel().requestObject("/Property/");
  return Object.values(type).filter((member) => member.$kind === "Property").length;
}

async function countRows(filter) {
  const { model, Filter } = window;
  const binding = model.bindList("/Property", undefined, [], [new Filter(...filter)], {
    $count: true,
    $select: "ListingKey",
  });
  await binding.requestContexts(0, 1);
  return binding.getCount();
}

async function readEntity(key) {
  const binding = window.model.bindContext(`/Property('${key}')`, undefined, { $select: "ListingKey" });
  return (await binding.requestObject()).ListingKey;
}

async function readMedia(key) {
  const expand = { $select: "ListingKey", $expand: { Media: { $select: "MediaKey" } } };
  const binding = window.model.bindContext(`/Property('${key}')`, undefined, expand);
  return (await binding.requestObject()).Media.map(({ MediaKey }) => MediaKey);
}

async function statusOf(filter) {
  const binding = window.model.bindList("/Property", undefined, [], [], { $filter: filter });
  try {
    await binding.requestContexts(0, 1);
  } catch (error) {
    return error.status ?? error.cause?.status ?? String(error);
  }
}
