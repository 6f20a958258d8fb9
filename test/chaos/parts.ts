// The real parts that tests of faults start.
export { generateKey, mintToken } from "../../api/platform/ucan/mint.ts";
export { issueOneVoucher, productId, supplierDid } from "../e2e/scheme.ts";
export { startIndexerOn } from "../indexer/ponder-process.ts";
export { callAt } from "../support/api-server.ts";
export { createTestWorld } from "../support/chain.ts";
export { deployTestContracts } from "../support/contracts.ts";
export { startLaggingNode } from "../support/lagging-node.ts";
export { startNginx } from "../support/nginx.ts";
export { freePorts } from "../support/ports.ts";
export { startPostgres } from "../support/postgres.ts";
export { startRpcProxy } from "../support/rpc-proxy.ts";
export { startS3 } from "../support/s3.ts";
export { createCouncil } from "../support/scheme.ts";
export { newProofKey, WalletClient } from "../support/sessions.ts";
export { countIndexedRedemptions } from "./indexed.ts";
export { outsideChain, Redemptions, startServers } from "./redemptions.ts";
