import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { download } from "../src/feeds/download.ts";
import { sourceFiles } from "../src/feeds/source-files.ts";
import { withInput } from "../src/ingest/input.ts";
import { readers } from "../src/ingest/read-records.ts";
import { authorizationOf } from "../src/replicate/authorization.ts";
import { feedOf } from "../src/replicate/feed.ts";
import { fetchFeed } from "../src/replicate/fetch-feed.ts";
import { VisitedPages } from "../src/replicate/visited-pages.ts";
import { bearer, type FeedServer, startFeeds } from "./support/feed-server.ts";

const secret = "secret-of-the-feed";
let folder: string;
let source: FeedServer;
let elsewhere: FeedServer;

/** Writes pieces until the other side is gone. */
function writeOn(response: ServerResponse, piece: Buffer, interval: number): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(piece), interval);
  response.on("close", () => clearInterval(timer));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-hostile-"));
  elsewhere = await startFeeds({ away: (_request, response) => response.end("{}") });
  source = await startFeeds({
    endless: (_request, response) => writeOn(response, Buffer.alloc(65_536, " "), 1),
    bomb: (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(10_000_000)));
    },
    silent: (_request, response) => response.writeHead(200).write("{"),
    slow: (_request, response) => writeOn(response, Buffer.from(" "), 20),
    away: (_request, response) => response.writeHead(307, { location: `${elsewhere.origin}/away` }).end(),
    objects: (_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(`{"value":[${"{},".repeat(2_000_000)}{}]}`);
    },
  });
});
afterAll(async () => {
  await Promise.all([source.stop(), elsewhere.stop()]);
  await rm(folder, { recursive: true });
});

describe("a document", () => {
  const limits = { bytes: 1_000_000, silence: 60_000, duration: 60_000 };
  const file = () => join(folder, "document");
  const { signal } = new AbortController();
  type More = Partial<typeof limits> & { readonly authorization?: ReturnType<typeof authorizationOf> };
  const get = (name: string, { authorization, ...more }: More) =>
    download({
      url: `${source.origin}/${name}`,
      file: file(),
      authorization,
      signal,
      limits: { ...limits, ...more },
    });

  test.each<[string, More, string]>([
    ["endless", {}, "gave more than 1000000 bytes"],
    ["bomb", {}, "gave more than 1000000 bytes"],
    ["silent", { silence: 300 }, "sent nothing for 0.3 seconds"],
    ["slow", { duration: 1500 }, "took longer than 1.5 seconds"],
  ])("that is %s is given up", async (name, more, message) => {
    await expect(get(name, more)).rejects.toThrow(message);
    expect((await stat(file())).size).toBeLessThanOrEqual(limits.bytes);
  });

  test("that is elsewhere is not asked for, so that credentials do not go there", async () => {
    const key = join(folder, "key");
    await writeFile(key, secret);
    const authorization = authorizationOf({ kind: "bearer", secret: { file: key } });
    await expect(get("away", { authorization })).rejects.toThrow(
      "gave 307: give the address that it redirects to",
    );
    const tokenUrl = `${source.origin}/away`;
    const oauth = authorizationOf({ kind: "oauth2", tokenUrl, clientId: "me", secret: { file: key } });
    await expect(get("silent", { authorization: oauth })).rejects.toThrow(/token server .* gave 307/);
    expect(elsewhere.asked).toEqual([]);
  });
});

describe("a Web API", () => {
  const get = (name: string, timeout: number) => {
    const feed = feedOf(`${source.origin}/${name}`, "Office", { filter: undefined, select: undefined }, true);
    const retryPolicy = { tries: 1, timeout, pause: 1 };
    const asking = { feed, authorization: bearer(secret), retryPolicy, pageSize: 1000, onRetry: () => {} };
    return fetchFeed(feed.url, asking);
  };

  test("whose page never ends is given up", async () => {
    await expect(get("slow", 400)).rejects.toThrow("gave no answer in time");
  });

  test("whose page has millions of empty objects is refused before they take memory", async () => {
    await expect(get("objects", 60_000)).rejects.toThrow("more than 2500000 values in one answer");
  });

  test("that gives pages without an end, or a page again, is given up", () => {
    const pages = new VisitedPages(3);
    const page = (number: number) => new URL(`https://feed.example/Office?$skiptoken=${number}`);
    expect([1, 2, 2, 3].map((number) => pages.add(page(number)))).toEqual([true, true, false, true]);
    expect(() => pages.add(page(4))).toThrow("gives more than 3 pages in one run");
  });
});

describe("a file", () => {
  test("that is a link out of its folder is refused; one within it is read", async () => {
    const drop = join(folder, "drop");
    await mkdir(drop);
    await writeFile(join(folder, "secrets.json"), "secret");
    await writeFile(join(drop, "Office-2024.csv"), "OfficeKey\n1\n");
    await symlink("Office-2024.csv", join(drop, "Office-latest.csv"));
    const found = await sourceFiles(join(drop, "Office-l*.csv"));
    expect(await readFile(found[0]?.target ?? "", "utf8")).toContain("OfficeKey");
    for (const target of ["../secrets.json", join(folder, "secrets.json")]) {
      await symlink(target, join(drop, "Office-x.csv"));
      await expect(sourceFiles(join(drop, "Office-*.csv"))).rejects.toThrow("Office-x.csv is a link out of");
      await rm(join(drop, "Office-x.csv"));
    }
  });

  test("that is a decompression bomb is refused while it is read", async () => {
    const file = join(folder, "bomb.csv.gz");
    await writeFile(file, gzipSync(Buffer.alloc(200_000_000, "\n")));
    let isRead = false;
    const read = withInput(file, folder, async () => {
      isRead = true;
    });
    await expect(read).rejects.toThrow("over 200 times its size when decompressed");
    expect(isRead).toBe(false);
  });

  const readCsv = async (content: AsyncIterable<Buffer>) => {
    const entries: string[] = [];
    for await (const entry of readers.csv(content, sampleCatalog.entitySet("Office")))
      entries.push("malformed" in entry ? entry.malformed : "record");
    return entries;
  };

  /** Yields the start of a CSV file, and a piece many times. Counts the pieces that were read. */
  async function* repeated(start: string, piece: string, pieces: { count: number }) {
    yield Buffer.from(`OfficeKey,OfficeName\n${start}`);
    for (; pieces.count < 1000; pieces.count++) yield Buffer.from(piece);
  }

  test("of CSV with a line that does not end is refused", async () => {
    const pieces = { count: 0 };
    const read = readCsv(repeated('1,"', "x".repeat(65_536), pieces));
    await expect(read).rejects.toThrow("longer than 16777216 bytes");
    expect(pieces.count).toBeLessThan(300);
  });

  test("of CSV with a quoted value that does not end has no record, and few faults", async () => {
    const entries = await readCsv(repeated('1,"', `${"x".repeat(65_535)}\n`, { count: 0 }));
    expect(entries).not.toContain("record");
    expect(entries.length).toBeLessThan(1000);
  });

  test("of CSV with millions of lines that are no records is refused, as they are kept until the next record", async () => {
    const pieces = { count: 0 };
    const read = readCsv(repeated("", "x\n".repeat(32_768), pieces));
    await expect(read).rejects.toThrow("no line of 10000 has the columns of the first line");
    expect(pieces.count).toBeLessThan(20);
  });
});
