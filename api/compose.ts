import { type NetworkAllowance, openRooms, type Room, type RoomHost } from "../connect/index.ts";
import { createClient } from "../wire/src/index.ts";
import type { Config } from "./config.ts";
import {
  addFileGauges,
  blobCheck,
  type FileParts,
  mountUploadOptions,
  openFiles,
  startUploadSweeper,
  Upkeep,
} from "./files/index.ts";
import { type Oracle, openOracle } from "./oracle/index.ts";
import {
  addChainGauges,
  type Chain,
  defineTransactionOperation,
  gasCheck,
  lastWrittenBlock,
  openChain,
  watchBaseFee,
} from "./platform/chain/index.ts";
import { signInLinkPath } from "./platform/dev/index.ts";
import { type Events, openEvents } from "./platform/events/index.ts";
import { type App, addStreamGauges } from "./platform/http/index.ts";
import { addIndexerGauges, IndexerClient } from "./platform/indexer/index.ts";
import {
  type NewApiKey,
  type ParticipantLookup,
  prepareApiKey,
  revokeApiKey,
  takeBackApiKey,
} from "./platform/keys/index.ts";
import type { Log } from "./platform/log.ts";
import {
  type AddedSource,
  endedImports,
  type Notifications,
  openNotifications,
} from "./platform/notifications/index.ts";
import { addOperationGauges, findStarted, startOperation } from "./platform/operations/index.ts";
import { callOutside, checkedHost, type OutboundRules, outboundRules } from "./platform/outbound/index.ts";
import { sentFilesPercent } from "./platform/ports/files.ts";
import { openSealing } from "./platform/sealing/index.ts";
import { createSecretBox } from "./platform/secret-box.ts";
import { type CoreDeps, type CoreOptions, createBaseApp, indexerCheck, openCoreDeps } from "./platform/server/index.ts";
import { openSessions, type Sessions } from "./platform/sessions/index.ts";
import { isTracing } from "./platform/tracing/index.ts";
import { type OpenAuthority, openAuthority, ServiceAccess } from "./platform/ucan/index.ts";
import { addWebhookGauges, openWebhooks, type Webhooks } from "./platform/webhooks/index.ts";
import {
  type Campaigns,
  type DrawSecrets,
  defineCampaignCertificates,
  isPublicDraw,
  openCampaigns,
  openCertificateFindings,
  openDrawSecrets,
  startBeaconReader,
  startSecretRevealer,
} from "./scheme/campaigns/index.ts";
import { addPinGauges, type CardStore, openCardStore, Pins, pinNotices } from "./scheme/cards/index.ts";
import {
  type CertificateDirectory,
  defineCertificateOperations,
  type FindingsCheck,
  openCertificates,
  RevocationWatch,
} from "./scheme/certificates/index.ts";
import { type Claims, claimResults, openClaims } from "./scheme/claims/index.ts";
import { HouseholdCodes } from "./scheme/codes/index.ts";
import { type Credentials, openCredentials, publicPaths } from "./scheme/credentials/index.ts";
import { type DeviceStore, defineDeviceImport, openDeviceStore } from "./scheme/devices/index.ts";
import { openDescriptions, openRecordedEvents } from "./scheme/events/index.ts";
import { councilPaths, type Governance, openGovernance, proposalNotices } from "./scheme/governance/index.ts";
import { type Itmo, itmoResults, openItmo, Proofs, startBufferSettler } from "./scheme/itmo/index.ts";
import { type Kpt, kptResults, openKpt, photoEvidence } from "./scheme/kpt/index.ts";
import { Parameters } from "./scheme/parameters/index.ts";
import { startPhotoRelease } from "./scheme/photos/index.ts";
import { addPoolGauges, openPool, type Pool, swapResults } from "./scheme/pool/index.ts";
import { Receipts } from "./scheme/receipts/index.ts";
import { AccountStandings, defineRegistryOperations, openRegistry, type Registry } from "./scheme/registry/index.ts";
import { SchemeFiles } from "./scheme/scheme-files/index.ts";
import { type CredentialVerifier, ethrNetworksOf, openVerifier } from "./scheme/verification/index.ts";
import {
  defineIssueBatch,
  OfflineOrders,
  openVouchers,
  type Vouchers,
  voucherResults,
} from "./scheme/vouchers/index.ts";
import { allSealedColumns } from "./sealed-columns.ts";

