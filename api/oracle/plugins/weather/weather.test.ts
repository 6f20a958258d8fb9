import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { bootOf, quietLog, turnOf } from "../../../../test/support/oracle/agent.ts";
import { AppError } from "../../../platform/errors.ts";
import { createAgent } from "../../agent/agent.ts";
import type { Services } from "../host/services.ts";
import { climateCities } from "./climate.ts";
import { weather } from "./plugin.ts";
import { type WeatherSource, weatherNow } from "./weather.ts";

const now = () => new Date("2026-07-15T12:00:00Z");
const offline: WeatherSource = { baseUrl: undefined, outbound: { allowLoopback: true }, now, log: quietLog };

const codeOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? error.code : error;
};

describe("the weather", () => {
  /** An API in Open-Meteo's shape that knows one city; anything named Trouble breaks it. */
  let api: Server;
  let online: WeatherSource;
  before(async () => {
    api = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      const name = url.searchParams.get("name");
      if (name === "Trouble" || name === "Lusaka") response.writeHead(500).end("no");
      else if (url.pathname === "/v1/search") {
        const results = name === "Zürich" ? [{ name: "Zürich", latitude: 47.37, longitude: 8.55 }] : undefined;
        response.end(JSON.stringify({ results }));
      } else response.end(JSON.stringify({ current: { temperature_2m: 21.4, weather_code: 61 } }));
    });
    await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
    online = { ...offline, baseUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}` };
  });
  after(() => api.close());

  it("comes from the table of means without an API, and says so", async () => {
    assert.deepEqual(await weatherNow(offline, "lusaka"), {
      ok: true,
      city: "Lusaka",
      temp_c: 16,
      units: "celsius",
      conditions: "mostly dry",
      latitude: -15.42,
      longitude: 28.28,
      source: "climatology",
    });
    for (const city of climateCities) assert.equal((await weatherNow(offline, city)).city, city);
  });

  it("names in its documentation every city that the table knows", async () => {
    const text = (await readFile(join(import.meta.dirname, "README.md"), "utf8")).replace(/\s+/g, " ");
    for (const city of climateCities) assert.ok(text.includes(city), city);
  });

  it("comes from the API where there is one", async () => {
    assert.deepEqual(await weatherNow(online, "Zürich"), {
      ok: true,
      city: "Zürich",
      temp_c: 21.4,
      units: "celsius",
      conditions: "rain",
      latitude: 47.37,
      longitude: 8.55,
      source: "forecast",
    });
  });

  it("comes from the table when the API fails, if the city is there", async () => {
    assert.equal((await weatherNow(online, "Lusaka")).source, "climatology");
    assert.equal(await codeOf(weatherNow(online, "Trouble")), "UPSTREAM");
  });

  it("is not known for a blank name or a city that nobody knows", async () => {
    for (const blank of [undefined, "", "  "]) assert.equal(await codeOf(weatherNow(offline, blank)), "INVALID_INPUT");
    for (const source of [offline, online]) assert.equal(await codeOf(weatherNow(source, "Nowhere")), "NOT_FOUND");
  });

  it("is reported by the agent once the capability is loaded", async () => {
    const services = { isEmbedded: true, clock: { now }, log: quietLog } as unknown as Services;
    const plugins = await bootOf([weather], { services });
    const agent = createAgent({ plugins, oracleName: "Hearth", endpoint: undefined, log: quietLog });
    const first = turnOf('/tool load_capability {"names":["weather"]}');
    await agent.runTurn(first);
    const second = turnOf('/tool get_current_weather {"city":"Lilongwe"}', { session: first.session });
    await agent.runTurn(second);
    assert.match(second.said(), /"city":"Lilongwe","temp_c":15/);
  });

  it("is not booted with a URL that is none", async () => {
    const boot = bootOf([weather], { env: { WEATHER_API_URL: "nonsense" } });
    await assert.rejects(boot, /env validation failed for 'WEATHER_API_URL': must be an http\(s\) URL/);
  });
});
