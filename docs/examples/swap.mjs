// Registers a new implementer with a new account and buys 10 CARBON from the pool: KEY=… node docs/examples/swap.mjs
// KEY is the admin key, or one of role implementer. PORT is the port of the system on this machine (default 3000); API is the URL of
// a system elsewhere.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const { PORT = "3000", API = `http://localhost:${PORT}`, KEY } = process.env;
if (!KEY) {
  console.error("Usage: KEY=$(cat .hearth/keys/admin.key) node docs/examples/swap.mjs");
  process.exit(2);
}

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${KEY}` };
  const answer = await fetch(`${API}/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const json = await answer.json();
  console.log(method, path, answer.status, json);
  if (!answer.ok) process.exit(1);
  return json;
}

const account = privateKeyToAccount(generatePrivateKey());
const implementerDid = `did:example:${account.address.slice(2).toLowerCase()}`;
await call("POST", "/implementers", { did: implementerDid, account: account.address, name: "Example" });
await call("POST", "/dev/faucet", { account: account.address, amount: 1 });

const { amountIn } = await call("POST", "/pool/quote", { side: "buy", amountOut: 10 });
const body = { side: "buy", implementerDid, amountOut: 10, maxIn: amountIn, deadline: "2099-01-01T00:00:00Z" };
const { typedData } = await call("POST", "/pool/swap", body);
const signatures = await Promise.all(typedData.map((each) => account.signTypedData(each)));
await call("POST", "/pool/swap", { ...body, signatures });