/** The dependencies of all features. `openDeps` creates them once per process; each feature has one field. */
export type Deps = CoreDeps<Config> & {
  chain: Chain;
  verifier: CredentialVerifier;
  registry: Registry;
  certificates: CertificateDirectory;
  campaignFindings: FindingsCheck;
  participants: ParticipantLookup;
  sessions: Sessions;
  vouchers: Vouchers;
  claims: Claims;
  campaigns: Campaigns;
  drawSecrets: DrawSecrets;
  governance: Governance;
  pool: Pool;
  credentials: Credentials;
  events: Events;
  webhooks: Webhooks;
  notifications: Notifications;
  itmo: Itmo;
  parameters: Parameters;
  devices: DeviceStore;
  cards: CardStore;
  codes: HouseholdCodes;
  pins: Pins;
  offlineOrders: OfflineOrders;
  indexer: IndexerClient;
  schemeFiles: SchemeFiles;
  files: FileParts & { authority: OpenAuthority; upkeep: Upkeep };
  kpt: Kpt;
  oracle: Oracle;
  proofs: Proofs;
  receipts: Receipts;
  /** Adapters to other systems (`connect/`). */
  rooms: Room[];
};

export type OpenDeps = {
  /** The app before any feature's route is mounted. */
  app: App;
  deps: Deps;
  close: () => Promise<void>;
};

/** Create the app to which `mountRoutes` adds the features' routes. */
export function createEmptyApp(deps: CoreDeps<Config> & { sessions: Sessions }): App {
  return createBaseApp(deps, {
    keyless: [...publicPaths, ...councilPaths, isPublicDraw, "/v1/pool", signInLinkPath],
    sessions: deps.sessions.verifier,
    beforeCors: (base) => mountUploadOptions(base, deps.config.files),
  });
}

/**
 * Open everything in order; `close` closes it in the opposite order. What opens before a failure is closed again.
 * The oracle's tools send requests to the app, so the app is created before the oracle.
 */
