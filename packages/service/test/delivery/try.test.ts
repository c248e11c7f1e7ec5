import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { customerOf } from "../support/deliveries.ts";
import { run } from "../support/running.ts";

test("try", async () => {
  const running = await run();
  const c = customerOf(running);
  for (const domain of ["listing", "property", "public_record", "market_report"]) {
    const reply = await c.create({ domain });
    console.log(reply.status, reply.text, reply.headers);
    if (reply.status !== 202) continue;
    const id = JSON.parse(reply.text).data.id;
    console.log(await c.finished(id));
    console.log(JSON.stringify(await c.manifest(id), null, 1).slice(0, 3000));
    const m = await c.manifest(id);
    for (const p of m.data.parts)
      console.log(
        gunzipSync(await c.fetched(id, p.number))
          .toString()
          .slice(0, 600),
      );
    console.log((await c.fetched(id, 0)).toString().slice(0, 200));
  }
  console.log((await c.get("/v1/file-exports?limit=2")).text);
  console.log((await c.get("/.well-known/jwks.json")).text);
  console.log(
    running
      .log()
      .split("\n")
      .filter((l) => /deliver/.test(l) && !/"path"/.test(l))
      .slice(0, 5),
  );
  await running.stop();
}, 60_000);
