import { type Deps, type OpenDeps, openDeps } from "./compose.ts";
import type { Config } from "./config.ts";
import { mountFiles, upkeepRoutes } from "./files/index.ts";
import { accessRoutes, contractActions, mountOracle } from "./oracle/index.ts";
import { devRoutes, signInLinkRoutes } from "./platform/dev/index.ts";
import { eventRoutes } from "./platform/events/index.ts";
import type { App } from "./platform/http/index.ts";
import { identityRoutes } from "./platform/identity/index.ts";
import { invitationRoutes, keyRoutes, passkeyRoutes } from "./platform/keys/index.ts";
import type { Log } from "./platform/log.ts";
import { notificationRoutes } from "./platform/notifications/index.ts";
import { operationRoutes } from "./platform/operations/index.ts";
import {
  auditRoutes,
  type CoreOptions,
  databaseCopyRoutes,
  mount,
  mountConsole,
  systemRoutes,
} from "./platform/server/index.ts";
import { sessionRoutes } from "./platform/sessions/index.ts";
import { type PrepareAction, transactionRoutes } from "./platform/transactions/index.ts";
import { webhookRoutes } from "./platform/webhooks/index.ts";
import {
  campaignResultRoutes,
  campaignRoutes,
  dataRoomRoutes,
  findingRoutes,
  usageSurveyRoutes,
} from "./scheme/campaigns/index.ts";
import { cardRoutes, pinRoutes } from "./scheme/cards/index.ts";
import { certificateRoutes } from "./scheme/certificates/index.ts";
import { claimActions, claimRoutes, paymentRoutes } from "./scheme/claims/index.ts";
import { codeRoutes } from "./scheme/codes/index.ts";
import { credentialRoutes } from "./scheme/credentials/index.ts";
import { deviceRoutes, scaleRoutes } from "./scheme/devices/index.ts";
import { emissionRoutes } from "./scheme/emissions/index.ts";
import { governanceRoutes, roleRoutes } from "./scheme/governance/index.ts";
import { itmoActions, itmoRoutes, proofRoutes } from "./scheme/itmo/index.ts";
import { claimCheckRoutes, evidenceRoutes, kptClaimKind, kptRoutes } from "./scheme/kpt/index.ts";
import { overviewRoutes } from "./scheme/overview/index.ts";
import { parameterActions, parameterRoutes } from "./scheme/parameters/index.ts";
import { photoRoutes } from "./scheme/photos/index.ts";
import { debtActions, poolActions, poolRoutes } from "./scheme/pool/index.ts";
import { receiptRoutes } from "./scheme/receipts/index.ts";
import { registryRoutes } from "./scheme/registry/index.ts";
import { searchRoutes } from "./scheme/search/index.ts";
import {
  cardLookupRoutes,
  redemptionRoutes,
  redemptionTermsRoutes,
  voucherActions,
  voucherListRoutes,
  voucherRoutes,
} from "./scheme/vouchers/index.ts";

/** What `POST /v1/transactions/prepare` offers. */
function actionsOf(deps: Deps): PrepareAction[] {
  return [
    ...voucherActions(deps),
    ...claimActions(deps),
    ...poolActions(deps),
    ...itmoActions(deps),
    ...parameterActions(deps),
    ...debtActions(deps),
    ...contractActions(deps.oracle),
  ];
}

/** Open the API: its dependencies, its routes and its background work. `close` closes them in the opposite order. */
export async function openApp(config: Config, log: Log, options: CoreOptions = {}): Promise<OpenDeps> {
  const { app, deps, close } = await openDeps(config, log, options);
  try {
    mountRoutes(app, deps);
    deps.oracle.start();
    return { app, deps, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Mount the routes of every feature. Pure: it opens nothing and reads no environment. */
export function mountRoutes(app: App, deps: Deps): void {
  // One line per feature. Routes come from createRouter(); all are below /v1 except those of the file store.
  mount(app, keyRoutes(deps));
  for (const routes of invitationRoutes(deps)) mount(app, routes);
  for (const routes of passkeyRoutes(deps)) mount(app, routes);
  mount(app, sessionRoutes(deps));
  mount(app, operationRoutes(deps));
  for (const routes of registryRoutes(deps)) mount(app, routes);
  mount(app, certificateRoutes(deps));
  mount(app, voucherListRoutes(deps));
  mount(app, voucherRoutes(deps));
  mount(app, redemptionRoutes(deps));
  mount(app, redemptionTermsRoutes(deps));
  mount(app, transactionRoutes(deps, actionsOf(deps)));
  mount(app, claimRoutes(deps, [kptClaimKind(deps)]));
  mount(app, paymentRoutes(deps));
  mount(app, kptRoutes(deps));
  mount(app, claimCheckRoutes(deps));
  mount(app, campaignRoutes(deps));
  mount(app, campaignResultRoutes(deps));
  mount(app, dataRoomRoutes(deps));
  mount(app, findingRoutes(deps));
  mount(app, usageSurveyRoutes(deps));
  mount(app, overviewRoutes(deps));
  mount(app, searchRoutes(deps));
  mount(app, poolRoutes(deps));
  for (const routes of itmoRoutes(deps)) mount(app, routes);
  mount(app, credentialRoutes(deps));
  mount(app, evidenceRoutes(deps));
  mount(app, emissionRoutes(deps));
  mount(app, parameterRoutes(deps));
  mount(app, deviceRoutes(deps));
  mount(app, photoRoutes(deps));
  // Before the routes of a card, whose ids are digits.
  mount(app, cardLookupRoutes(deps));
  mount(app, cardRoutes(deps));
  mount(app, pinRoutes(deps));
  mount(app, codeRoutes(deps));
  mount(app, scaleRoutes(deps));
  mount(app, governanceRoutes(deps));
  mount(app, roleRoutes(deps));
  mount(app, eventRoutes(deps));
  mount(app, webhookRoutes(deps));
  for (const routes of notificationRoutes(deps)) mount(app, routes);
  mount(app, proofRoutes(deps));
  mount(app, receiptRoutes(deps));
  mount(app, accessRoutes(deps.oracle));
  mount(app, devRoutes(deps));
  mount(app, signInLinkRoutes(deps));
  mount(app, upkeepRoutes(deps.files.upkeep));
  mount(app, databaseCopyRoutes(deps));
  mount(app, auditRoutes(deps));
  mount(app, systemRoutes(deps));
  app.route("/", identityRoutes(deps.files.identity));
  mountFiles(app, deps);
  mountOracle(app, deps.oracle);
  for (const room of deps.rooms) room.mount(app);
  mountConsole(app);
}