export async function openDeps(config: Config, log: Log, options: CoreOptions = {}): Promise<OpenDeps> {
  const core = await openCoreDeps(config, log, options);
  const closers: (() => Promise<void> | void)[] = [core.close];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    const { db, clock, workers } = core.deps;
    const chain = await openChain({ config, db, log, workers });
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
    const sealing = await openSealing({ ...core.deps, columns: allSealedColumns });
    closers.push(sealing.close);
    const sealingKeys = sealing.keys;
    const schemeKey = sealingKeys.scheme;
    const registry = openRegistry({ db, chain, schemeKey });
    const certificates = openCertificates({ db, ledger: registry.ledger });
    const participants: ParticipantLookup = {
      isSupplier: async (did) => (await registry.suppliers.byId(did)) !== null,
      isImplementer: async (did) => (await registry.implementers.byId(did)) !== null,
    };
    const standings = new AccountStandings(chain, registry);
    const sessions = openSessions({ db, chain, standings, clock });
    const vouchers = openVouchers({ chain, certificates });
    const deferredResults = {
      ...voucherResults(chain, vouchers.ledger),
      ...claimResults(chain),
      ...kptResults(chain),
      ...swapResults(chain),
      ...itmoResults(chain),
    };
    defineTransactionOperation(core.deps.operations, chain.outbox, deferredResults);
    watchBaseFee(core.deps.operations, chain.fees);
    const claims = openClaims({ db, chain, log });
    closers.push(() => claims.draws.close());
    const campaigns = openCampaigns({ db, chain, registry });
    const governance = openGovernance({ db, chain, log, workers });
    closers.push(governance.close);
    const itmo = openItmo({ db, chain, registry });
    const sources = { chain, registry, certificates, campaigns, itmo };
    const describe = openDescriptions(sources);
    const readRecorded = openRecordedEvents({ ...sources, db });
    const events = openEvents({ chain, log, describe, readRecorded });
    const { keys } = core.deps;
    const webhooks = openWebhooks({ db, chain, events, keys, clock, log, outbound, sealingKeys, workers });
    const authority = openAuthority({ ...core.deps, identity, resolver: verifier.resolver });
    const { scrubBytesPerSecond } = config.files;
    const fileDeps = { ...core.deps, files: opened.files };
    const upkeep = new Upkeep({ deps: fileDeps, chain, clock, log, workers, schemeKey, scrubBytesPerSecond });
    const files = { ...opened.files, authority, upkeep };
    const schemeFiles = new SchemeFiles({ clock, store: opened.store, identity, authority });
    const { url, token } = config.indexer;
    const lastWritten = () => lastWrittenBlock(chain, core.deps);
    const indexer = new IndexerClient({ url, token, log, lastWritten });
    // The last step of a write's trace. The worker logs nothing: a trace that lacks it says that the index is late.
    if (isTracing()) chain.outbox.options.onDelivered = (block) => void indexer.traceBlock(block).catch(() => {});
    const proofs = new Proofs({ chain, ledger: itmo.ledger, credentials, identity });
    const receipts = new Receipts({ chain, registry, credentials });
    const app = createEmptyApp({ ...core.deps, sessions });
    const oracle = await openOracle({
      ...core.deps,
      chain,
      schemeKey,
      identity,
      authority,
      resolver: verifier.resolver,
      files: opened.store,
      participants: {
        isSupplier: async (userDid) => (await registry.suppliers.byDid(userDid)) !== null,
        isImplementer: async (userDid) => (await registry.implementers.byDid(userDid)) !== null,
      },
      isInForce: ({ keyId, sessionId }) =>
        sessionId === undefined ? keys.verifier.isInForce(keyId) : sessions.verifier.isInForce(sessionId),
      fetch: app.fetch,
      say: options.say,
    });
    closers.push(oracle.close);
    const hostOf = (name: string, folder: string): RoomHost => {
      const access = new ServiceAccess({ identity, authority, clock }, `/connect/${folder}`);
      const keyDeps = { keys, clock, db, log, config, participants };
      return {
        publicUrl: config.publicUrl,
        recordsOpenDays: config.recordsOpenDays,
        log,
        clock,
        db,
        client: (key) =>
          createClient({
            baseUrl: config.publicUrl,
            ...(key === undefined ? {} : { key }),
            fetch: async (request) => await app.fetch(request),
          }),
        clientAs: ({ actor }) =>
          createClient({
            baseUrl: config.publicUrl,
            fetch: async (request) => await app.fetch(request, { inside: { actor } }),
          }),
        secretBox: createSecretBox(sealingKeys, "room"),
        workers,
        keys: {
          prepare: async (ctx, key) => {
            const { created, store } = await prepareApiKey(
              keyDeps,
              ctx,
              { role: "integrator", ...key } as NewApiKey,
              name,
            );
            return { id: created.id, key: created.key, store };
          },
          takeBack: (tx, id) => takeBackApiKey(keyDeps, tx, id),
          revoke: async (ctx, id) => void (await revokeApiKey(keyDeps, ctx, id)),
        },
        callOutside: (url, request, allowance) => callOutside(url, request, withAllowance(outbound, allowance)),
        lookupOutside: (host, allowance) => checkedHost(host, withAllowance(outbound, allowance)),
        operations: {
          define: core.deps.operations.define,
          start: async (ctx, operation) =>
            (await findStarted(core.deps, ctx, operation.type)) ?? (await startOperation(core.deps, ctx, operation)),
        },
        files: {
          store: opened.store,
          caller: async () => ({ access: await access.access(), quotaPercent: sentFilesPercent }),
        },
      };
    };
    const rooms = await openRooms(config.connect, hostOf);
    const cards = openCardStore(db);
    const pins = new Pins({ db, clock, sealingKeys });
    const notifications = openNotifications({
      ...core.deps,
      chain,
      events,
      outbound,
      sealingKeys,
      isKeyValid: webhooks.isKeyValid,
      sources: [
        proposalNotices(governance.store),
        endedImports(core.deps.operations, ["household-import", "device-import", "vouchers.issue-batch"]),
        pinNotices({ pins, cards, registry, certificates }),
        noticesOf(rooms),
      ],
    });
    const parts: Omit<Deps, "kpt"> = {
      ...core.deps,
      chain,
      verifier,
      registry,
      certificates,
      campaignFindings: openCertificateFindings({ db, campaigns, registry }),
      participants,
      sessions,
      vouchers,
      claims,
      campaigns,
      drawSecrets: openDrawSecrets({ db, clock, sealingKeys }),
      governance,
      pool: openPool(chain),
      credentials,
      events,
      webhooks,
      notifications,
      itmo,
      parameters: new Parameters(chain),
      devices: openDeviceStore(db),
      cards,
      codes: new HouseholdCodes({ db, clock, sealingKeys }),
      pins,
      offlineOrders: new OfflineOrders({ db, clock, limits: config.offlineLimits }),
      indexer,
      oracle,
      schemeFiles,
      files,
      proofs,
      receipts,
      rooms,
    };
    const kpt = openKpt(parts);
    const deps: Deps = { ...parts, kpt };
    defineRegistryOperations(deps);
    defineDeviceImport(deps);
    defineCertificateOperations(deps);
    defineIssueBatch(deps.operations, deps);
    defineCampaignCertificates(deps.operations, deps);
    watchReadiness(deps);
    addGauges(deps);
    deps.operations.start();
    // Before the chain and the database that operations work with.
    closers.push(deps.operations.close);
    const revocations = new RevocationWatch(deps);
    revocations.start();
    closers.push(() => revocations.close());
    const sweeper = startUploadSweeper(deps);
    closers.push(events.close, webhooks.close, notifications.close, () => sweeper.close());
    upkeep.start();
    closers.push(() => upkeep.close());
    const revealer = startSecretRevealer(deps);
    closers.push(() => revealer.close());
    const beaconReader = startBeaconReader(deps);
    if (beaconReader !== undefined) closers.push(() => beaconReader.close());
    const bufferSettler = startBufferSettler(deps);
    closers.push(() => bufferSettler.close());
    const photoRelease = startPhotoRelease({
      ...core.deps,
      schemeFiles,
      recordsOpenDays: config.recordsOpenDays,
      evidenceAmong: (photos) => photoEvidence(db, photos),
    });
    closers.push(() => photoRelease.close());
    kpt.start();
    closers.push(() => kpt.close());
    for (const room of rooms) {
      room.start?.();
      closers.push(async () => await room.close?.());
    }
    return { app, deps, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const withAllowance = (rules: OutboundRules, allowance?: NetworkAllowance): OutboundRules => ({
  ...rules,
  allowPrivate: allowance?.privateNetwork === true,
});

/** Notices that adapters add. */
function noticesOf(rooms: readonly Room[]): AddedSource {
  const read: AddedSource["read"] = async (reader, since) =>
    (await Promise.all(rooms.map((room) => room.notices?.(reader, since) ?? []))).flat();
  return { topic: "payouts", read };
}

function watchReadiness({ readiness, chain, config, files }: Deps): void {
  readiness.add("chain", async () => {
    await chain.check();
    return { ready: true };
  });
  readiness.add("gas", gasCheck(chain));
  readiness.add("files", blobCheck(files.blobs));
  readiness.add("indexer", indexerCheck(config.indexer.url, chain.now));
}

function addGauges({ gauges, db, chain, indexer, pool, pins, config, events, oracle }: Deps): void {
  addChainGauges(gauges, { db, chain });
  addIndexerGauges(gauges, indexer, chain.latest);
  addOperationGauges(gauges, db);
  addWebhookGauges(gauges, db);
  addPoolGauges(gauges, pool.reader);
  addPinGauges(gauges, pins);
  addFileGauges(gauges, db, config.files.storeLimitBytes);
  addStreamGauges(gauges, { events: events.streams, answers: oracle.streams, sockets: oracle.sockets });
}
