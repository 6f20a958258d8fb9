// Preloaded into the processes of node's test runner. To know which test an error belongs to, and in which suite a test is declared,
// the runner follows every promise and timer by async hooks: a tenth of the processor time of our tests. Here it follows them by
// AsyncLocalStorage, which costs next to nothing. A runner that does not use these functions works as usual.
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { createRequire } from "node:module";
import { isMainThread } from "node:worker_threads";

const hooks = createRequire(import.meta.url)("node:async_hooks");
const { createHook, executionAsyncId } = hooks;

/** Id of the test, hook or suite whose code runs. */
const running = new AsyncLocalStorage();
/** The runner's hook, called for each new test. */
let register = () => {};

/** Base class of the runner's tests. */
class Scope extends AsyncResource {
  constructor(...args) {
    super(...args);
    register(this.asyncId(), "Test", executionAsyncId(), this);
  }

  runInAsyncScope(run, self, ...args) {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(run, self, args)));
  }
}

const noHook = { enable: () => noHook, disable: () => noHook };

if (isMainThread) {
  hooks.AsyncResource = Scope;
  hooks.executionAsyncId = () => running.getStore() ?? executionAsyncId();
  hooks.createHook = ({ init }) => {
    register = init;
    return noHook;
  };
  // The runner keeps the functions that it imports now. All later imports get the real ones.
  await import("node:test");
  Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });
}
