import type { Deps } from "./compose.ts";
import { mountFiles, mountUploadOptions, upkeepRoutes } from "./files/index.ts";
import { contractActions, mountOracle } from "./oracle/index.ts";
import { devRoutes } from "./platform/dev/index.ts";
import { eventRoutes } from "./platform/events/index.ts";
import type { App } from "./platform/http/index.ts";
import { identityRoutes } from "./platform/identity/index.ts";
import { keyRoutes } from "./platform/keys/index.ts";
import { operationRoutes } from "./platform/operations/index.ts";
import { createBaseApp, mount, mountConsole } from "./platform/server/index.ts";
import { sessionRoutes } from "./platform/sessions/index.ts";
import { type PrepareAction, transactionRoutes } from "./platform/transactions/index.ts";
import { webhookRoutes } from "./platform/webhooks/index.ts";
import { campaignResultRoutes, campaignRoutes, isPublicDraw } from "./scheme/campaigns/index.ts";
import { certificateRoutes } from "./scheme/certificates/index.ts";
import { claimActions, claimRoutes } from "./scheme/claims/index.ts";
import { credentialRoutes, publicPaths } from "./scheme/credentials/index.ts";
import { emissionRoutes } from "./scheme/emissions/index.ts";
import { councilPaths, governanceRoutes } from "./scheme/governance/index.ts";
import { itmoActions, itmoRoutes, proofRoutes } from "./scheme/itmo/index.ts";
import { evidenceRoutes, kptClaimKind, kptRoutes } from "./scheme/kpt/index.ts";
import { debtActions, poolActions, poolRoutes } from "./scheme/pool/index.ts";
import { receiptRoutes } from "./scheme/receipts/index.ts";
import { registryRoutes } from "./scheme/registry/index.ts";
import {
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
    ...debtActions(deps),
    ...contractActions(deps.oracle),
  ];
}

/** The whole HTTP surface over the given dependencies. Pure: it opens nothing and reads no environment. */
export function createApp(deps: Deps): App {
  const app = createBaseApp(deps, {
    keyless: [...publicPaths, ...councilPaths, isPublicDraw, "/v1/pool"],
    sessions: deps.sessions.verifier,
    beforeCors: (base) => mountUploadOptions(base, deps.config.files),
  });
  // One line per feature. Routes come from createRouter(); all are below /v1 except those of the file store.
  mount(app, keyRoutes(deps));
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
  mount(app, kptRoutes(deps));
  mount(app, campaignRoutes(deps));
  mount(app, campaignResultRoutes(deps));
  mount(app, poolRoutes(deps));
  for (const routes of itmoRoutes(deps)) mount(app, routes);
  mount(app, credentialRoutes(deps));
  mount(app, evidenceRoutes(deps));
  mount(app, emissionRoutes());
  mount(app, governanceRoutes(deps));
  mount(app, eventRoutes(deps));
  mount(app, webhookRoutes(deps));
  mount(app, proofRoutes(deps));
  mount(app, receiptRoutes(deps));
  mount(app, devRoutes(deps));
  mount(app, upkeepRoutes(deps.files.upkeep));
  app.route("/", identityRoutes(deps.files.identity));
  mountFiles(app, deps);
  mountOracle(app, deps.oracle);
  mountConsole(app);
  deps.ownApp.serve(app.fetch);
  return app;
}
