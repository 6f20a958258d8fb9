export { carbonRegistries, carbonRegistryOf, REGISTRY_LIST_KEY, whyRegistryRefused } from "./carbon-registries.ts";
export { idOf, isValidIn, type ParameterEntry, Parameters } from "./entries.ts";
export { parameterActions } from "./prepare.ts";
export { parameterRoutes } from "./routes.ts";
export { choiceOf } from "./rules.ts";
export { MEASUREMENT_KEY, parameterId, planKinds } from "./schemas.ts";
