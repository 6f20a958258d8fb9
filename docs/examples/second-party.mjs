// Joins the draw of a campaign as its second party, and reveals the secret after the draw block:
//   KEY=… PARTY_KEY=… node docs/examples/second-party.mjs join KPT-2024-DRY      before POST /v1/campaigns/KPT-2024-DRY/draw
//   KEY=… PARTY_KEY=… node docs/examples/second-party.mjs reveal KPT-2024-DRY    after it
// KEY is an API key that may see the campaign, PARTY_KEY the private key of a registrar's, an evaluator's or the guardian's account
// that the service does not sign with. The secret is kept in the file SECRET (.hearth/draw-CAMPAIGN.secret). PORT is the port of the
// system on this machine (default 3000); API is the URL of a system elsewhere.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const [action, campaignId] = process.argv.slice(2);
const { PORT = "3000", API = `http://localhost:${PORT}`, KEY, PARTY_KEY } = process.env;
const { SECRET: file = `.hearth/draw-${campaignId}.secret` } = process.env;
if (!KEY || !PARTY_KEY || !campaignId || !["join", "reveal"].includes(action)) {
  console.error(
    "Usage: KEY=<API key> PARTY_KEY=<private key> node docs/examples/second-party.mjs join|reveal <campaignId>",
  );
  process.exit(2);
}

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${KEY}` };
  const answer = await fetch(`${API}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const json = await answer.json();
  if (answer.ok) return json;
  console.error(method, path, answer.status, json);
  process.exit(1);
}

const path = `/campaigns/${encodeURIComponent(campaignId)}`;
if (action === "reveal") {
  const { status } = await call("POST", `${path}/draw/secret`, { secret: readFileSync(file, "utf8") });
  console.log(`Revealed; the campaign is ${status}.`);
} else {
  const account = privateKeyToAccount(`0x${PARTY_KEY.replace(/^0x/, "")}`);
  const { index, drawParties } = await call("GET", path);
  const { chainId, contract } = await call("GET", `${path}/draw`);
  const secret = generatePrivateKey();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, secret, { mode: 0o600 });
  const types = parseAbiParameters("bytes32, address");
  const commitment = keccak256(encodeAbiParameters(types, [secret, account.address]));
  const deadline = Math.floor(Date.now() / 1_000) + 3_600;
  const signature = await account.signTypedData({
    domain: { name: "Hearth Campaigns", version: "1", chainId, verifyingContract: contract },
    types: {
      DrawParty: [
        { name: "campaign", type: "uint32" },
        { name: "round", type: "uint32" },
        { name: "commitment", type: "bytes32" },
        { name: "deadline", type: "uint64" },
      ],
    },
    primaryType: "DrawParty",
    message: { campaign: index, round: drawParties.round, commitment, deadline: BigInt(deadline) },
  });
  await call("POST", `${path}/draw/party`, { account: account.address, commitment, deadline, signature });
  console.log(`${account.address} joined the draw of ${campaignId}; its secret is in ${file}.`);
}
