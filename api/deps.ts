import { type Campaigns, openCampaigns } from "./campaigns/campaigns.ts";
import { defineCampaignCertificates } from "./campaigns/result/certificate-link.ts";
import { type Chain, openChain } from "./chain/chain.ts";
import { defineTransactionOperation } from "./chain/transaction-operation.ts";
import { type Claims, openClaims } from "./claims/claims.ts";
import type { CredentialVerifier } from "./claims/credentials.ts";
import { claimResults } from "./claims/late-results.ts";
import { ethrNetworksOf, openVerifier } from "./claims/verifier.ts";
import type { Config } from "./config.ts";
import { type CoreDeps, type CoreOptions, openCoreDeps } from "./core-deps.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { openCredentials } from "./credentials/issuer.ts";
import { type Events, openEvents } from "./events/events.ts";
import { type OpenAuthority, openAuthority } from "./files/authority/authority.ts";
import type { FileParts } from "./files/deps.ts";
import { Upkeep } from "./files/fsck/upkeep.ts";
import { openFiles } from "./files/open.ts";
import { startUploadSweeper } from "./files/uploads/sweeper.ts";
import { type Governance, openGovernance } from "./governance/governance.ts";
import { indexerCheck } from "./http/indexer-ready.ts";
import { outboundRules } from "./http/outbound.ts";
import { IndexerClient } from "./indexer/client.ts";
import { type Itmo, openItmo } from "./itmo/itmo.ts";
import { itmoResults } from "./itmo/late-results.ts";
import { Proofs } from "./itmo/proof/proofs.ts";
import { kptResults } from "./kpt/collector.ts";
import { type Kpt, openKpt } from "./kpt/kpt.ts";
import { SchemeFiles } from "./kpt/scheme-files.ts";
import type { Log } from "./log.ts";
import { openAgent } from "./oracle/open-agent.ts";
import { type Oracle, openOracle } from "./oracle/oracle.ts";
import { openPayments, type Payments } from "./oracle/payments/payments.ts";
import { beginTasks } from "./oracle/tasks/begin.ts";
import { openPool, type Pool } from "./pool/pool.ts";
import { swapResults } from "./pool/swap-record.ts";
import { Receipts } from "./receipts/receipts.ts";
import { RevocationWatch } from "./registry/certificates/revocation-watch.ts";
import { defineRegistryOperations } from "./registry/operations.ts";
import { openRegistry, type Registry } from "./registry/registry.ts";
import { loadOrCreateSecret } from "./secrets.ts";
import { openSessions, type Sessions } from "./sessions/sessions.ts";
import { defineIssueBatch } from "./vouchers/issue-batch.ts";
import { voucherResults } from "./vouchers/late-results.ts";
import { openVouchers, type Vouchers } from "./vouchers/vouchers.ts";
import { openWebhooks, type Webhooks } from "./webhooks/webhooks.ts";

/** Everything that a request may need, made once by openDeps and handed in: no singletons. Each feature adds its field. */
export type Deps = CoreDeps & {
  chain: Chain;
  verifier: CredentialVerifier;
  registry: Registry;
  sessions: Sessions;
  vouchers: Vouchers;
  claims: Claims;
  campaigns: Campaigns;
  governance: Governance;
  pool: Pool;
  credentials: Credentials;
  events: Events;
  webhooks: Webhooks;
  itmo: Itmo;
  indexer: IndexerClient;
  schemeFiles: SchemeFiles;
  files: FileParts & { authority: OpenAuthority; upkeep: Upkeep };
  kpt: Kpt;
  oracle: Oracle;
  payments: Payments;
  proofs: Proofs;
  receipts: Receipts;
};

export type OpenDeps = { deps: Deps; close: () => Promise<void> };

