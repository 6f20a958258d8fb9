import { createClient } from "@hearth/wire";

const { HEARTH_URL: baseUrl = "http://localhost:3000", HEARTH_KEY: key = "" } = process.env;
const hearth = createClient({ baseUrl, key });

await hearth.post("/v1/households", { body: { did: "did:ixo:household/4711", region: "Lusaka" } });
for await (const { did, region } of hearth.items("/v1/households", { query: { region: "Lusaka" } })) {
  console.log(did, region);
}
