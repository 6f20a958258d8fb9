import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { RegistryDeps } from "../registry/index.ts";
import type { Pins } from "./pins/pins.ts";
import type { CardStore } from "./store.ts";

/** Dependencies of the services in this folder. */
export type CardDeps = RegistryDeps & { cards: CardStore; pins: Pins; clock: Clock; log: Log };