/** Open everything in order; `close` closes it in the opposite order. What opens before a failure is closed again. */
export async function openDeps(config: Config, log: Log, options: CoreOptions = {}): Promise<OpenDeps> {
  const core = await openCoreDeps(config, log, options);
  const closers: (() => Promise<void> | void)[] = [core.close];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    const { db, clock } = core.deps;
    const chain = await openChain({ config, db, log });
    closers.push(chain.close);
    const outbound = outboundRules(config);
    const opened = await openFiles(core.deps);
    closers.push(opened.close);
    const { identity } = opened.files;
    const credentials = openCredentials({ ...core.deps, identity });
    const { did, document } = identity;
    const own = { did, document, readList: (url: string) => credentials.statusLists.readByUrl(url) };
    const ethrNetworks = ethrNetworksOf(config, chain.didRegistry);
    const verifier = openVerifier({ outbound, ethrNetworks, clock, own });
    closers.push(verifier.close);
    const schemeKey = config.chain.schemeKey ?? (await loadOrCreateSecret(config.dataDir, "scheme"));
    const registry = openRegistry({ db, chain, schemeKey });
    core.deps.keys.participants = {
      isSupplier: async (did) => (await registry.suppliers.byId(did)) !== null,
      isImplementer: async (did) => (await registry.implementers.byId(did)) !== null,
    };
    const sessions = openSessions({ db, chain, registry, clock });
    core.deps.keys.sessions = sessions.verifier;
    const vouchers = openVouchers({ chain, registry });
    const lateResults = {
      ...voucherResults(chain, vouchers.ledger),
      ...claimResults(chain),
      ...kptResults(chain),
      ...swapResults(chain),
      ...itmoResults(chain),
    };
    defineTransactionOperation(core.deps.operations, chain.outbox, lateResults);
    const claims = openClaims({ db, chain, log });
    closers.push(() => claims.draws.close());
    const campaigns = openCampaigns({ db, chain, registry });
    const governance = openGovernance({ db, chain, log });
    closers.push(governance.close);
    const itmo = openItmo({ db, chain, registry });
    const events = openEvents({ chain, registry, campaigns, itmo, log });
    const { keys } = core.deps;
    const webhooks = openWebhooks({ db, chain, events, keys, clock, log, outbound, schemeKey });
    const authority = openAuthority({ ...core.deps, identity, resolver: verifier.resolver });
    const { scrubBytesPerSecond } = config.files;
    const fileDeps = { ...core.deps, files: opened.files };
    const upkeep = new Upkeep({ deps: fileDeps, chain, clock, log, schemeKey, scrubBytesPerSecond });
    const files = { ...opened.files, authority, upkeep };
    const schemeFiles = new SchemeFiles({ ...core.deps, files });
    const { url, token } = config.indexer;
    const indexer = new IndexerClient({ url, token, log, lastWritten: () => chain.outbox.lastBlock });
    const proofs = new Proofs({ chain, ledger: itmo.ledger, credentials, identity });
    const receipts = new Receipts({ chain, registry, credentials });
    const payments = await openPayments({ ...core.deps, chain, did, schemeKey });
    closers.push(payments.close);
    const parts: Omit<Deps, "kpt" | "oracle"> = {
      ...core.deps,
      chain,
      verifier,
      registry,
      sessions,
      vouchers,
      claims,
      campaigns,
      governance,
      pool: openPool(chain),
      credentials,
      events,
      webhooks,
      itmo,
      indexer,
      payments,
      schemeFiles,
      files,
      proofs,
      receipts,
    };
    const kpt = openKpt(parts);
    const { parts: agent, tasks } = await openAgent({ ...parts, kpt }, options.say);
    const { resolver } = verifier;
    const { requirePayment } = payments;
    const oracle = await openOracle({ ...core.deps, identity, authority, resolver, requirePayment, ...agent });
    closers.push(oracle.close);
    tasks.start(beginTasks(oracle));
    closers.push(() => tasks.close());
    const deps: Deps = { ...parts, kpt, oracle };
    defineRegistryOperations(deps);
    defineIssueBatch(deps.operations, deps);
    defineCampaignCertificates(deps.operations, deps);
    watchReadiness(deps);
    deps.operations.start();
    // Before the chain and the database that operations work with.
    closers.push(deps.operations.close);
    const revocations = new RevocationWatch(deps);
    revocations.start();
    closers.push(() => revocations.close());
    closers.push(events.close, webhooks.close, startUploadSweeper(deps).close);
    upkeep.start();
    closers.push(() => upkeep.close());
    kpt.start();
    closers.push(() => kpt.close());
    return { deps, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function watchReadiness({ readiness, chain, config }: Deps): void {
  readiness.add("chain", async () => {
    await chain.check();
    return { ready: true };
  });
  readiness.add("indexer", indexerCheck(config.indexer.url, chain.now));
}
