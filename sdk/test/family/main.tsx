import { createRoot } from "react-dom/client";
import { openUserKey } from "../../examples/chat/src/user-key.ts";
import type { Fixture } from "../app/fixture.ts";
import { Call, Provider } from "../package/family-app.tsx";

// An app of another SDK of this family in a call; a test sets the user and the oracle.
const { url, oracleDid, secret, sessionId } = (window as unknown as { fixture: Fixture }).fixture;
const key = openUserKey(secret, {});
const wallet = { address: "0x1", did: key.did, matrix: { accessToken: "", homeServer: "" } };

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <Provider wallet={wallet} mint={key.createInvocation}>
    <Call oracleDid={oracleDid} baseUrl={url} sessionId={sessionId} />
  </Provider>,
);
